import ArgumentParser
import Drydock
import DrydockReport

struct VacuumCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "vacuum",
        abstract: "Shrink a database, and prove that no row is lost.",
        usage: "[OPTIONS] DATABASE",
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
            """,
        options: """
                --dry-run                  only say what would happen
                --into PATH                leave the database as it is, and write here
                --incremental PAGES        give back at most so many free pages
                --page-size BYTES          the new page size
                --analyze                  then gather statistics for the query planner
                --temporary-folder FOLDER  where the copy is made, if not beside it
                --format F                 human or json     (default: human)
            """,
        exitStatus: """
            0  done
            2  not done, or not to the end; the database holds what it held
            130 interrupted; the database holds what it held
            64 bad usage
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

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
        if into == "" || database == "" { throw ValidationError("a file has a name") }
        if into != nil, incremental != nil {
            throw ValidationError("--into and --incremental exclude each other")
        }
        if incremental != nil, pageSize != nil {
            throw ValidationError("--incremental moves no rows, so it cannot set a page size")
        }
    }

    func run() async throws {
        var request = VacuumRequest(path: database)
        // A pattern that matches none or several databases is reported below, as JSON if requested.
        if let path = try? DatabaseNames.one(database) { request.path = path }
        (request.isForecast, request.into, request.pageSize) = (dryRun, into, pageSize)
        (request.incrementalPages, request.analyzes) = (incremental, analyze)
        request.temporaryFolder = temporaryFolder
        do {
            let ready = request
            let task = Task { try await Vacuum(engine: engines.driver(), onEvent: Self.show).run(ready) }
            // The vacuum rolls back what it writes; the process is not ended before that.
            let interruption = Interruption(lastWords: "", unless: { true }) { task.cancel() }
            defer { interruption.end() }
            let report = try await task.value
            Self.clear()
            if format == "json" {
                Terminal.write(JSONRenderer().render(report, RenderOptions()))
            } else {
                Terminal.show(
                    HumanRenderer().render(report, RenderOptions(usesColor: Terminal.outputHasColor)))
            }
        } catch is CancellationError {
            Self.clear()
            showFailure("interrupted; the database holds what it held")
            Terminal.writeError("drydock: interrupted; the database holds what it held\n")
            throw ExitCode(130)
        } catch let error as RequestError {
            Self.clear()
            showFailure(error.description, error)
            Terminal.complain(error.description, help: error.quote)
            throw ExitCode(2)
        }
    }

    /// Writes the failure as JSON if that is the format, which is always written.
    private func showFailure(_ message: String, _ error: RequestError? = nil) {
        guard format == "json" else { return }
        Terminal.write(FailedVacuum.json(message, error, of: database))
    }

    @Sendable private static func show(_ event: VacuumEvent) {
        guard Terminal.errorIsTerminal else { return }
        let text =
            switch event {
            case .copying: "copying"
            case .verifying(let table): "comparing \(table)"
            case .installing(let done, let total): "installing \(done * 100 / max(1, total)) %"
            }
        Terminal.progress(text)
    }

    private static func clear() {
        if Terminal.errorIsTerminal { Terminal.progress("") }
    }
}
