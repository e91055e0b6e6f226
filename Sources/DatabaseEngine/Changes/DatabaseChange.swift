/// One or more commits that changed an open database; the elements of ``DatabaseChanges``.
///
///     for try await change in try await database.changes() where change.concerns("email") {
///         try await reload()
///     }
public struct DatabaseChange: Sendable, Hashable {
    /// The tables whose rows may have changed, as they are called in the schema; `sqlite_schema` if definitions have
    /// changed. Nil if it is not known: then any table may have changed.
    ///
    /// SQLite says which tables a statement writes, triggers and foreign keys included, and not whether it found a
    /// row to change. A virtual table is named, and not always those in which it keeps its rows.
    public var tables: Set<String>?
    /// Whether another connection committed, of this process or of another.
    public var isFromOthers: Bool

    public init(tables: Set<String>?, isFromOthers: Bool = false) {
        (self.tables, self.isFromOthers) = (tables, isFromOthers)
    }

    /// A commit of another connection, of which SQLite says nothing but that it happened.
    public static let ofOthers = DatabaseChange(tables: nil, isFromOthers: true)

    /// Returns whether the rows or the definition of a table may have changed. Names compare as in SQL.
    public func concerns(_ table: String) -> Bool {
        guard let tables else { return true }
        let name = table.lowercased()
        return tables.contains { $0 == Self.schemaTable || $0.lowercased() == name }
    }

    /// The name in ``tables`` that stands for all definitions.
    public static let schemaTable = "sqlite_schema"

    /// Adds what a later change changed.
    package mutating func merge(_ later: DatabaseChange) {
        isFromOthers = isFromOthers || later.isFromOthers
        tables = tables.flatMap { mine in later.tables.map(mine.union) }
    }
}

/// Why a database can no longer be observed: a connection keeps the file that it opened, whatever happens to its name.
public enum LostFile: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file was deleted, or moved away.
    case removed(path: String)
    /// Another file has its name now.
    case replaced(path: String)

    public var description: String {
        switch self {
        case .removed(let path): "'\(path)' was deleted or moved away; open it again once it is back"
        case .replaced(let path): "'\(path)' was replaced by another file; open it again"
        }
    }
}
