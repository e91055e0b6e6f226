import DatabaseEngine
import Drydock
import DrydockReport
import Foundation

/// The settings of a run: the command line first, then drydock.yml, then the defaults.
struct VerifySettings: Sendable {
    var request = VerifyRequest()
    var options = RenderOptions()
    var engines = ReplayEngines.grdb
    var format = "human"
    var reports: [ReportFile] = []

    init(_ command: VerifyCommand, _ config: ConfigFile) throws {
        request.migrationsFolder = command.source.migrations ?? config.migrations ?? "Migrations"
        request.snapshotsFolder = command.snapshotsFolder ?? config.snapshots ?? "Snapshots"
        request.snapshots = command.snapshots
        request.upTo = command.upTo ?? config.upTo
        request.jobs = command.jobs ?? config.jobs ?? ProcessInfo.processInfo.activeProcessorCount
        request.timeout = (command.timeout ?? config.timeout ?? .standard).duration
        request.isFullCheck = command.fullCheck ?? config.fullCheck ?? false
        request.cacheFolder = command.cache ? CacheFolder.path : nil
        request.lock = command.replay.heldLock(config, command.stubs)
        request.isStrict = command.output.strict ?? config.strict ?? false
        request.checksRollback = command.rollback ?? config.rollback ?? false
        request.migrationFormat = command.source.migrationFormat ?? config.migrationFormat
        request.format = command.tool.options(config)
        (request.functions, request.collations) = command.stubs.stubs(config)
        try request.declare(command.replay.declarations, config)
        format = command.output.format ?? config.format ?? "human"
        reports = config.reports + command.output.reports
        engines = command.engine
        options.usesColor = Terminal.outputHasColor
        options.redacts = command.replay.redact ?? config.redact ?? Self.isCI
        options.isQuiet = command.output.quiet || !command.verbose && config.quiet ?? false
        options.isVerbose = command.verbose || !command.output.quiet && config.verbose ?? false
    }

    static var isCI: Bool {
        let value = ProcessInfo.processInfo.environment["CI"] ?? ""
        return !value.isEmpty && value != "false" && value != "0"
    }
}

extension VerifyRequest {
    /// Adds the declarations in drydock.yml and `--declare` for migrations that cannot be edited.
    mutating func declare(_ options: [DeclareOption], _ config: ConfigFile) throws {
        declarations = config.declarations
        findings = config.findings
        for option in options {
            switch Declaration.parse(
                option.text, place: .init(file: "--declare"), migration: option.migration)
            {
            case .success(let parsed): declarations[option.migration, default: []] += parsed
            case .failure(let fault):
                throw RequestError(
                    "--declare '\(option.text)': \(fault.finding.message). \(fault.finding.help)")
            }
        }
    }
}
