import DatabaseEngine
import Drydock
import DrydockReport
import Foundation

/// The settings of `drydock migrate`: the command line first, then drydock.yml, then the defaults.
struct MigrateSettings: Sendable {
    var request: MigrateRequest
    /// What is done to many databases; nil for one.
    var rollOut: RollOutRequest?
    var options = RenderOptions()
    /// How many of many databases are looked at and migrated at once.
    let jobs: Int
    let format: OutputFormat
    var reports: [ReportFile] = []
    let engine: any Engine
    let place: MigrationsFinder.Place
    private var targets: Targets?

    /// - Parameter databases: at least one, unless a shard of them is empty.
    init(_ command: MigrateCommand, _ config: ConfigFile, _ databases: [String]) throws {
        engine = command.engines.driver(config)
        place = try command.source.place(config)
        jobs = command.jobs ?? config[Setting.jobs] ?? ProcessInfo.processInfo.activeProcessorCount
        request = MigrateRequest(path: databases.first ?? "")
        request.mode = command.check ? .check : command.apply ? .apply : .rehearsal
        request.backup =
            command.noBackup
            ? MigrateRequest.Backup.none
            : command.backup.map { .path($0) } ?? command.backupFolder.map { .folder($0) }
        if let backup = command.backup, SnapshotFile.isSidecar(backup) {
            throw RequestError(
                .settingInvalid,
                "'\(backup)' has a name that SQLite uses for temporary files beside a database, which it deletes; "
                    + "give the backup a different name")
        }
        request.temporaryFolder = command.temporaryFolder
        request.busyTimeout = command.busyTimeout?.duration ?? request.busyTimeout
        request.verify = try Self.verify(command, config, place)
        request.verify.snapshots.paths = databases
        if databases.count != 1 || command.isOfMany {
            rollOut = try Self.rollOut(command, jobs: jobs, databases, request)
        }
        format = command.output.format(config)
        reports = command.output.files(config)
        options = command.output.options(config, redacts: command.redaction.isOn(config))
    }

    /// What results depend on besides their database.
    var digest: String { SettingsDigest.of(request, version: DrydockCommand.versionOfResults) }

    /// Goes on from the results of an earlier run, and keeps those of a shard.
    /// - Throws: `RequestError`.
    mutating func choose(_ targets: Targets) throws {
        self.targets = targets
        let kept = try targets.kept(settings: digest)
        rollOut?.kept = kept
        rollOut?.redactsKept = options.redacts
    }

    /// Returns what the merge of the shards needs of this run; nil for a run of the whole.
    func part(_ report: Report) -> ReportPart? {
        guard let kept = rollOut?.kept, var part = targets?.part(kept, settings: digest) else { return nil }
        (part.migrationFormat, part.isRedacted) = (report.migrationFormat, options.redacts)
        return part
    }

    private static func rollOut(
        _ command: MigrateCommand, jobs: Int, _ databases: [String], _ request: MigrateRequest
    ) throws -> RollOutRequest {
        if command.backup != nil {
            throw RequestError(
                .settingInvalid,
                "--backup names one file, and there are several databases; use --backup-folder")
        }
        var rollOut = RollOutRequest(databases: databases, migrate: request)
        rollOut.canary = command.canary ?? rollOut.canary
        if let waves = command.waves { rollOut.waves = try RollOutWave.list(waves) }
        rollOut.maxFailures = command.maxFailures ?? rollOut.maxFailures
        rollOut.jobs = jobs
        rollOut.log = command.log
        return rollOut
    }

    private static func verify(
        _ command: MigrateCommand, _ config: ConfigFile, _ place: MigrationsFinder.Place
    ) throws -> VerifyRequest {
        var verify = VerifyRequest()
        verify.migrations.folder = place.path
        // No report overwrites one of them.
        verify.snapshots.folder = config[Setting.snapshots] ?? SnapshotsOptions.usual(config)
        verify.upTo = command.upTo ?? config[Setting.upTo]
        verify.timeout = command.limits.timeout(config).duration
        verify.checks.isFull = command.fullCheck ?? config[Setting.fullCheck] ?? false
        verify.lock = command.noLock.heldLock(command.lockOptions, config)
        verify.isStrict = command.output.isStrict(config)
        verify.migrations.format = command.source.format(config)
        verify.migrations.options = command.tool.options(config)
        (verify.migrations.functions, verify.migrations.collations) = command.stubs.stubs(config)
        verify.migrations.declarations = try command.declarations.all(config)
        verify.findings = config.findings
        return verify
    }
}
