import DrydockFindings
import DatabaseEngine
import SQLiteSchema

extension ToolProfile {
    static let goose = ToolProfile(
        GooseFormat(),
        leaves: [.words("-- +goose")],
        namedBy: ProjectSign.goModule("github.com/pressly/goose") + ProjectSign.atlas("goose"),
        tables: ["goose_db_version": ["id", "version_id", "is_applied", "tstamp"]])
}

/// goose (https://github.com/pressly/goose).
///
/// - Files are `NUMBER_NAME.sql` or `.go`, ordered by the number; a `.go` file is code (collect.go,
///   `NumericComponent`).
/// - `-- +goose Up` and `-- +goose Down` begin the sections. A statement ends with a line that ends with `;`, or is
///   enclosed by `StatementBegin` and `StatementEnd`; annotations are read without regard to case
///   (internal/sqlparser/parser.go).
/// - Each file runs in a transaction with its bookkeeping, unless it holds `-- +goose NO TRANSACTION`
///   (migration_sql.go).
/// - Neither the command nor the library sets foreign keys: SQLite's default, off. An app that turns them on
///   says `foreignKeys: true`.
/// - `goose_db_version(id, version_id, is_applied, tstamp)`, or another name (`-table`, `WithTableName`): the last
///   row of a version counts. A pending migration below the newest applied one stops the run ("found 1 missing
///   migrations before current version", up.go), unless `-allow-missing` is given. No checksums.
public struct GooseFormat: NamedHistory {
    public let name = "goose"
    public var historyTable: String? = "goose_db_version"
    public let historyColumns: Set<String> = ["id", "version_id", "is_applied", "tstamp"]
    public let policy = ToolPolicy(foreignKeys: false, late: .refuse)
    public let runsOnAppsConnection = true

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping(
                """
                CREATE TABLE IF NOT EXISTS \(quotedHistory) (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    version_id INTEGER NOT NULL,
                    is_applied INTEGER NOT NULL,
                    tstamp TIMESTAMP DEFAULT (datetime('now'))
                )
                """),
            Bookkeeping(
                "INSERT INTO \(quotedHistory) (version_id, is_applied) "
                    + "SELECT 0, 1 WHERE NOT EXISTS (SELECT 1 FROM \(quotedHistory))"),
        ]
    }

    public var foreignKeysOffAdvice: String {
        "Write '-- +goose NO TRANSACTION' at the top of the file, PRAGMA foreign_keys = OFF before a BEGIN of its own, and "
            + "PRAGMA foreign_keys = ON after its COMMIT."
    }

    public let namingAdvice = "A migration is called NUMBER_NAME.sql, such as 00003_add_label.sql."

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has(historyTable ?? "", "version_id", "is_applied")
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        let files = folder.files.filter { Self.version($0) != nil && $0.hasSuffix(".sql") }
        return folder.firstLine(in: files) { GooseParser.annotation($0) != nil }.map {
            FolderEvidence(.marker, "-- +goose", at: $0)
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        var migrations: [Migration] = []
        let files = folder.files.compactMap { file in Self.version(file).map { (file: file, version: $0) } }
            .sorted { naturallyPrecedes($0.version, $1.version) }
        for (file, version) in files {
            if file.hasSuffix(".go") {
                var migration = Migration(identifier: version, path: folder.file(file))
                migration.isCode = true
                migrations.append(migration)
                continue
            }
            var migration = reader.migration(version, in: file, policy) { source in
                let parts = try GooseParser.parse(source)
                let transaction = parts.usesTransaction ? nil : ToolPolicy.Transaction.none
                let down = parts.down.map {
                    Migration.Down(
                        path: source.name, statements: $0, transaction: transaction ?? policy.transaction)
                }
                return .init(up: parts.up, down: down, transaction: transaction, marks: parts.marks)
            }
            migration.record = [
                Bookkeeping(
                    "INSERT INTO \(quotedHistory) (version_id, is_applied) VALUES (?, 1)",
                    [.integer(Int64(version) ?? 0)])
            ]
            migration.unrecord = [
                Bookkeeping(
                    "DELETE FROM \(quotedHistory) WHERE version_id = ?", [.integer(Int64(version) ?? 0)])
            ]
            migrations.append(migration)
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: historyTable ?? "", columns: "id", "version_id", "is_applied") {
            let rows = try connection.rows("SELECT version_id, is_applied FROM \(quotedHistory) ORDER BY id")
            {
                ($0.string(0), $0.integer(1) != 0)
            }
            let last = Dictionary(rows, uniquingKeysWith: { _, last in last })
            return AppliedHistory(
                last.filter { $0.value && $0.key != "0" }.map(\.key).sorted(by: naturallyPrecedes))
        }
    }

    private static func version(_ file: String) -> String? {
        guard file.first?.isNumber == true, let match = file.wholeMatch(of: /([0-9]+)_.*\.(sql|go)/),
            !file.hasSuffix("_test.go"),
            let number = Int64(match.1), number > 0
        else { return nil }
        return String(number)
    }
}

/// goose's own parser, line by line: a statement is what goose would send as one.
enum GooseParser {
    struct Parts {
        var up: [SQLStatement] = []
        var down: [SQLStatement]?
        var usesTransaction = true
        /// The annotations that leave the statements unchanged, though a tool may send them differently because of
        /// one.
        var marks: [String] = []

        mutating func note(_ annotation: String) {
            marks.append("\(annotation) \(up.count + (down?.count ?? 0))")
        }
    }

    /// Returns what follows `+goose`, in lower case; nil for any other line.
    static func annotation(_ line: some StringProtocol) -> String? {
        // Few lines are annotations: most need no pattern.
        guard line.utf8.contains(UInt8(ascii: "+")),
            let match = String(line).wholeMatch(of: /\s*--\s*\+goose\s*(.*?)\s*/.ignoresCase())
        else {
            return nil
        }
        return match.1.lowercased()
    }

    /// - Throws: ``FileProblem`` where goose would refuse the file.
    static func parse(_ source: SQLSource) throws -> Parts {
        var parts = Parts()
        /// The section, and the line of `StatementBegin` inside one.
        var section: String?
        var block: Int?
        /// The start of the statement that is being read.
        var start: Int?
        var lines = LineReader(source)
        func end(_ range: Range<Int>) {
            let statements = source.statements(in: range)
            if section == "up" {
                parts.up += statements
            } else {
                parts.down = (parts.down ?? []) + statements
            }
        }
        while let line = lines.next() {
            guard let annotation = annotation(line.text) else {
                let text = line.text.trimmed
                if start == nil, text.isEmpty || text.hasPrefix("--") { continue }
                guard section != nil else {
                    throw problem(
                        "a statement comes before '-- +goose Up'", "Begin with '-- +goose Up'.", line)
                }
                start = start ?? line.range.lowerBound
                if block == nil, endsStatement(line.text), let begin = start {
                    end(begin..<line.range.upperBound)
                    start = nil
                }
                continue
            }
            switch annotation {
            case "up":
                guard section == nil else {
                    throw problem("'-- +goose Up' is there twice", "A file has one Up section.", line)
                }
                section = "up"
            case "down":
                guard section == "up", block == nil else {
                    throw problem(
                        "'-- +goose Down' comes before an Up section has ended",
                        "Up comes first, and every StatementBegin needs its StatementEnd.", line)
                }
                try checkFinished(start, source)
                section = "down"
                parts.down = []
            case "statementbegin":
                guard section != nil, block == nil else {
                    throw problem(
                        "'-- +goose StatementBegin' is outside a section or inside another statement",
                        "It must follow '-- +goose Up', and each needs its StatementEnd.", line)
                }
                block = line.number
                start = start ?? line.range.upperBound
                parts.note(annotation)
            case "statementend":
                guard block != nil, let begin = start else {
                    throw problem(
                        "'-- +goose StatementEnd' has no StatementBegin before it", "Write both.", line)
                }
                end(begin..<line.range.lowerBound)
                (block, start) = (nil, nil)
                parts.note(annotation)
            case "no transaction": parts.usesTransaction = false
            case "envsub on", "envsub off":
                // Without a placeholder in the file, the annotation has no effect.
                if source.bytes.contains(UInt8(ascii: "$")) { parts.note(annotation) }
            default:
                throw problem(
                    "'+goose \(annotation)' is not an annotation of goose",
                    "The annotations are: Up, Down, StatementBegin, StatementEnd, NO TRANSACTION, ENVSUB ON, ENVSUB OFF.",
                    line)
            }
        }
        if let block {
            throw FileProblem(
                "'-- +goose StatementBegin' has no StatementEnd", "Write '-- +goose StatementEnd' after it.",
                line: block)
        }
        guard section != nil else {
            throw FileProblem(
                "\(source.name) has no '-- +goose Up'", "A goose migration begins with it.", line: 1)
        }
        try checkFinished(start, source)
        return parts
    }

    private static func checkFinished(_ start: Int?, _ source: SQLSource) throws {
        guard let start else { return }
        throw FileProblem(
            "a statement has no ';' at the end of its last line, where goose ends it",
            "End it with ';', or put it between StatementBegin and StatementEnd.",
            line: source.location(at: start).line)
    }

    private static func problem(_ message: String, _ help: String, _ line: LineReader.Line) -> FileProblem {
        FileProblem(message, help, line: line.number)
    }

    /// Returns whether a line ends with a `;`, comments not counted (`endsWithSemicolon`).
    private static func endsStatement(_ line: String) -> Bool {
        line.split(whereSeparator: \.isWhitespace).prefix { !$0.hasPrefix("--") }.last?.hasSuffix(";")
            ?? false
    }
}
