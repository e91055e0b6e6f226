import CSQLite

/// Statements that a connection has compiled and nobody uses now, by their SQL.
///
/// SQLite compiles a statement again when the schema has changed, but only when it is stepped, and until then its
/// columns are the old ones. So whatever is no mere reading or writing of rows empties the cache.
final class StatementCache {
    private static let limit = 64
    private var idle: [String: OpaquePointer] = [:]
    private var isOpen = true

    func take(_ sql: String) -> OpaquePointer? { idle.removeValue(forKey: sql) }

    func put(_ statement: OpaquePointer, _ sql: String) {
        guard isOpen, idle[sql] == nil, idle.count < Self.limit, Self.isOfRows(statement) else {
            sqlite3_finalize(statement)
            return
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        idle[sql] = statement
    }

    /// Says which statement is going to run.
    func note(_ statement: OpaquePointer) {
        if !Self.isOfRows(statement) { discard() }
    }

    /// Drops all statements, and keeps none from now on.
    func empty() {
        isOpen = false
        discard()
    }

    private func discard() {
        for statement in idle.values { sqlite3_finalize(statement) }
        idle = [:]
    }

    /// Whether it begins like a statement that leaves the schema alone. One that begins with a comment does not.
    private static func isOfRows(_ statement: OpaquePointer) -> Bool {
        guard let sql = sqlite3_sql(statement) else { return false }
        let words = ["select", "insert", "update", "delete", "replace", "with", "values"]
        return words.contains { sqlite3_strnicmp(sql, $0, Int32($0.utf8.count)) == 0 }
    }
}
