import DatabaseEngine
import Drydock
import DrydockReport
import Foundation

/// The settings of a run: the command line first, then drydock.yml, then the defaults.
struct VerifySettings: Sendable {
    var request = VerifyRequest()
    var options = RenderOptions()
    var engines = ReplayEngines.grdb
    var format: OutputFormat
    var reports: [ReportFile] = []
    let place: MigrationsFinder.Place
    private var targets: Targets?
    private var settingsDigest = ""

    init(_ command: VerifyCommand, _ config: ConfigFile) throws {
        // A folder that the command line names is what is meant.
        request.command = command.source.migrations == nil ? try command.project.settings(config) : nil
        place =
            try request.command.map { MigrationsFinder.Place(path: $0.folder, wasFound: false) }
            ?? command.source.place(config)
        request.migrations.folder = place.path
        request.snapshots.folder =
            command.snapshotsOptions.folder(config) ?? SnapshotsOptions.usual(config)
        request.snapshots.isFolderNamed = command.snapshotsOptions.folder(config) != nil
        request.snapshots.paths = command.snapshots
        request.upTo = command.upTo ?? config[Setting.upTo]
        request.jobs = command.jobs ?? config[Setting.jobs] ?? ProcessInfo.processInfo.activeProcessorCount
        request.timeout = command.limits.timeout(config).duration
        request.checks.isFull = command.fullCheck ?? config[Setting.fullCheck] ?? false
        request.cacheFolder = command.cache ?? config[Setting.cache] ?? true ? CacheFolder.path : nil
        request.lock = command.noLock.heldLock(command.lockOptions, config)
        request.isStrict = command.output.isStrict(config)
        command.checks.apply(config, to: &request)
        request.probes = command.probes.options(config)
        request.migrations.format = command.source.format(config)
        request.migrations.options = command.tool.options(config)
        (request.migrations.functions, request.migrations.collations) = command.stubs.stubs(config)
        request.migrations.declarations = try command.declarations.all(config)
        request.findings = config.findings
        format = command.output.format(config)
        reports = command.output.files(config, hasScripts: true)
        request.wantsHistory = ([format.name] + reports.map(\.format)).contains(HTMLRenderer().name)
        engines = command.engine ?? config[Setting.engine] ?? .grdb
        options = command.output.options(config, redacts: command.redaction.isOn(config))
    }

    /// What results depend on besides their snapshot.
    var digest: String { SettingsDigest.of(request, version: DrydockCommand.versionOfResults) }

    /// Replays these snapshots, and goes on from the results of an earlier run.
    /// - Throws: `RequestError`.
    mutating func choose(_ targets: Targets) throws {
        let digest = digest
        if let resume = targets.resume, request.command != nil {
            throw RequestError(
                .settingInvalid,
                "--resume cannot know whether the project's own command has changed since; leave '\(resume)' out"
            )
        }
        var listed = ListedSnapshots(targets.paths)
        listed.isPart = targets.shard != nil
        listed.makesProbes = targets.shard.map { $0.number == 1 } ?? true
        request.snapshots.listed = listed
        request.keeping = try targets.kept(settings: digest).map(KeptReplays.init)
        request.keeping?.isRedacted = options.redacts
        self.targets = targets
        settingsDigest = digest
    }

    /// Returns what the merge of the shards needs of this run; nil for a run of the whole.
    func part(_ report: Report) -> ReportPart? {
        guard let kept = request.keeping?.results, var part = targets?.part(kept, settings: settingsDigest)
        else {
            return nil
        }
        (part.migrationFormat, part.isRedacted) = (report.migrationFormat, options.redacts)
        return part
    }

    static var isCI: Bool {
        let value = ProcessInfo.processInfo.environment["CI"] ?? ""
        return !value.isEmpty && value != "false" && value != "0"
    }
}
