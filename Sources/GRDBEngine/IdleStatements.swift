import CSQLite
import GRDB

/// The prepared statements of a connection that are not in use, by their SQL; see ``ConnectionSettings/keepsStatements``.
///
/// SQLite compiles a statement again if the schema has changed, but only when it is stepped. To prepare one also means to
/// find out whether it compiles, so none is kept from before a change, even one that is undone.
///
/// Used only on the connection's queue, as the statements are.
final class IdleStatements {
    private static let limit = 512
    private var statements: [String: GRDB.Statement] = [:]
    /// How often the schema may have changed.
    private(set) var generation = 0

    /// To be called before anything runs that may change the schema.
    func noteChange() {
        generation &+= 1
        statements = [:]
    }

    func take(_ sql: String) -> GRDB.Statement? { statements.removeValue(forKey: sql) }

    /// - Parameter generation: that in which the statement was compiled.
    func put(_ statement: GRDB.Statement, _ sql: String, of generation: Int) {
        guard generation == self.generation else { return }
        // The code is that of the last step: what failed is not used again.
        guard sqlite3_reset(statement.sqliteStatement) == SQLITE_OK, statements[sql] == nil,
            statements.count < Self.limit
        else { return }
        sqlite3_clear_bindings(statement.sqliteStatement)
        statements[sql] = statement
    }

    func empty() { statements = [:] }
}
