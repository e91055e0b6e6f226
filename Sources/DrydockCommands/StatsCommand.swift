import ArgumentParser
import Drydock
import DrydockReport
import Foundation

struct StatsCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "stats",
        abstract: "Show how databases use their files.",
        usage: "[OPTIONS] DATABASE...",
        about: """
            Shows how a database uses its file: tables and indexes by size, free space, and
            what VACUUM would give back. The database may be in use: it is read as it is at
            one moment, and nothing is written. The figures are those of sqlite3_analyzer.

            Of several it shows sums, percentiles, and where VACUUM gives back most.
            """,
        examples: """
            drydock stats app.sqlite
            drydock stats app.sqlite --compare yesterday.sqlite    what grew
            drydock stats app.sqlite --format html > stats.html    a map of every page
            drydock stats app.sqlite --format json | jq '.objects[].spaceUsed'
            drydock stats 'data/*.sqlite'                          all of them together
            """,
        options: """
                --compare OTHER        show what grew since this one
            -j, --jobs COUNT           how many at once      (default: one per core)
                --format F             human, json or html   (default: human)
            -q, --quiet                of several, only what could not be read

            In the table, free is the part of an object's pages that holds nothing, and
            jumps are the leaves that a scan in the order of the key has to seek.
            """,
        exitStatus: """
            0  shown
            2  a database is missing or cannot be read; the others are shown
            64 bad usage
            130 interrupted
            """)

    @Argument(
        help: ArgumentHelp(
            "Databases; in quotes, patterns such as 'data/*.sqlite'.", valueName: "database"),
        completion: .file())
    var databases: [String] = []

    @OptionGroup var lists: ListOptions

    @Option(
        help: ArgumentHelp("Show what grew since this one.", valueName: "other"), completion: .file())
    var compare: String?

    @OptionGroup var engines: EngineOptions

    private static let formats = ["human", "json", "html"]

    @Option(
        help: ArgumentHelp("human, json or html, which is a page with a map.", valueName: "format"),
        completion: .list(formats))
    var format = "human"

    @Option(
        name: Setting.jobs.name("j", allowingJoined: true), help: Setting.jobs.help,
        transform: NumberOption.atLeastOne)
    var jobs: Int?

    @Flag(name: .shortAndLong, help: "Of several databases, show only those that could not be read.")
    var quiet = false

    func validate() throws {
        if databases.isEmpty, lists.isEmpty { throw ValidationError(ListOptions.noDatabase) }
        guard Self.formats.contains(format) else {
            throw ValidationError(
                "there is no format '\(format)'; choose one of: \(Self.formats.joined(separator: ", "))")
        }
        if format == "html", compare != nil {
            throw ValidationError("--compare is shown as human or json, not as html")
        }
        if databases.count > 1, compare != nil || format == "html" { throw ValidationError(oneOnly) }
    }

    private var oneOnly: String {
        "\(compare == nil ? "--format html" : "--compare") takes one database; run one command for each"
    }

    func run() async throws {
        try await FailureOutput(Self.self, format: format).run {
            let paths = try await lists.list(databases, on: engines.driver()).paths
            if paths.count == 1, let path = paths.first { return try await show(path) }
            if compare != nil || format == "html" { throw RequestError(.settingInvalid, oneOnly) }
            try await show(paths)
        }
    }

    private func show(_ path: String) async throws {
        let reader = StatisticsReader(engine: engines.driver())
        let statistics = try await reader.statistics(of: path, mapsPages: format == "html")
        var old: DatabaseStatistics?
        if let compare { old = try await reader.statistics(of: compare) }
        let options = RenderOptions(usesColor: Terminal.outputHasColor)
        if format == "json" {
            Terminal.write(StatisticsJSON.render(statistics, since: old))
        } else if format == "html" {
            Terminal.write(StatisticsHTML.render(statistics))
        } else if let old {
            Terminal.show(StatisticsRenderer.render(statistics, since: old, options))
        } else {
            Terminal.show(StatisticsRenderer.render(statistics, options))
        }
    }

    private func show(_ paths: [String]) async throws {
        let showsStatus = Terminal.errorIsTerminal && !quiet
        let reader = StatisticsReader(engine: engines.driver())
        let task = Task {
            try await reader.statistics(
                of: paths, jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount
            ) { path, number in
                if showsStatus { Terminal.progress("\(number)/\(paths.count)  \(path)") }
            }
        }
        let interruption = Interruption(lastWords: Self.interrupted) { task.cancel() }
        defer { interruption.end() }
        let outcome = await task.result
        if showsStatus { Terminal.progress("") }
        do {
            let statistics = try outcome.get()
            if format == "json" {
                Terminal.write(StatisticsJSON.render(statistics))
            } else {
                Terminal.show(
                    StatisticsRenderer.render(
                        statistics, RenderOptions(usesColor: Terminal.outputHasColor, isQuiet: quiet)))
            }
            if statistics.hasTrouble { throw ExitCode(2) }
        } catch is CancellationError {
            Terminal.writeError(Self.interrupted)
            throw ExitCode(130)
        }
    }

    private static let interrupted = "drydock: interrupted; nothing was written\n"
}
