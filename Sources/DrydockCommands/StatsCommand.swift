import ArgumentParser
import Drydock
import DrydockReport
import Foundation

struct StatsCommand: DrydockSubcommand, TakesManyNames {
    static let help = CommandHelp(
        name: "stats",
        abstract: "Show how databases use their files.",
        usage: "[OPTIONS] DATABASE...",
        about: """
            Shows how a database uses its file: tables and indexes by size, free space, and
            what VACUUM would give back. The database may be in use: a consistent state is
            read, and nothing is written. The figures are those of sqlite3_analyzer.

            For several it shows sums, percentiles, and where VACUUM gives back most.
            """,
        examples: """
            drydock stats app.sqlite
            drydock stats app.sqlite --compare yesterday.sqlite    what grew
            drydock stats app.sqlite --format html > stats.html    a map of every page
            drydock stats app.sqlite --format json | jq '.objects[].spaceUsed'
            drydock stats 'data/*.sqlite'                          all of them together
            drydock stats --from fleet.json --shard 2/8 --report json=part-2.json
            """,
        common: "compare from shard resume jobs format report quiet",
        note: """
            In the table, free is the unused part of an object's pages, and jumps are the
            leaves to which a scan in key order has to seek.
            """,
        exitStatus: """
            0  shown
            2  a database is missing or cannot be read; the others are shown
            64 bad usage
            130 interrupted
            """)

    @Argument(help: TargetOptions.databases, completion: .file())
    var databases: [String] = []
    static var names: WritableKeyPath<Self, [String]> { \.databases }

    @OptionGroup var lists: ListOptions

    @OptionGroup var targets: TargetOptions

    @Option(
        help: ArgumentHelp("Show what grew since this one.", valueName: "other"), completion: .file())
    var compare: String?

    @OptionGroup var engines: EngineOptions

    static let formats = ["human", "json", "html"]

    @Option(
        help: ArgumentHelp("human, json or html; html is a page with a map.", valueName: "format"),
        completion: .list(formats))
    var format = "human"

    @Option(help: ReportFile.help, transform: StatsCommand.reportFile)
    var report: [HealthReportFile] = []

    @Option(
        name: Setting.jobs.name("j", allowingJoined: true), help: Setting.jobs.help,
        transform: NumberOption.atLeastOne)
    var jobs: Int?

    @Flag(name: .shortAndLong, help: "Of several databases, only those not read.")
    var quiet = false

    private static func reportFile(_ argument: String) throws -> HealthReportFile {
        guard let file = HealthReportFile(argument: argument), formats.contains(file.format) else {
            throw ReportFile.fault(of: argument, formats: formats)
        }
        return file
    }

    func validate() throws {
        if databases.isEmpty, lists.isEmpty { throw ValidationError(ListOptions.noDatabase) }
        guard Self.formats.contains(format) else {
            throw ValidationError(
                "there is no format '\(format)'; choose one of: \(Self.formats.joined(separator: ", "))")
        }
        if hasPage, compare != nil {
            throw ValidationError("--compare is shown as human or json, not as html")
        }
        if databases.count > 1 || targets.isOfMany, compare != nil { throw ValidationError(Self.oneOnly) }
    }

    private var hasPage: Bool { ([format] + report.map(\.format)).contains("html") }

    private static let oneOnly = "--compare takes one database; run one command for each"

    func run() async throws {
        let failure = FailureOutput(Self.self, format: format)
        try await failure.run {
            let files = report.compactMap(\.plain)
            failure.expects(files)
            let chosen = try await targets.targets(databases, lists, on: engines.driver())
            let paths = chosen.list.paths
            try failure.writes(files) {
                for file in report {
                    try file.check(against: paths, [compare, targets.resume].compactMap(\.self))
                }
            }
            if paths.count == 1, !targets.isOfMany { return try await show(paths[0]) }
            if compare != nil { throw RequestError(.settingInvalid, Self.oneOnly) }
            try await show(chosen)
        }
    }

    /// Prints what a format makes of the statistics, and writes the files.
    /// - Parameter printJSON: prints JSON as it goes; nil to print the text.
    private func write(
        printJSON: (() -> Void)? = nil, _ text: (String, RenderOptions) -> String
    ) throws {
        try ReportFile.write {
            try ReportFile.writeEach(report) {
                try $0.write(text($0.format, RenderOptions(isQuiet: quiet)))
            }
        } thenPrint: {
            if format == "json", let printJSON { return printJSON() }
            let output = text(format, RenderOptions(usesColor: Terminal.outputHasColor, isQuiet: quiet))
            if format == "human" { Terminal.show(output) } else { Terminal.write(output) }
        }
    }

    private func show(_ path: String) async throws {
        let reader = StatisticsReader(engine: engines.driver())
        let statistics = try await reader.statistics(of: path, mapsPages: hasPage)
        let old: DatabaseStatistics? =
            if let compare { try await reader.statistics(of: compare) } else { nil }
        func printJSON() { StatisticsJSON.write(statistics, since: old) { Terminal.write($0) } }
        try write(printJSON: printJSON) { format, options in
            switch format {
            case "json": StatisticsJSON.render(statistics, since: old)
            case "html": StatisticsHTML.render(statistics)
            default:
                old.map { StatisticsRenderer.render(statistics, since: $0, options) }
                    ?? StatisticsRenderer.render(statistics, options)
            }
        }
    }

    private func show(_ chosen: Targets) async throws {
        let kept = try chosen.kept(settings: Self.digest)
        let showsStatus = Terminal.errorIsTerminal && !quiet
        let reader = StatisticsReader(engine: engines.driver())
        let task = Task {
            try await reader.statistics(
                of: chosen.paths, jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, kept: kept
            ) { path, number in
                if showsStatus { Terminal.progress("\(number)/\(chosen.paths.count)  \(path)") }
            }
        }
        let interruption = Interruption(lastWords: Self.interrupted) { task.cancel() }
        defer { interruption.end() }
        let outcome = await task.result
        if showsStatus { Terminal.progress("") }
        do {
            let statistics = try outcome.get()
            let part = kept.flatMap { chosen.part($0, settings: Self.digest) }
            try write { Self.text(statistics, part, $0, $1) }
            if statistics.hasTrouble { throw ExitCode(2) }
        } catch is CancellationError {
            Terminal.writeError(Self.interrupted)
            throw ExitCode(130)
        }
    }

    /// What results depend on besides their database.
    static var digest: String { SettingsDigest.ofStatistics(version: DrydockCommand.versionOfResults) }

    /// Returns the statistics of several databases in a format.
    static func text(
        _ statistics: FleetStatistics, _ part: ReportPart?, _ format: String, _ options: RenderOptions
    ) -> String {
        switch format {
        case "json": StatisticsJSON.render(statistics, part: part)
        case "html": StatisticsHTML.render(statistics)
        default: StatisticsRenderer.render(statistics, part: part, options)
        }
    }

    private static let interrupted = "drydock: interrupted; nothing was written\n"
}
