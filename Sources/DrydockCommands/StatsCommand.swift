import ArgumentParser
import Drydock
import DrydockReport

struct StatsCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "stats",
        abstract: "Show how a database uses its file.",
        usage: "[OPTIONS] DATABASE",
        about: """
            Shows how a database uses its file: tables and indexes by size, free space, and
            what VACUUM would give back. The database may be in use: it is read as it is at
            one moment, and nothing is written. The figures are those of sqlite3_analyzer.
            """,
        examples: """
            drydock stats app.sqlite
            drydock stats app.sqlite --compare yesterday.sqlite    what grew
            drydock stats app.sqlite --format html > stats.html    a map of every page
            drydock stats app.sqlite --format json | jq '.objects[].spaceUsed'
            """,
        options: """
                --compare OTHER        show what grew since this one
                --format F             human, json or html   (default: human)

            In the table, free is the part of an object's pages that holds nothing, and
            jumps are the leaves that a scan in the order of the key has to seek.
            """,
        exitStatus: """
            0  shown
            2  the database is missing or cannot be read
            64 bad usage
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Option(
        help: ArgumentHelp("Show what grew since this one.", valueName: "other"), completion: .file())
    var compare: String?

    @OptionGroup var engines: EngineOptions

    private static let formats = ["human", "json", "html"]

    @Option(
        help: ArgumentHelp("human, json or html, which is a page with a map.", valueName: "format"),
        completion: .list(formats))
    var format = "human"

    func validate() throws {
        guard Self.formats.contains(format) else {
            throw ValidationError(
                "there is no format '\(format)'; choose one of: \(Self.formats.joined(separator: ", "))")
        }
        if format == "html", compare != nil {
            throw ValidationError("--compare is shown as human or json, not as html")
        }
    }

    func run() async throws {
        try await FailureOutput(Self.self, format: format).run {
            let reader = StatisticsReader(engine: engines.driver())
            let statistics = try await reader.statistics(
                of: DatabaseNames.one(database), mapsPages: format == "html")
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
    }
}
