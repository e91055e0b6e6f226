import ArgumentParser
import Drydock
import DrydockReport
import Foundation
import SQLiteSchema

struct SnapshotTakeCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "snapshot take",
        abstract: "Write some rows of a database, with all rows that they refer to.",
        usage: "[OPTIONS] DATABASE -o FILE",
        about: """
            Reads a consistent state of a database, which programs may be writing, and
            writes some rows of each table to a new file: with all rows that they refer
            to, with values that break migrations, and with masks that keep joins,
            constraints and formats. Nothing is written to the database or beside it.
            """,
        examples: """
            drydock snapshot take app.sqlite -o Snapshots/v7.sqlite --percent 1
            drydock snapshot take app.sqlite -o v7.sqlite --mask person.email,person.name
            drydock snapshot take app.sqlite -o v7.sqlite --mask-auto
            drydock snapshot take app.sqlite -o v7.sqlite --where 'email=account_id = 7'
            """,
        common: """
            output rows percent whole where children seed only-valid mask mask-auto unmasked
            strict-mask mask-key-file lock format
            """,
        details: """
            A mask is computed from the value and a secret: the same value gets the same
            mask in each table and each run with the same secret. Without one a random
            secret is used once. TABLE.* is every column; :ordered after a column keeps the
            order of its numbers.
            """,
        exitStatus: """
            0  written
            1  not written: --strict-mask finds a column neither masked nor allowed
            2  not written: FILE exists, or DATABASE cannot be read
            64 bad usage
            130 interrupted; nothing was written
            """)

    static let configuration = CommandConfiguration(
        commandName: "take", abstract: help.abstract, discussion: help.discussion)

    @Argument(
        help: ArgumentHelp("The database; programs may be writing it.", valueName: "database"),
        completion: .file())
    var database: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to create; it must not exist.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp(
            "How many rows of each table.", default: "\(SubsetRequest.standardRows)", valueName: "count"),
        transform: NumberOption.atLeastOne)
    var rows: Int?

    @Option(
        help: ArgumentHelp(
            "The percentage of rows, such as 1 or 0.5; of each table.", valueName: "share"),
        transform: Self.share)
    var percent: Double?

    @Option(
        help: ArgumentHelp(
            "Tables of up to this many rows are taken whole.",
            default: "\(SubsetRequest(database: "", output: "").wholeLimit)",
            valueName: "count"),
        transform: NumberOption.reader(0..., "a number of at least 0"))
    var whole: Int?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only rows of the table for which this is true; may be repeated.",
            valueName: "table=condition"), transform: Self.condition)
    var conditions: [Condition] = []

    @Option(
        help: ArgumentHelp(
            "Also this table's rows that refer to chosen ones; may be repeated.", valueName: "table"))
    var children: [String] = []

    @Option(
        help: ArgumentHelp(
            "The same seed chooses the same rows.", default: "\(SnapshotOutput.seed)", valueName: "number"),
        transform: NumberOption.atLeastOne)
    var seed = SnapshotOutput.seed

    @Flag(
        name: .customLong("only-valid"),
        help: "Leave out rows that break a constraint; including foreign keys.")
    var onlyValid = false

    @Option(name: Setting.mask.name, help: Setting.mask.help)
    var mask: [String] = []

    @Option(name: Setting.unmasked.name, help: Setting.unmasked.help)
    var unmasked: [String] = []

    @Flag(name: Setting.maskAuto.name, inversion: .prefixedNo, help: Setting.maskAuto.help)
    var maskAuto: Bool?

    @Flag(name: Setting.strictMask.name, inversion: .prefixedNo, help: Setting.strictMask.help)
    var strictMask: Bool?

    @Option(
        name: .customLong("mask-key-file"),
        help: ArgumentHelp(
            "A file with the secret of the masks.", default: "$\(keyVariable)", valueName: "file"),
        completion: .file())
    var maskKeyFile: String?

    @Option(name: Setting.historyTable.name, help: Setting.historyTable.help)
    var historyTable: String?

    @OptionGroup var lockOptions: LockOptions

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var engines: EngineOptions

    @Option(help: OutputFormat.humanOrJSON, completion: .list(SnapshotOutput.formats))
    var format: String?

    /// A table, and which of its rows are chosen.
    struct Condition: Sendable {
        var table, sql: String
    }

    private static func share(_ argument: String) throws -> Double {
        try NumberOption.valid(
            Double(argument).flatMap { $0 > 0 && $0 <= 100 ? $0 : nil }, argument,
            "a share of more than 0 and at most 100")
    }

    private static func condition(_ argument: String) throws -> Condition {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else {
            throw ValidationError("'\(argument)' is not TABLE=CONDITION, such as 'email=account_id = 7'")
        }
        return Condition(table: SQLName.unquoted(String(parts[0])), sql: String(parts[1]))
    }

    func validate() throws {
        if output.isEmpty || output.hasSuffix("/") { throw ValidationError("-o needs the name of a file") }
        if rows != nil, percent != nil { throw ValidationError("--rows and --percent exclude each other") }
        let tables = conditions.map { $0.table.foldedASCII }
        if Set(tables).count < tables.count {
            throw ValidationError("--where takes a table once; join conditions with AND or OR")
        }
        if !mask.isEmpty, Self.names(mask).isEmpty {
            throw ValidationError(
                "--mask names no column, so nothing would be masked; name one, such as email.sender")
        }
        try SnapshotOutput.check(format)
    }

    func run() async throws {
        let failure = FailureOutput(Self.self, format: format)
        try await failure.run {
            let config = try ConfigFile.load(stubs.config)
            var request = request(config)
            request.masks.key = try key()
            let showsStages = Terminal.errorIsTerminal && format != "json"
            let maker = SubsetMaker(engine: engines.driver(config)) { stage in
                if showsStages { Terminal.progress(Self.text(stage)) }
            }
            let task = Task { [request] in try await maker.run(request) }
            // The temporary file is deleted before the process ends.
            let interruption = Interruption(lastWords: "", unless: { true }) { task.cancel() }
            defer { interruption.end() }
            var report: SubsetReport
            do {
                report = try await task.value
            } catch is CancellationError {
                if showsStages { Terminal.progress("") }
                Terminal.writeError("drydock: interrupted; nothing was written\n")
                throw ExitCode(130)
            } catch {
                if showsStages { Terminal.progress("") }
                throw error
            }
            if showsStages { Terminal.progress("") }
            if report.isWritten { await record(&report, config) }
            if format == "json" {
                Terminal.write(JSONSubset.text(report))
            } else {
                Terminal.show(
                    SnapshotTakeText(
                        report: report, options: RenderOptions(usesColor: Terminal.outputHasColor)
                    ).text)
            }
            if !report.isWritten { throw ExitCode(1) }
        }
    }

    func request(_ config: ConfigFile) -> SubsetRequest {
        var request = SubsetRequest(database: database, output: output)
        request.amount = percent.map { .percent($0) } ?? rows.map { .rows($0) }
        request.wholeLimit = whole ?? request.wholeLimit
        request.conditions = Dictionary(
            conditions.map { ($0.table, $0.sql) }, uniquingKeysWith: { first, _ in first })
        request.children = children.map(SQLName.unquoted)
        request.seed = UInt64(seed)
        request.isOnlyValid = onlyValid
        request.historyTables = (historyTable ?? config.options.historyTable).map { [$0] } ?? []
        request.masks.columns = config.mask + Self.names(mask)
        request.masks.allowed = config.unmasked + Self.names(unmasked)
        request.masks.isAuto = maskAuto ?? config[Setting.maskAuto] ?? false
        request.masks.isStrict = strictMask ?? config[Setting.strictMask] ?? false
        (request.functions, request.collations) = stubs.stubs(config)
        return request
    }

    /// Records where the snapshot comes from. What keeps it from that is only a note: the snapshot is there.
    private func record(_ report: inout SubsetReport, _ config: ConfigFile) async {
        var origin = LockedOrigin(
            way: .taken, library: SnapshotOutput.library, rows: report.rowCount, seed: seed,
            date: SnapshotOutput.today)
        origin.source = PathParts.name(of: database)
        origin.masked = report.masks.masked.map(\.name)
        let path = lockOptions.path(config)
        guard FolderListing.exists(path) else { return }
        var lock = LockRequest()
        (lock.migrations.functions, lock.migrations.collations) = stubs.stubs(config)
        (lock.path, lock.migrations.format, lock.migrations.options) = (
            path, source.format(config), config.options
        )
        if let place = try? source.place(config) {
            lock.migrations.folder = place.path
            origin.version = try? await Locker(engine: engines.driver(config)).version(of: output, lock)
        }
        report.notes += SnapshotOutput.record(origin, of: output, in: path)
    }

    private static func names(_ arguments: [String]) -> [String] {
        arguments.flatMap { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    private static let keyVariable = "DRYDOCK_MASK_KEY"

    /// - Returns: nil where there is none, so that a random one is used.
    private func key() throws -> MaskKey? {
        if let maskKeyFile {
            do {
                return try MaskKey(text: FolderListing.contents(of: maskKeyFile), from: "'\(maskKeyFile)'")
            } catch let error as RequestError {
                throw error
            } catch {
                throw RequestError(.notFound, "the mask key in '\(maskKeyFile)' cannot be read: \(error)")
            }
        }
        guard let text = ProcessInfo.processInfo.environment[Self.keyVariable] else { return nil }
        return try MaskKey(text: Array(text.utf8), from: "$\(Self.keyVariable)")
    }

    private static func text(_ stage: SubsetStage) -> String {
        switch stage {
        case .choosing(let table): "choosing rows of \(table)"
        case .following: "following foreign keys"
        case .copying(let table): "copying \(table)"
        case .checking: "checking what was written"
        }
    }
}
