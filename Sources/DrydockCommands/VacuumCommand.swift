import ArgumentParser
import Drydock
import DrydockReport

struct VacuumCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "vacuum",
        abstract: "Shrink a database, and prove that no row is lost.",
        usage: "[OPTIONS] DATABASE...",
        about: """
            Shrinks a database, and proves that every row is still there. A copy is made,
            checked, and compared with the database row by row under a lock; then its pages
            replace the old ones in one transaction. Killed at any moment, the database is
            the old one or the new one. Programs may keep the file open.
            """,
        examples: """
            drydock vacuum app.sqlite --dry-run           what it gives, and the disk
            drydock vacuum app.sqlite
            drydock vacuum app.sqlite --into small.sqlite
            drydock vacuum app.sqlite --incremental 1000
            drydock vacuum 'data/*.sqlite'                one after the other
            """,
        options: """
                --dry-run                  only say what would happen
                --into PATH                leave the database as it is, and write here
                --incremental PAGES        give back at most so many free pages
                --page-size BYTES          the new page size
                --analyze                  then gather statistics for the query planner
                --from FILE                a list of databases; - is standard input
                --temporary-folder FOLDER  where the copy is made, if not beside it
                --format F                 human or json     (default: human)
            """,
        exitStatus: """
            0  done
            2  not done, or not to the end; the database holds what it held. Of several,
               the others are vacuumed all the same
            130 interrupted; the database holds what it held
            64 bad usage
            """)

    @Argument(
        help: ArgumentHelp(
            "Databases; in quotes, patterns such as 'data/*.sqlite'.", valueName: "database"),
        completion: .file())
    var databases: [String] = []

    @OptionGroup var lists: ListOptions

    @Flag(name: .customLong("dry-run"), help: "Only say what would happen.")
    var dryRun = false

    @Option(
        help: ArgumentHelp("Leave the database as it is and write here.", valueName: "path"),
        completion: .file()
    )
    var into: String?

    @Option(
        help: ArgumentHelp(
            "Give back at most so many free pages, moving no rows; for auto_vacuum = incremental.",
            valueName: "pages"), transform: NumberOption.atLeastOne)
    var incremental: Int?

    @Option(
        name: .customLong("page-size"),
        help: ArgumentHelp("The new page size, in bytes.", valueName: "bytes"),
        transform: VacuumCommand.pageSize)
    var pageSize: Int?

    @Flag(help: "Gather statistics for the query planner afterwards.")
    var analyze = false

    @Option(
        name: .customLong("temporary-folder"),
        help: ArgumentHelp("Where the copy is made, if not beside the database.", valueName: "folder"),
        completion: .directory)
    var temporaryFolder: String?

    @OptionGroup var engines: EngineOptions

    @Option(
        help: ArgumentHelp("human or json.", valueName: "format"),
        completion: .list(["human", "json"]))
    var format = "human"

    private static func pageSize(_ argument: String) throws -> Int {
        let size = try NumberOption.reader(512...65536, "a power of two from 512 to 65536")(argument)
        guard size & (size - 1) == 0 else {
            throw ValidationError("'\(argument)' is not a power of two from 512 to 65536")
        }
        return size
    }

    func validate() throws {
        guard ["human", "json"].contains(format) else {
            throw ValidationError("there is no format '\(format)'; choose one of: human, json")
        }
        if databases.isEmpty, lists.isEmpty { throw ValidationError(ListOptions.noDatabase) }
        if into == "" || databases.contains("") { throw ValidationError("a file has a name") }
        if into != nil, incremental != nil {
            throw ValidationError("--into and --incremental exclude each other")
        }
        if incremental != nil, pageSize != nil {
            throw ValidationError("--incremental moves no rows, so it cannot set a page size")
        }
    }

    func run() async throws {
        var output = VacuumOutput(isJSON: format == "json")
        defer { output.end() }
        let paths: [String]
        do {
            paths = try await chosen()
            if into != nil, paths.count > 1 {
                throw RequestError(
                    .settingInvalid, "--into names one file, and there are \(paths.count) databases")
            }
        } catch let error as RequestError {
            output.fail(error, databases.first ?? "")
            throw ExitCode(2)
        }
        for (index, path) in paths.enumerated() {
            do {
                output.add(
                    try await vacuum(path, paths.count > 1 ? "\(index + 1)/\(paths.count)  \(path)  " : ""))
            } catch is CancellationError {
                output.interrupt(path)
                throw ExitCode(130)
            } catch let error as RequestError {
                output.fail(error, path)
            }
        }
        if output.hasFailed { throw ExitCode(2) }
    }

    /// A single name that is missing, or a folder, is for the vacuum to report.
    private func chosen() async throws -> [String] {
        if lists.isEmpty, databases.count == 1, !DatabaseNames.isPattern(databases[0]) { return databases }
        return try await lists.list(databases, on: engines.driver()).paths
    }

    private func vacuum(_ path: String, _ place: String) async throws -> Report {
        var request = VacuumRequest(path: path)
        (request.isForecast, request.into, request.pageSize) = (dryRun, into, pageSize)
        (request.incrementalPages, request.analyzes) = (incremental, analyze)
        request.temporaryFolder = temporaryFolder
        let ready = request
        let task = Task {
            try await Vacuum(engine: engines.driver(), onEvent: { Self.show($0, place) }).run(ready)
        }
        // The vacuum rolls back what it writes; the process is not ended before that.
        let interruption = Interruption(lastWords: "", unless: { true }) { task.cancel() }
        defer { interruption.end() }
        defer { Self.clear() }
        return try await task.value
    }

    @Sendable private static func show(_ event: VacuumEvent, _ place: String) {
        guard Terminal.errorIsTerminal else { return }
        let text =
            switch event {
            case .copying: "copying"
            case .verifying(let table): "comparing \(table)"
            case .installing(let done, let total): "installing \(done * 100 / max(1, total)) %"
            }
        Terminal.progress(place + text)
    }

    private static func clear() {
        if Terminal.errorIsTerminal { Terminal.progress("") }
    }
}

/// What the command prints: text as it comes, or one JSON document of all databases in the end.
private struct VacuumOutput {
    let isJSON: Bool
    private(set) var hasFailed = false
    private var documents: [String] = []

    init(isJSON: Bool) { self.isJSON = isJSON }

    mutating func add(_ report: Report) {
        if isJSON {
            documents.append(JSONRenderer().render(report, RenderOptions()))
        } else {
            Terminal.show(HumanRenderer().render(report, RenderOptions(usesColor: Terminal.outputHasColor)))
        }
    }

    mutating func fail(_ error: RequestError, _ path: String) {
        hasFailed = true
        if isJSON { documents.append(FailedVacuum.json(error.description, error, of: path)) }
        Terminal.complain(error.description, help: error.quote)
    }

    mutating func interrupt(_ path: String) {
        hasFailed = true
        let text = "interrupted; the database holds what it held"
        if isJSON { documents.append(FailedVacuum.json(text, of: path)) }
        Terminal.writeError("drydock: \(text)\n")
    }

    func end() {
        guard let first = documents.first else { return }
        Terminal.write(documents.count == 1 ? first : SeveralVacuums.json(documents, hasFailed: hasFailed))
    }
}
