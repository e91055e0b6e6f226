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

    init(_ command: VerifyCommand, _ config: ConfigFile) throws {
        // A folder that the command line names is what is meant.
        request.command = command.source.migrations == nil ? try command.project.settings(config) : nil
        place =
            try request.command.map { MigrationsFinder.Place(path: $0.folder, wasFound: false) }
            ?? command.source.place(config)
        request.migrationsFolder = place.path
        request.snapshotsFolder =
            command.snapshotsOptions.folder(config) ?? SnapshotsOptions.usual(config)
        request.isSnapshotsFolderNamed = command.snapshotsOptions.folder(config) != nil
        request.snapshots = command.snapshots
        request.upTo = command.upTo ?? config.upTo
        request.jobs = command.jobs ?? config.jobs ?? ProcessInfo.processInfo.activeProcessorCount
        request.timeout = command.limits.timeout(config).duration
        request.isFullCheck = command.fullCheck ?? config.fullCheck ?? false
        request.cacheFolder = command.cache ?? config.cache ?? true ? CacheFolder.path : nil
        request.lock = command.replay.heldLock(config)
        request.isStrict = command.output.isStrict(config)
        request.checksCrashes = command.crash ?? config.crash ?? false
        request.crashStates = command.crashStates ?? config.crashStates ?? request.crashStates
        request.checksRollback = command.rollback ?? config.rollback ?? false
        request.probes = command.probes.options(config)
        request.migrationFormat = command.source.format(config)
        request.format = command.tool.options(config)
        (request.functions, request.collations) = command.stubs.stubs(config)
        request.declarations = try command.replay.declarations.all(config)
        request.findings = config.findings
        format = command.output.format(config)
        reports = command.output.files(config, hasScripts: true)
        request.wantsHistory = ([format.name] + reports.map(\.format)).contains(HTMLRenderer().name)
        engines = command.engine ?? config.engine ?? .grdb
        options = command.output.options(config, redacts: command.replay.redaction.isOn(config))
    }

    static var isCI: Bool {
        let value = ProcessInfo.processInfo.environment["CI"] ?? ""
        return !value.isEmpty && value != "false" && value != "0"
    }
}
