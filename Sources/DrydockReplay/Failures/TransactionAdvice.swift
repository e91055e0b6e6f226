import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// What to do about a statement that SQLite refuses inside a transaction.
package enum TransactionAdvice {
    package static let vacuum = "Remove it; vacuum when the app is closed, or with 'drydock vacuum'."
    package static let setting = "Set it when the database is opened."

    /// - Returns: nil for a refusal of another kind.
    package static func help(for error: EngineError) -> String? {
        switch error.message {
        case .vacuumInTransaction: vacuum
        case .journalModeInTransaction, .synchronousInTransaction: setting
        default: nil
        }
    }
}
