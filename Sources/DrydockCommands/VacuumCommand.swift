import ArgumentParser
import Drydock
import DrydockReport
import Foundation

struct VacuumCommand: DrydockSubcommand, TakesManyNames {
    static let help = CommandHelp(
        name: "vacuum",
        abstract: "Shrink a database, and prove that no row is lost.",
        usage: "[OPTIONS] DATABASE...",
        about: """
            Shrinks a database, and proves that every row is still there. A copy is made,
            checked, and compared with the database row by row under a lock; then its pages
            replace the old ones in one transaction. If it is killed, the database is either
            the old one or the new one. Programs may keep the file open.
            """,
        examples: """
            drydock vacuum app.sqlite --dry-run           what it would save and need
            drydock vacuum app.sqlite
            drydock vacuum app.sqlite --into small.sqlite
            drydock vacuum app.sqlite --incremental 1000
            drydock vacuum 'data/*.sqlite'                one after the other
            drydock vacuum --from fleet.json --shard 2/8 --report json=part-2.json
            """,
        common: """
            dry-run into incremental page-size analyze temporary-folder from shard resume jobs
            format report quiet
            """,
        exitStatus: """
            0  done
            2  not done, or not completed; the database is unchanged. Of several,
               the others are still vacuumed. Or the result could not be
               written, and the text says what is vacuumed
            130 interrupted; the database is unchanged
            64 bad usage
            """)

    @Argument(help: TargetOptions.databases, completion: .file())
    var databases: [String] = []
    static var names: WritableKeyPath<Self, [String]> { \.databases }

    @OptionGroup var lists: ListOptions

    @OptionGroup var targets: TargetOptions

    @Flag(name: .customLong("dry-run"), help: "Only say what would happen.")
    var dryRun = false

    @Option(
        help: ArgumentHelp("Leave the database unchanged, and write here.", valueName: "path"),
        completion: .file()
    )
    var into: String?

    @Option(
        help: ArgumentHelp(
            "Give back at most this many free pages; moves no rows, for auto_vacuum = incremental.",
            valueName: "pages"), transform: NumberOption.atLeastOne)
    var incremental: Int?

    @Option(
        name: .customLong("page-size"),
        help: ArgumentHelp("The new page size, in bytes.", valueName: "bytes"),
        transform: VacuumCommand.pageSize)
    var pageSize: Int?

    @Flag(help: "Then gather statistics for the query planner.")
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

    @Option(help: ReportFile.help, transform: VacuumCommand.reportFile)
    var report: [ReportFile] = []

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp("How many run at once.", default: "\(Self.usualJobs)", valueName: "count"),
        transform: NumberOption.atLeastOne)
    var jobs: Int?
    private static let usualJobs = 1

    @Flag(name: .shortAndLong, help: "Of several databases, only those not vacuumed.")
    var quiet = false

    private static func reportFile(_ argument: String) throws -> ReportFile {
        guard let file = ReportFile(argument: argument), !file.isFolder else {
            throw ReportFile.fault(of: argument, formats: ReportRenderers.all.names)
        }
        return file
    }

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
        if into == "" || databases.contains("") { throw ValidationError("the name of a file is empty") }
        if into != nil, targets.isOfMany {
            let option = targets.shard == nil ? "--resume" : "--shard"
            throw ValidationError("--into names one file, so it and \(option) exclude each other")
        }
        if into != nil, incremental != nil {
            throw ValidationError("--into and --incremental exclude each other")
        }
        if incremental != nil, pageSize != nil {
            throw ValidationError("--incremental moves no rows, so it cannot set a page size")
        }
    }

    func run() async throws {
        let single = VacuumOutput(
            isJSON: format == "json", reports: report, failure: FailureOutput(Self.self, format: format))
        let chosen: Targets
        do {
            single.failure.expects(report)
            chosen = try await self.chosen()
            let paths = chosen.list.paths
            if into != nil, paths.count > 1 {
                throw RequestError(
                    .settingInvalid, "--into names one file, and there are \(paths.count) databases")
            }
            try single.failure.writes(report) {
                for file in report {
                    guard let other = HealthReportFile(argument: "json=\(file.path)") else { continue }
                    try other.check(against: paths, [targets.resume, into].compactMap(\.self))
                }
            }
        } catch let error as RequestError {
            throw single.fail(error, databases.first ?? "")
        }
        guard targets.isOfMany || chosen.list.paths.count != 1 else {
            return try await vacuum(chosen.list.paths[0], single)
        }
        do { try await vacuum(chosen) } catch let error as RequestError {
            throw single.fail(error, databases.first ?? "")
        }
    }

    /// A single name that is missing is for the vacuum to report.
    private func chosen() async throws -> Targets {
        guard lists.isEmpty, databases.count == 1, !targets.isOfMany,
            !DatabaseNames.isPattern(databases[0]), !FolderListing.isFolder(databases[0])
        else { return try await targets.targets(databases, lists, on: engines.driver()) }
        var list = TargetList()
        list.add(databases)
        return Targets(list: list)
    }

    /// How a database is vacuumed, whichever it is.
    func request() -> VacuumRequest {
        var request = VacuumRequest(path: "")
        (request.isForecast, request.into, request.pageSize) = (dryRun, into, pageSize)
        (request.incrementalPages, request.analyzes) = (incremental, analyze)
        request.temporaryFolder = temporaryFolder
        return request
    }

    /// What results depend on besides their database.
    var digest: String { SettingsDigest.of(request(), version: DrydockCommand.versionOfResults) }

    // MARK: - One

    private func vacuum(_ path: String, _ output: VacuumOutput) async throws {
        var request = request()
        request.path = path
        let ready = request
        let task = Task {
            try await Vacuum(engine: engines.driver(), onEvent: { Self.show($0, "") }).run(ready)
        }
        // The vacuum rolls back what it writes; the process is not ended before that.
        let interruption = Interruption(lastWords: "", unless: { true }) { task.cancel() }
        defer { interruption.end() }
        let outcome = await task.result
        Self.clear()
        do {
            try output.write(outcome.get())
        } catch is CancellationError {
            throw output.interrupt(path)
        } catch let error as RequestError {
            throw output.fail(error, path)
        }
    }

    // MARK: - Several

    private func vacuum(_ chosen: Targets) async throws {
        let kept = try chosen.kept(settings: digest)
        let paths = chosen.paths
        let options = RenderOptions(usesColor: Terminal.outputHasColor, isQuiet: quiet)
        let isHuman = format == "human"
        // Where there are many, the report says where something was not done, and where most was won.
        let printsLines = isHuman && !quiet && paths.count <= FleetVacuumText.lineLimit
        let places = Dictionary(
            paths.enumerated().map { ($1, "\($0 + 1)/\(paths.count)  \($1)  ") },
            uniquingKeysWith: { first, _ in first })
        let (complaints, vacuumed) = (Counter(), Counter())
        let vacuum = FleetVacuum(engine: engines.driver()) { path, event in
            Self.show(event, places[path] ?? "")
        } onDone: { database in
            Self.clear()
            if !dryRun, database.vacuum != nil {
                Terminal.note(done: WorkDone.text(vacuumed.next(), of: paths.count, "vacuumed"))
            }
            if printsLines {
                Terminal.show(FleetVacuumText(options: options).line(database))
            } else if !isHuman, let trouble = database.trouble {
                guard complaints.next() <= Self.complaintLimit else { return }
                Terminal.complain(trouble.description, help: trouble.quote)
            }
        }
        let (ready, count) = (request(), jobs ?? Self.usualJobs)
        let task = Task { await vacuum.run(paths, as: ready, jobs: count, kept: kept) }
        let interruption = Interruption(lastWords: "", unless: { true }) { task.cancel() }
        defer { interruption.end() }
        var made = await task.value
        guard let summary = made.vacuums else { return }
        if !summary.isInterrupted { made.part = kept.flatMap { chosen.part($0, settings: digest) } }
        try ReportFile.write(after: made.workDone) {
            if !summary.isInterrupted { try report.write(made, RenderOptions(isQuiet: quiet)) }
        } thenPrint: {
            if printsLines {
                Terminal.show(
                    FleetVacuumText(options: options).ending(summary, seconds: made.seconds)
                        + made.shardLine(options))
            } else if isHuman {
                Terminal.show(HumanRenderer().render(made, options))
            } else {
                Terminal.write(JSONRenderer().render(made, RenderOptions()))
            }
        }
        if summary.isInterrupted {
            Terminal.writeError(
                "drydock: interrupted; every database is either unchanged or vacuumed. The same command continues\n"
            )
            throw ExitCode(130)
        }
        if let fault = kept?.fault { throw fault.adding(made.workDone) }
        if summary.hasTrouble { throw ExitCode(2) }
    }

    /// How many failures are said on standard error, where the report goes elsewhere.
    private static let complaintLimit = 20

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

    @Sendable private static func clear() {
        if Terminal.errorIsTerminal { Terminal.progress("") }
    }
}

/// What the command prints and writes of one database.
private struct VacuumOutput {
    let isJSON: Bool
    let reports: [ReportFile]
    let failure: FailureOutput

    func write(_ report: Report) throws {
        try ReportFile.write(after: report.workDone) {
            try reports.write(report, RenderOptions())
        } thenPrint: {
            if isJSON {
                Terminal.write(JSONRenderer().render(report, RenderOptions()))
            } else {
                Terminal.show(
                    HumanRenderer().render(report, RenderOptions(usesColor: Terminal.outputHasColor)))
            }
        }
    }

    /// Says why it was not done.
    /// - Returns: the exit status.
    func fail(_ error: RequestError, _ path: String) -> ExitCode {
        say(FailedVacuum.json(error.description, error, of: path), error)
        Terminal.complain(error.description, help: error.quote)
        return ExitCode(2)
    }

    func interrupt(_ path: String) -> ExitCode {
        let text = FleetVacuum.interrupted
        say(FailedVacuum.json(text, of: path), RequestError(.other, text))
        Terminal.writeError("drydock: \(text)\n")
        return ExitCode(130)
    }

    /// - Parameter json: the document of the failure.
    private func say(_ json: String, _ error: RequestError) {
        if isJSON, !Terminal.hasOutput { Terminal.write(json) }
        failure.write(error) { $0.format == JSONRenderer().name ? json : nil }
    }
}
