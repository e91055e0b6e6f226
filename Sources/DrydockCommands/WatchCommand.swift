import ArgumentParser
import Drydock
import DrydockReport
import Foundation

struct WatchCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "watch",
        abstract: "Lint and verify again whenever a file changes.",
        usage: "[OPTIONS] [SNAPSHOT...]",
        about: """
            Runs drydock lint and drydock verify, and both again whenever a migration, a
            snapshot, drydock.yml or drydock.lock changes. On snapshots, only the edited
            migration and those after it are run again. Settings come from drydock.yml, as
            they do for lint and verify; nothing is written.
            """,
        examples: """
            drydock watch                        the migrations that are found
            drydock watch Snapshots/v3.sqlite    on one snapshot
            drydock watch --no-probe             without generated rows
            drydock watch --format json          a line of JSON for each report
            """,
        common: "migrations migration-format snapshots probe strict format verbose",
        note: "Ctrl-C ends it.",
        details: "docs/watch.md says what is run again, and which files count.",
        exitStatus: """
            130  it was ended, by Ctrl-C or SIGTERM
            64   bad usage
            """)

    @Argument(help: SnapshotsOptions.snapshots, completion: .file())
    var snapshots: [String] = []

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var snapshotsOptions: SnapshotsOptions

    @OptionGroup var probes: ProbeFlags

    @Flag(name: Setting.strict.name, inversion: .prefixedNo, help: Setting.strict.help)
    var strict: Bool?

    @Option(
        help: ArgumentHelp("human or json; json is one report per line.", default: "human"),
        completion: .list(Self.formats))
    var format: String?

    @Flag(name: Setting.verbose.name("v"), help: Setting.verbose.help)
    var verbose = false

    @OptionGroup var stubs: StubOptions

    private static let formats = ["human", "json"]

    func validate() throws {
        guard let format, !Self.formats.contains(format) else { return }
        throw ValidationError(
            "there is no format '\(format)' of watch; choose one of: \(Self.formats.joined(separator: ", "))")
    }

    func run() async throws {
        let folder = FileManager.default.currentDirectoryPath
        let shown = WatchSettings()
        let watcher = Watcher(folder: folder, settings: settings(in: folder)) {
            try project(in: folder, shown)
        }
        let display: any WatchDisplay =
            format == "json"
            ? WatchLines(settings: shown) : WatchTerminal(folder: folder, settings: shown)
        let task = Task {
            for await event in watcher { display.show(event) }
        }
        let interruption = Interruption(lastWords: "\n") { task.cancel() }
        await task.value
        interruption.end()
        LiveCommands.end()
        display.end()
        throw ExitCode(130)
    }

    /// Returns the files that may be drydock.yml.
    private func settings(in folder: String) -> [String] {
        if let path = stubs.config { return [path] }
        return ProjectFolders.upwards(from: folder).map { $0 + "/" + ConfigFile.defaultPath }
    }

    /// Reads the settings, as drydock lint and drydock verify do.
    private func project(in folder: String, _ shown: WatchSettings) throws -> WatchedProject {
        // A folder that was deleted and recreated is not the working folder of the process.
        guard FileManager.default.changeCurrentDirectoryPath(folder) else {
            throw RequestError(.notFound, "the folder '\(folder)' does not exist any more")
        }
        let config = try ConfigFile.load(stubs.config)
        var verify = try VerifyCommand.parse([])
        (verify.snapshots, verify.source, verify.snapshotsOptions) = (snapshots, source, snapshotsOptions)
        (verify.probes, verify.stubs) = (probes, stubs)
        (verify.output.strict, verify.output.verbose) = (strict, verbose)
        verify.limits.apply(config)
        let settings = try VerifySettings(verify, config)
        shown.take(settings.options)
        var project = WatchedProject(verify: settings.request, engine: settings.engines.first)
        project.other = settings.engines.other
        project.timeLimit = settings.request.timeout
        if settings.request.command == nil {
            var lint = try LintCommand.parse([])
            (lint.source, lint.snapshots, lint.stubs) = (source, snapshotsOptions, stubs)
            lint.output.strict = strict
            var request = try lint.request(config, settings.place)
            try request.take(lock: lint.lockOptions.path(config), isNamed: lint.lockOptions.isNamed(config))
            project.lint = request
        } else {
            // What the project's own command reads, nobody knows.
            project.inputs = [config.path(".")]
        }
        if settings.request.lock == nil { project.inputs.append(LockFile.beside(config)) }
        return project
    }
}
