import CSQLite

/// A cache of the compiled statements of a connection that are not in use, by their SQL.
///
/// SQLite compiles a statement again if the schema has changed, but only when it is stepped; until then its
/// columns are the old ones. So every statement that does more than read or write rows empties the cache.
final class StatementCache {
    private static let limit = 64
    private var idle: [String: OpaquePointer] = [:]
    private var isOpen = true
    /// How often the schema may have changed.
    private(set) var generation = 0
    private let writes: WriteRecorder

    init(_ writes: WriteRecorder) { self.writes = writes }

    func take(_ sql: String) -> OpaquePointer? { idle.removeValue(forKey: sql) }

    /// - Parameter generation: that in which the statement was compiled.
    func put(_ statement: OpaquePointer, _ sql: String, of generation: Int) {
        guard isOpen, generation == self.generation, idle[sql] == nil, idle.count < Self.limit,
            Self.isOfRows(statement)
        else {
            finalize(statement)
            return
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        idle[sql] = statement
    }

    /// Empties the cache if the statement, which is about to run, may change the schema.
    func note(_ statement: OpaquePointer) {
        if !Self.isOfRows(statement) { discard() }
    }

    /// Drops all statements, and keeps none from now on.
    func empty() {
        isOpen = false
        discard()
    }

    private func discard() {
        generation &+= 1
        for statement in idle.values { finalize(statement) }
        idle = [:]
    }

    private func finalize(_ statement: OpaquePointer) {
        writes.forget(statement)
        sqlite3_finalize(statement)
    }

    /// Returns whether a statement begins like one that does not change the schema. One that begins with a
    /// comment does not.
    private static func isOfRows(_ statement: OpaquePointer) -> Bool {
        guard let sql = sqlite3_sql(statement) else { return false }
        let words = ["select", "insert", "update", "delete", "replace", "with", "values"]
        return words.contains { sqlite3_strnicmp(sql, $0, Int32($0.utf8.count)) == 0 }
    }
}
