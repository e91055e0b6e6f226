import DatabaseEngine
import GRDB

/// Notes what GRDB says of a connection's transactions: the tables that a statement writes, before it runs, and each
/// commit, after it returned. It observes no rows, so that GRDB lets SQLite delete all rows of a table at once.
final class CommitObserver: TransactionObserver, Sendable {
    let tracker = ChangeTracker()

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
        switch kind {
        case .insert(let table), .delete(let table), .update(let table, _): tracker.touch(table)
        }
        return false
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ database: Database) {
        if let handle = database.sqliteConnection { tracker.look(handle) }
    }

    func databaseDidRollback(_ database: Database) { tracker.rolledBack() }
}
