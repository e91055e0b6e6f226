import DrydockFindings
import DatabaseEngine

/// What a database's history tells.
public struct AppliedHistory: Sendable {
    /// The identifiers that it has applied.
    public var identifiers: [String]
    /// What the tool kept to see that a file stays as it was, by identifier.
    public var checksums: [String: String] = [:]
    /// Why the tool would run nothing on this database, such as a migration that failed half-way.
    public var refusal: String?
    /// Repeatable migrations that ran, and would run again.
    public var repeats: Set<String> = []
    /// What ran and was no SQL, as the history says, and is not in the folder.
    public var code: [String] = []

    public init(_ identifiers: [String]) { self.identifiers = identifiers }
}

/// What tells one tool's history from another's.
public struct HistoryFacts: Sendable {
    /// The columns of every table, all folded.
    public var columns: [String: Set<String>] = [:]
    public var userVersion: Int64 = 0

    public init() {}

    public init(_ connection: any Connection) throws {
        let tables = try connection.rows("SELECT name FROM main.sqlite_schema WHERE type = 'table'") {
            $0.string(0)
        }
        for table in tables { columns[table.foldedASCII] = try connection.columns(of: table) ?? [] }
        userVersion = try connection.firstRow("PRAGMA main.user_version") { $0.integer(0) } ?? 0
    }

    /// Whether a table is there and has these columns.
    public func has(_ table: String, _ names: String...) -> Bool {
        columns[table.foldedASCII].map { $0.isSuperset(of: names.map(\.foldedASCII)) } ?? false
    }
}

extension Connection {
    /// The names of a table's columns, folded; nil when there is no such table.
    func columns(of table: String) throws -> Set<String>? {
        let names = try rows("PRAGMA main.table_info(\(quotedName(table)))") { $0.string(1).foldedASCII }
        return names.isEmpty ? nil : Set(names)
    }

    /// Whether the database holds nothing at all.
    var isEmptyDatabase: Bool {
        get throws { try firstRow("SELECT 1 FROM main.sqlite_schema LIMIT 1") { _ in true } == nil }
    }

    /// The history in a table with these columns. A database without it has applied nothing when it is empty,
    /// and does not tell else.
    func history(
        in table: String, columns: String..., read: () throws -> AppliedHistory
    ) throws -> AppliedHistory? {
        if let found = try self.columns(of: table), found.isSuperset(of: columns.map(\.foldedASCII)) {
            return try read()
        }
        return try isEmptyDatabase ? AppliedHistory([]) : nil
    }
}
