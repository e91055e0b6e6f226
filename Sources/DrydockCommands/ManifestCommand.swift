import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport
import Foundation

struct ManifestCommand: DrydockSubcommand, TakesManyNames {
    static let help = CommandHelp(
        name: "manifest",
        abstract: "List databases for shards that divide them evenly.",
        usage: "[OPTIONS] [DATABASE...]",
        about: """
            Writes a list of databases with their size, version and schema. With
            --from fleet.json, all shards of a run divide the same list by size, even
            while the databases grow. Nothing else is written. If there are migrations,
            the version is the newest one that a database has applied.
            """,
        examples: """
            drydock manifest 'data/**/*.sqlite' -o fleet.json
            find . -name '*.db' -print0 | drydock manifest --from - -o fleet.json
            drydock manifest --from fleet.json --times report.json -o fleet.json
                                          by the seconds of the last run, not by size
            """,
        common: "output from from-query migrations migration-format times jobs",
        exitStatus: """
            0  the manifest is written
            1  it is written, but a database in it could not be read
            2  nothing was written
            64 bad usage
            130 interrupted
            """)

    @Argument(help: "Databases, patterns and folders.", completion: .file())
    var databases: [String] = []
    static var names: WritableKeyPath<Self, [String]> { \.databases }

    @OptionGroup var lists: ListOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where the manifest goes.", default: "standard output", valueName: "path"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp("A JSON report that says how long each database took.", valueName: "report"),
        completion: .file())
    var times: String?

    @Option(
        name: Setting.jobs.name("j", allowingJoined: true), help: Setting.jobs.help,
        transform: NumberOption.atLeastOne)
    var jobs: Int?

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var engines: EngineOptions

    func validate() throws {
        if databases.isEmpty, lists.isEmpty { throw ValidationError(ListOptions.noDatabase) }
    }

    private struct Times: Decodable {
        struct Entry: Decodable { var snapshot, path: String?; var seconds: Double? }
        var replays, databases: [Entry]?

        var seconds: [String: Double] {
            ((replays ?? []) + (databases ?? [])).reduce(into: [:]) { seconds, entry in
                if let path = entry.snapshot ?? entry.path, let time = entry.seconds { seconds[path] = time }
            }
        }
    }

    func run() async throws {
        try await FailureOutput(Self.self).run {
            let engine = engines.driver()
            let list = try await lists.list(databases, on: engine)
            let task = Task { try await self.manifest(of: list.paths, on: engine) }
            let interruption = Interruption(lastWords: Self.interrupted) { task.cancel() }
            defer { interruption.end() }
            let manifest: Manifest
            do {
                manifest = try await task.value
            } catch is CancellationError {
                Terminal.writeError(Self.interrupted)
                throw ExitCode(130)
            }
            let text = try manifest.json()
            if let output {
                if list.paths.contains(where: { FolderListing.realPath($0) == FolderListing.realPath(output) }
                ) {
                    throw RequestError(
                        .settingInvalid, "'\(output)' is one of the databases; give the manifest another path"
                    )
                }
                do { try AtomicFile.write(text, to: output) } catch {
                    throw RequestError(.notWritable, "'\(output)' cannot be written: \(error)")
                }
            } else {
                Terminal.write(String(decoding: text, as: UTF8.self))
            }
            let unread = manifest.databases.filter { $0.trouble != nil }
            for entry in unread.prefix(10) {
                Terminal.complain("'\(entry.path)' could not be read: \(entry.trouble ?? "")")
            }
            if unread.count > 10 { Terminal.complain("and \(unread.count - 10) more") }
            if !unread.isEmpty { throw ExitCode(1) }
        }
    }

    private static let interrupted = "drydock: interrupted; nothing was written\n"

    private func manifest(of paths: [String], on engine: any Engine) async throws -> Manifest {
        let (seconds, jobs) = (try seconds(), jobs ?? ProcessInfo.processInfo.activeProcessorCount)
        do {
            return try await Manifest.of(
                paths, seconds: seconds, versions: try versions(engine), jobs: jobs, on: engine)
        } catch let error as RequestError where !isNamed {
            // A manifest needs no migrations.
            Terminal.complain(
                "the versions are left out: \(error.description)", help: error.quote)
            return try await Manifest.of(paths, seconds: seconds, jobs: jobs, on: engine)
        }
    }

    /// Whether the command line says which migrations are meant.
    private var isNamed: Bool { source.migrations != nil || source.migrationFormat != nil }

    /// Returns what reads versions; nil where there are no migrations.
    private func versions(_ engine: any Engine) throws -> VersionReader? {
        let config = try ConfigFile.load(nil)
        var verify = VerifyRequest()
        do {
            verify.migrations.folder = try source.place(config).path
        } catch let error as RequestError
            where error.reason == .notFound && !isNamed && config[Setting.migrations] == nil
        {
            return nil
        }
        guard isNamed || config[Setting.migrations] != nil || FolderListing.isFolder(verify.migrations.folder)
        else {
            return nil
        }
        verify.migrations.format = source.format(config)
        verify.migrations.options = config.options
        return try VersionReader(verify, on: engine)
    }

    private func seconds() throws -> [String: Double] {
        guard let times else { return [:] }
        do {
            return try JSONDecoder().decode(Times.self, from: Data(FolderListing.contents(of: times))).seconds
        } catch {
            throw RequestError(.settingInvalid, "'\(times)' is not a JSON report of drydock: \(error)")
        }
    }
}
