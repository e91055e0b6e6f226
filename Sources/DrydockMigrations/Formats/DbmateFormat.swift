import DatabaseEngine
import SQLiteSchema

extension ToolProfile {
    static let dbmate = ToolProfile(
        DbmateFormat(),
        leaves: [.words("-- migrate:up")],
        namedBy: [
            .packages("dbmate"), .word("DBMATE_", in: ".env"), .word("DATABASE_URL=sqlite", in: ".env"),
            .word("DATABASE_URL=\"sqlite", in: ".env"),
        ] + ProjectSign.goModule("github.com/amacneil/dbmate") + ProjectSign.atlas("dbmate"),
        tables: ["schema_migrations": ["version"]],
        history: ToolProfile.rails.history)
}

/// dbmate (https://github.com/amacneil/dbmate).
///
/// - Files match `^(\d+).*\.sql$` and are ordered by name as text; the version is the number (pkg/dbmate/db.go,
///   `migrationFileRegexp`).
/// - `-- migrate:up` begins the way up, `-- migrate:down` the way back; only comments may precede them.
///   `transaction:false` after a marker opts out (pkg/dbmate/migration.go).
/// - Every version that is not in the history runs, whatever sorts after it, each with its bookkeeping in one
///   transaction (db.go, `Migrate`). Foreign keys are off, SQLite's default (pkg/driver/sqlite).
/// - `schema_migrations(version varchar(128) primary key)`, or the table that `--migrations-table` names:
///   golang-migrate's table with the same name has `dirty`.
public struct DbmateFormat: NamedHistory {
    public let name = "dbmate"
    public var historyTable: String? = "schema_migrations"
    public let policy = ToolPolicy(foreignKeys: false)

    public init() {}

    public var historySetup: [Bookkeeping] {
        [Bookkeeping("create table if not exists \(quotedHistory) (version varchar(128) primary key)")]
    }

    public var foreignKeysOffAdvice: String {
        "Write '-- migrate:up transaction:false', PRAGMA foreign_keys = OFF before a BEGIN of its own, and "
            + "PRAGMA foreign_keys = ON after its COMMIT."
    }

    public let namingAdvice = "A migration is called NUMBER_NAME.sql, such as 20240131120000_add_label.sql."

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has(historyTable ?? "", "version") && !facts.has(historyTable ?? "", "dirty")
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        folder.firstLine(in: folder.files(matching: /(\d+).*\.sql/)) { Self.marker($0)?.word == "up" }.map {
            FolderEvidence(.marker, "-- migrate:up", at: $0)
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        var migrations: [Migration] = []
        let files = folder.files(matching: /(\d+).*\.sql/)
            .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        for file in files {
            let version = String(file.prefix { $0.isASCII && $0.isNumber })
            var migration = reader.migration(version, in: file, policy) { source in
                try Self.sections(source, policy)
            }
            migration.record = [
                Bookkeeping("insert into \(quotedHistory) (version) values (?)", [SQLValue(version)])
            ]
            migration.unrecord = [
                Bookkeeping("delete from \(quotedHistory) where version = ?", [SQLValue(version)])
            ]
            migrations.append(migration)
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: historyTable ?? "", columns: "version") {
            AppliedHistory(
                try connection.rows("SELECT version FROM \(quotedHistory) ORDER BY version") { $0.string(0) }
            )
        }
    }

    private static func sections(_ source: SQLSource, _ policy: ToolPolicy) throws -> MigrationReader.Sections
    {
        var up: (line: LineReader.Line, isOpen: Bool)?
        var down: (line: LineReader.Line, isOpen: Bool)?
        for line in LineReader(source) {
            guard let (word, isOpen) = marker(line.text) else {
                let text = line.text.trimmed
                guard up == nil, !text.isEmpty, !text.hasPrefix("--") else { continue }
                throw FileProblem(
                    "a statement comes before '-- migrate:up'", "Only comments may come before it.",
                    line: line.number)
            }
            switch word {
            case "up" where up == nil: up = (line, isOpen)
            case "down" where down == nil:
                guard up != nil else {
                    throw FileProblem(
                        "'-- migrate:down' comes before '-- migrate:up'",
                        "dbmate expects the opposite order.",
                        line: line.number)
                }
                down = (line, isOpen)
            case "up", "down":
                throw FileProblem(
                    "'-- migrate:\(word)' is there twice",
                    "dbmate reads only the first. Write one file for each migration.",
                    line: line.number)
            default:
                throw FileProblem(
                    "'migrate:\(word)' is not a marker of dbmate", "Markers are: migrate:up, migrate:down.",
                    line: line.number)
            }
        }
        guard let up else {
            throw FileProblem(
                "\(source.name) has no '-- migrate:up'", "A dbmate migration begins with it.", line: 1)
        }
        let end = down?.line.range.lowerBound ?? source.bytes.count
        var sections = MigrationReader.Sections(
            up: source.statements(in: up.line.range.upperBound..<end),
            transaction: up.isOpen ? ToolPolicy.Transaction.none : nil)
        if let down {
            sections.down = .init(
                path: source.name,
                statements: source.statements(in: down.line.range.upperBound..<source.bytes.count),
                transaction: down.isOpen ? .none : policy.transaction)
            if down.isOpen { sections.marks = ["down transaction:false"] }
        }
        return sections
    }

    /// Returns the word after `migrate:`, and whether the line opts out of the transaction.
    private static func marker(_ line: some StringProtocol) -> (word: String, isOpen: Bool)? {
        guard line.hasPrefix("--"), let match = String(line).wholeMatch(of: /--\s*migrate:(\w+)(\s.*)?/)
        else { return nil }
        let options = (match.2 ?? "").split(whereSeparator: \.isWhitespace)
        return (String(match.1), options.contains("transaction:false"))
    }
}
