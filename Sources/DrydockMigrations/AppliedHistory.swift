import DrydockFindings
import DatabaseEngine

/// What a database's history shows.
public struct AppliedHistory: Sendable {
    /// The identifiers of the applied migrations.
    public var identifiers: [String]
    /// What the tool recorded to detect a changed file, by identifier.
    public var checksums: [String: String] = [:]
    /// Why the tool would run nothing on this database, such as a migration that failed halfway.
    public var refusal: String?
    /// Repeatable migrations that ran, and would run again.
    public var repeats: Set<String> = []
    /// Migrations that ran according to the history, were not SQL, and are not in the folder.
    public var code: [String] = []
    /// The one that was applied last, if the order of the migrations does not show it.
    public var newest: String?

    public init(_ identifiers: [String]) { self.identifiers = identifiers }
}

/// The facts by which one tool's history is distinguished from another's.
public struct HistoryFacts: Sendable {
    /// The columns of every table; all names are folded.
    public var columns: [String: Set<String>] = [:]
    public var userVersion: Int64 = 0

    public init() {}

    public init(_ connection: any Connection) throws {
        // No tool keeps its history in a virtual table, and one of an unknown module does not show its columns.
        let query = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0"
        let tables = try connection.rows(query) { $0.string(0) }
        for table in tables { columns[table.foldedASCII] = try connection.columns(of: table) ?? [] }
        userVersion = try connection.firstRow("PRAGMA main.user_version") { $0.integer(0) } ?? 0
    }

    /// Returns whether a table exists and has these columns.
    public func has(_ table: String, _ names: String...) -> Bool {
        columns[table.foldedASCII].map { $0.isSuperset(of: names.map(\.foldedASCII)) } ?? false
    }
}

extension Connection {
    /// Returns the names of a table's columns, folded; nil if there is no such table.
    func columns(of table: String) throws -> Set<String>? {
        let names = try rows("PRAGMA main.table_info(\(quotedName(table)))") { $0.string(1).foldedASCII }
        return names.isEmpty ? nil : Set(names)
    }

    /// Whether the database holds nothing at all.
    var isEmptyDatabase: Bool {
        get throws { try firstRow("SELECT 1 FROM main.sqlite_schema LIMIT 1") { _ in true } == nil }
    }

    /// Returns the history in a table with these columns. A database without the table has applied nothing if it is
    /// empty; otherwise its version is unknown.
    func history(
        in table: String, columns: String..., read: () throws -> AppliedHistory
    ) throws -> AppliedHistory? {
        if let found = try self.columns(of: table), found.isSuperset(of: columns.map(\.foldedASCII)) {
            return try read()
        }
        return try isEmptyDatabase ? AppliedHistory([]) : nil
    }
}
