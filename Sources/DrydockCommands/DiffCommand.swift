import ArgumentParser
import Drydock
import DrydockReport
import SQLiteSchema

struct DiffCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "diff",
        abstract: "Compare schemas or rows, and write SQL between them.",
        usage: "[OPTIONS] OLD NEW",
        about: """
            Shows how two schemas or the rows of two databases differ, and writes the SQL
            from one to the other. A source is a database, a .sql file or a folder of
            migrations; FOLDER@VERSION stops there. The SQL is proved before it is shown: it
            has run on the old database with its rows, and nothing was lost.
            """,
        examples: """
            drydock diff old.sqlite new.sqlite
            drydock diff Migrations@v3_labels Migrations    what changed since v3
            drydock diff app.sqlite Migrations --sql        the SQL to get there
            drydock diff a.sql b.sql --sql --rename email.sender=from_address
            drydock diff --data old.sqlite new.sqlite       rows added, removed, changed
            drydock diff --data old.sqlite new.sqlite --summary --table email
            drydock diff --data old.db new.db --format sql | sqlite3 -bail copy.db
            """,
        common: "sql down rename allow-loss name-only data summary table format report",
        details: """
            Schemas are compared by meaning: white space, comments, quotes, the case of
            keywords, the order of statements and what ALTER appended make no difference.
            A name that differs only in case is reported, as respelled, though SQLite
            treats both as the same.

            With --data, rows are matched by key, without one by rowid, or by all their
            values. Values are exact: 1 is not 1.0, and no collation hides a change. If the
            schemas differ, what they share is compared. The SQL of --format sql turns the
            old rows into the new ones in one transaction.
            """,
        exitStatus: """
            0  same
            1  different
            2  trouble, or a plan that was refused
            64 bad usage
            """)

    @Argument(help: ArgumentHelp("The old schema.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The new schema.", valueName: "new"), completion: .file())
    var new: String

    @Flag(help: "Write the migration from OLD to NEW.")
    var sql = false

    @Flag(help: "Write the way back instead.")
    var down = false

    @Flag(help: "Allow a plan that loses a table or a column; the plan declares the loss.")
    var allowLoss = false

    @Option(
        help: ArgumentHelp(
            "What was renamed: TABLE=NEW or TABLE.COLUMN=NEW; may be repeated.", valueName: "old=new"))
    var rename: [String] = []

    @Flag(inversion: .prefixedNo, help: "Look for renames that --rename does not name.")
    var detectRenames = true

    @OptionGroup var tool: ToolOptions

    @OptionGroup var engines: EngineOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var limits: LimitOptions

    @Option(
        name: .customLong("sqlite-version"),
        help: ArgumentHelp(
            "The oldest SQLite that must run the SQL, such as 3.24.", default: "any", valueName: "version"))
    var sqliteVersion: String?

    @Option(
        help: OutputFormat.help(formats, "with --data human, json or sql"),
        completion: .list(formats + ["sql"]))
    var format: String?

    @Option(help: ReportFile.help, transform: ReportFile.parsed)
    var report: [ReportFile] = []

    @Flag(help: "Compare rows, not schemas.")
    var data = false

    @Flag(help: "With --data: only how many rows differ.")
    var summary = false

    @Option(help: ArgumentHelp("With --data: only this table; may be repeated.", valueName: "name"))
    var table: [String] = []

    @OptionGroup var redaction: RedactOptions

    @Flag(help: "Only the names of what differs.")
    var nameOnly = false

    @Flag(help: "Show the order of columns too.")
    var columnOrder = false

    @Option(
        name: Setting.migrationFormat.name, help: Setting.migrationFormat.help,
        completion: .list(MigrationFormats.names))
    var migrationFormat: String?

    private static let formats = OutputFormat.names(ReportRenderers.all)

    func validate() throws {
        let formats = data ? DataDiffRun.formats : Self.formats
        if let format, !formats.contains(format) {
            throw ValidationError(
                "there is no format '\(format)'\(data ? " with --data" : ""); choose one of: "
                    + formats.joined(separator: ", "))
        }
        try validateData()
        if let sqliteVersion, AlterSupport(version: sqliteVersion) == nil {
            throw ValidationError("'\(sqliteVersion)' is not a version of SQLite 3, such as 3.24")
        }
        if nameOnly, sql || down || format != nil {
            throw ValidationError("--name-only is its own format: leave out --sql, --down and --format")
        }
        if columnOrder, sql || down {
            throw ValidationError(
                "--column-order shows a difference for which no SQL is written: leave out one of them")
        }
        _ = try hints()
    }

    private func validateData() throws {
        if !data, summary || !table.isEmpty || redaction.redact != nil {
            throw ValidationError("--summary, --table and --redact need --data")
        }
        if data,
            sql || down || allowLoss || !rename.isEmpty || sqliteVersion != nil || nameOnly || columnOrder
        {
            throw ValidationError("--data compares rows; options for schemas cannot be used with it")
        }
        if data, !report.isEmpty {
            throw ValidationError("--report and --data exclude each other: rows go to standard output")
        }
        if data, format == "sql", summary {
            throw ValidationError("--summary and --format sql exclude each other")
        }
        if data, format == "sql", redaction.redact == true {
            throw ValidationError("--redact and --format sql exclude each other: SQL contains the values")
        }
    }

    private func runData(_ config: ConfigFile, _ limits: CommandLimits) async throws {
        var request = DataDiffRequest(
            from: try config.source(old, migrationFormat, tool),
            to: try config.source(new, migrationFormat, tool))
        (request.functions, request.collations) = stubs.stubs(config)
        request.tables = table
        try await DataDiffRun(
            engine: limits.engine(engines.driver(config)), request: request, format: format ?? "human",
            isSummary: summary,
            options: RenderOptions(usesColor: Terminal.outputHasColor, redacts: redaction.isOn(config))
        ).run()
    }

    func run() async throws {
        let output = data ? OutputFormat(format ?? "human") : OutputFormat(format)
        let failure = FailureOutput(Self.self, output)
        try await limits.run(stubs, failure, writing: { _ in report + output.files(besides: report) }) {
            config, limits in
            if data { return try await runData(config, limits) }
            let files = report + output.files(besides: report)
            var guarded = VerifyRequest()
            (guarded.migrations.folder, guarded.snapshots.folder) = (folder(new), folder(old))
            guarded.snapshots.paths = [old, new]
            try failure.writes(files) { try files.check(against: guarded, config) }
            let request = try request(config)
            try write(
                await SchemaComparer(engine: limits.engine(engines.driver(config))).run(request), files,
                output)
        }
    }

    /// Returns the folder of `FOLDER@VERSION`.
    private func folder(_ source: String) -> String { source.splitOnce("@")?.0 ?? source }

    func request(_ config: ConfigFile) throws -> DiffRequest {
        var request = DiffRequest(
            from: try config.source(old, migrationFormat, tool),
            to: try config.source(new, migrationFormat, tool))
        (request.functions, request.collations) = stubs.stubs(config)
        request.hints = try hints()
        request.detectsRenames = detectRenames
        request.comparesColumnOrder = columnOrder
        request.wantsPlan = sql || down
        request.wantsDownPlan = down
        request.allowsLoss = allowLoss
        if let version = sqliteVersion.flatMap(AlterSupport.init) { request.alterSupport = version }
        return request
    }

    private func write(_ report: Report, _ files: [ReportFile], _ output: OutputFormat) throws {
        guard let diff = report.diff else { return }
        let options = RenderOptions.forOutput()
        try ReportFile.write {
            try files.write(report, options)
        } thenPrint: {
            if format == nil, sql || down {
                if let plan = down ? diff.downPlan : diff.plan { Terminal.write(sql: plan.text) }
                let notes =
                    (diff.plan?.notes ?? []) + diff.renames.open.map(\.openNote) + (diff.plan?.leftOver ?? [])
                for note in notes { Terminal.note(note) }
            } else if nameOnly {
                Terminal.show(diff.names)
            } else {
                try output.write(report, options)
            }
        }
        for refusal in report.findings { Terminal.complain(refusal.message, help: refusal.help) }
        if !report.findings.isEmpty { throw ExitCode(2) }
        if !diff.isSame { throw ExitCode(1) }
    }

    private func hints() throws -> RenameHints {
        var tables: [String: String] = [:]
        var columns: [String: [String: String]] = [:]
        for text in rename {
            guard let (from, to) = text.splitOnce("="), !from.isEmpty, !to.isEmpty else {
                throw ValidationError("--rename takes TABLE=NEW or TABLE.COLUMN=NEW, not '\(text)'")
            }
            if let (table, column) = from.splitOnce(".") {
                columns[table, default: [:]][column] = to.splitOnce(".")?.1 ?? to
            } else {
                tables[from] = to
            }
        }
        return RenameHints(tables: tables, columns: columns)
    }
}
