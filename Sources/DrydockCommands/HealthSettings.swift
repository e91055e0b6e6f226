import ArgumentParser
import Drydock
import DrydockReport
import Foundation

/// The settings of a health check: the command line first, then drydock.yml, then the defaults.
struct HealthSettings: Sendable {
    var request = HealthRequest()
    var options = RenderOptions()
    let format: OutputFormat
    var reports: [HealthReportFile]
    private var targets: Targets?
    private var settingsDigest = ""
    /// The path of drydock.yml.
    private let source: String?

    /// The path beside drydock.yml or in the working folder.
    static let defaultBaseline = "drydock-health.json"

    init(_ command: HealthCommand, _ config: ConfigFile) throws {
        source = config.source
        request.databases = command.databases
        request.isDeep = command.deep
        request.budget = (command.budget ?? config.health.budget)?.duration
        request.slice = (command.slice ?? config.health.slice)?.duration ?? request.slice
        request.jobs = command.jobs ?? config[Setting.jobs] ?? ProcessInfo.processInfo.activeProcessorCount
        request.only = Set(command.only)
        request.without = Set(command.without + config.health.without)
        request.thresholds = config.health.thresholds
        if let fault = command.usageFault { throw RequestError(.settingInvalid, fault) }
        let named = command.namedFigures
        for option in command.warning {
            let check = try option.check(among: named)
            request.thresholds[check, default: HealthThreshold()].warning = option.range
        }
        for option in command.critical {
            let check = try option.check(among: named)
            request.thresholds[check, default: HealthThreshold()].critical = option.range
        }
        request.baseline = command.baseline ?? config.health.baseline ?? config.path(Self.defaultBaseline)
        request.progress = command.progress
        request.accepts = command.accept
        (request.functions, request.collations) = command.stubs.stubs(config)
        format = OutputFormat(command.format)
        let files = command.report.compactMap(\.plain)
        reports = command.report + format.files(besides: files).map(HealthReportFile.init)
        options = .forOutput(
            isQuiet: command.quiet || !command.verbose && config[Setting.quiet] ?? false,
            isVerbose: command.verbose || !command.quiet && config[Setting.verbose] ?? false)
        for file in reports { try file.check(against: request.databases, filesInUse) }
    }

    /// What the command itself reads and writes.
    private var filesInUse: [String] { [request.baseline, request.progress, source].compactMap(\.self) }

    /// What results depend on besides their database.
    var digest: String { SettingsDigest.of(request, version: DrydockCommand.versionOfResults) }

    /// Refuses a report that would overwrite one of these databases.
    /// - Throws: ``RequestError``.
    func check(_ targets: Targets) throws {
        for file in reports { try file.check(against: targets.paths, filesInUse) }
    }

    /// Checks these databases, and goes on from the results of an earlier run.
    /// - Throws: ``RequestError``.
    mutating func choose(_ targets: Targets) throws {
        let digest = digest
        request.listed = targets.paths
        request.kept = try targets.kept(settings: digest)
        self.targets = targets
        settingsDigest = digest
    }

    /// What the merge of the shards needs of this run; nil for a run of the whole.
    var part: ReportPart? { request.kept.flatMap { targets?.part($0, settings: settingsDigest) } }

    /// - Throws: ``RequestError`` if a file cannot be written.
    func write(_ report: Report) throws {
        try ReportFile.write {
            try reports.write(report, options)
        } thenPrint: {
            try format.write(report, options, among: ReportRenderers.ofHealth)
        }
    }
}

extension [HealthReportFile] {
    /// Writes each file, also those after one that fails.
    /// - Throws: ``RequestError`` of the first that fails.
    func write(_ report: Report, _ options: RenderOptions) throws {
        let options = options.forFile
        try ReportFile.writeEach(self) { file in
            guard let renderer = ReportRenderers.ofHealth.named(file.format) else { return }
            try file.write(renderer.render(report, options))
        }
    }
}

/// A health report to be written to a file: `FORMAT=PATH`.
struct HealthReportFile: ExpressibleByArgument, Equatable {
    var format: String
    var path: String

    init?(argument: String) {
        guard let (format, path) = argument.splitOnce("="), !path.isEmpty,
            ReportRenderers.ofHealth.named(format) != nil
        else { return nil }
        (self.format, self.path) = (format, path)
    }

    init(_ file: ReportFile) { (format, path) = (file.format, file.path) }

    /// - Throws: `ValidationError` that names the formats.
    static func parsed(_ argument: String) throws -> HealthReportFile {
        guard let file = HealthReportFile(argument: argument) else {
            throw ReportFile.fault(of: argument, formats: ReportRenderers.ofHealth.names)
        }
        return file
    }

    /// Refuses the path of a database, of a file that belongs to one, and of a file that the command reads or writes.
    /// - Throws: ``RequestError``.
    func check(against databases: [String], _ own: [String]) throws {
        let target = FolderListing.realPath(path)
        let families = databases.map { SnapshotFile.family(of: FolderListing.realPath($0)) }
        if families.contains(where: { $0.contains(target) })
            || own.map(FolderListing.realPath).contains(target)
        {
            throw RequestError(.settingInvalid, "the report would overwrite '\(path)'; give it another path")
        }
        try checkIsWritable()
    }

    /// Refuses a path that cannot be written, before the work is done.
    /// - Throws: ``RequestError``.
    func checkIsWritable() throws { try file?.checkIsWritable() }

    /// Replaces the file atomically, so that nobody reads half of it.
    /// - Throws: ``RequestError``.
    func write(_ text: String) throws {
        try file?.write(text)
    }

    /// The file, whatever its format is.
    private var file: ReportFile? { ReportFile(argument: "json=\(path)") }

    /// The same as a file of another command; nil in a format that only health has.
    var plain: ReportFile? { ReportFile(argument: "\(format)=\(path)") }
}

/// The option `CHECK=RANGE`, or only a range.
struct RangeOption: ExpressibleByArgument {
    private(set) var check: String?
    var range: AlertRange

    init?(argument: String) {
        guard let (check, text) = argument.splitOnce("=") else {
            guard let range = AlertRange(argument) else { return nil }
            self.range = range
            return
        }
        guard let range = AlertRange(text) else { return nil }
        (self.check, self.range) = (check, range)
    }

    /// - Parameter named: the checks with a figure that `--only` names.
    /// - Throws: ``RequestError`` if a range without a check could be meant for several.
    func check(among named: [String]) throws(RequestError) -> String {
        if let check { return check }
        guard let only = named.first, named.count == 1 else {
            throw RequestError(
                .settingInvalid,
                "the range '\(range.text)' does not name a check; write CHECK=\(range.text), or name one check of a figure with --only"
            )
        }
        return only
    }
}

/// The settings of health checks in drydock.yml, under `health:`.
struct HealthConfig {
    var budget: TimeLimit?
    var slice: TimeLimit?
    var baseline: String?
    var without: [String] = []
    var thresholds: [String: HealthThreshold] = [:]
}
