import CSQLite
import GRDB

/// The prepared statements of a connection that are not in use, by their SQL; see ``ConnectionSettings/keepsStatements``.
///
/// Used only on the connection's queue, as the statements are.
final class IdleStatements {
    private static let limit = 64
    private var statements: [String: GRDB.Statement] = [:]

    func take(_ sql: String) -> GRDB.Statement? { statements.removeValue(forKey: sql) }

    func put(_ statement: GRDB.Statement, _ sql: String) {
        // The code is that of the last step: what failed is not used again.
        guard sqlite3_reset(statement.sqliteStatement) == SQLITE_OK, statements[sql] == nil,
            statements.count < Self.limit
        else { return }
        sqlite3_clear_bindings(statement.sqliteStatement)
        statements[sql] = statement
    }

    func empty() { statements = [:] }
}
