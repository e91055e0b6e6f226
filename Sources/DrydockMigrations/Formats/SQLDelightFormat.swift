import DrydockFindings
import DatabaseEngine
import SQLiteSchema

extension ToolProfile {
    static let sqlDelight = ToolProfile(
        SQLDelightFormat(),
        leaves: [.written("1.sqm") { folder in folder.files.contains { $0.hasSuffix(".sqm") } }],
        namedBy: ProjectSign.gradle("sqldelight"),
        tables: ["android_metadata": ["locale"]],
        places: [.inSourceSets("sqldelight")])
}

/// SQLDelight (https://sqldelight.github.io/sqldelight).
///
/// - `N.sqm` leads from version N to N + 1, and the version is `PRAGMA user_version`; "the version of the database is
///   1 + the largest migration" (Migrations). The statements without a label in `.sq` files are the newest schema,
///   with which a new database is created, and `N.db` is a database of version N without rows, to check migrations with.
/// - Kotlin column types (`INTEGER AS Boolean`), imports and labelled queries are SQLDelight's own and are left out, and so
///   are the types and constraints of FTS5's columns ("fts5 doesn't allow types or constraints on its columns, but we need to
///   declare them for SQLDelight's code generation", issue 1739).
/// - The Android driver runs the whole way in `SQLiteOpenHelper.onUpgrade`, which is one transaction; the JVM and
///   native drivers open one too (drivers/*, `migrate`). BEGIN and COMMIT in a file are nested in it on Android
///   (android.database.sqlite.SQLiteSession, `executeSpecial`), and "can cause a crash with some drivers" (Migrations).
/// - Foreign keys are off, the default of Android and of JdbcSqliteDriver, unless the app turns them on first.
public struct SQLDelightFormat: MigrationFormat {
    public let name = "sqldelight"
    public let historyTable: String? = nil
    public let otherTables = ["android_metadata"]
    public let policy = ToolPolicy(transaction: .all, foreignKeys: false, late: .skip)

    public init() {}

    public let namingAdvice = "A migration is called N.sqm, by the version that it starts from."
    public let fileEndings = [".sqm", ".sql"]
    public let readsEverySubfolder = true

    public func owns(_ facts: HistoryFacts) -> Bool { facts.userVersion > 0 }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        folder.descendants().first { $0.hasSuffix(".sqm") }.map {
            FolderEvidence(.marker, "N.sqm", at: folder.file($0))
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        var migrations: [Migration] = []
        let files = folder.descendants().compactMap { file -> (file: String, number: Int)? in
            guard file.hasSuffix(".sqm"), let number = Self.number(file) else { return nil }
            return (file, number)
        }
        for (file, number) in files.sorted(by: { $0.number < $1.number }) {
            var nested: SQLStatement?
            var migration = reader.migration(String(number), in: file, policy) { source in
                var statements = SQLDelightSource(source).statements()
                nested = Self.takeNestedTransactions(from: &statements)
                return .init(up: statements)
            }
            if let nested { reader.note(Self.note(nested, String(number))) }
            migration.record = [Bookkeeping("PRAGMA user_version = \(number + 1)")]
            migrations.append(migration)
        }
        var set = MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
        let root = try Self.root(of: folder)
        let schema = newestSchema(root, reader)
        if !schema.isEmpty { set.expected[migrations.count] = schema }
        if let first = migrations.first,
            let file = root.descendants().first(where: {
                PathParts.name(of: $0) == first.identifier + ".db"
            })
        {
            set.base = SchemaBase(path: root.file(file))
        }
        return set
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        let version = try connection.firstRow("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
        guard version > 0 else { return try connection.isEmptyDatabase ? AppliedHistory([]) : nil }
        let numbers = set.migrations.compactMap { Int($0.identifier) }
        var history = AppliedHistory(numbers.filter { $0 < version }.map(String.init))
        if let newest = numbers.max(), version > newest + 1 {
            history.identifiers.append("user_version \(version)")
        }
        return history
    }

    /// Takes out each BEGIN together with its COMMIT.
    /// - Returns: the first BEGIN.
    private static func takeNestedTransactions(from statements: inout [SQLStatement]) -> SQLStatement? {
        var (open, pairs): (Int?, Set<Int>) = (nil, [])
        for (index, statement) in statements.enumerated() {
            switch statement.action {
            case .begin: open = index
            case .commit:
                if let begin = open { pairs.formUnion([begin, index]) }
                open = nil
            default: break
            }
        }
        let first = pairs.min().map { statements[$0] }
        statements = statements.enumerated().filter { !pairs.contains($0.offset) }.map(\.element)
        return first
    }

    private static func note(_ begin: SQLStatement, _ identifier: String) -> Finding {
        Finding(
            .transactionEnded, .note,
            "BEGIN opens a transaction inside that of the driver, which only the Android driver can nest",
            help:
                "It was ignored here, with its COMMIT. The native and JVM drivers fail at it: leave both out of new "
                + "migrations.",
            migration: identifier, place: .init(begin))
    }

    /// Returns the statements of the `.sq` files: tables first, then what depends on them.
    private func newestSchema(_ root: FolderFiles, _ reader: MigrationReader) -> [SQLStatement] {
        let files = root.descendants().filter { $0.hasSuffix(".sq") }
        let statements = files.flatMap { file in
            (try? reader.source(root.file(file))).map { SQLDelightSource($0).statements() } ?? []
        }
        return statements.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element)
    }

    /// Returns the folder of the queries: the migrations may be in a separate one beside them.
    private static func root(of folder: FolderFiles) throws -> FolderFiles {
        let isWhole = folder.descendants().contains { $0.hasSuffix(".sq") }
        guard !isWhole, PathParts.name(of: folder.path) == "migrations" else { return folder }
        return try FolderFiles(folder.path + "/..")
    }

    /// Returns the number at the end of a name: `migrations/12.sqm`, `v12.sqm`.
    private static func number(_ file: String) -> Int? {
        let stem = PathParts.name(of: file).dropLast(4)
        return Int(String(stem.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()))
    }
}

extension SQLStatement {
    /// The place of the statement in the order in which a new database is created.
    fileprivate var rank: Int {
        switch action {
        case .createTable, .createVirtualTable: 0
        case .createView: 1
        case .createIndex: 2
        case .createTrigger: 3
        default: 4
        }
    }
}
