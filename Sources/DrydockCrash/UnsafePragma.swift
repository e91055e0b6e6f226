import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// A PRAGMA by which a migration turns SQLite's recovery off, for itself and for what follows on its connection.
struct UnsafePragma {
    /// The migration that has it.
    let step: Migration
    private let statement: SQLStatement
    private let danger: String
    /// Such as `PRAGMA journal_mode = MEMORY`.
    let text: String

    var place: Finding.Place { .init(statement) }

    var help: String { "Remove \(text) from \(step.identifier): \(danger)" }

    /// Finds the one that a migration has, or else the last that its connection has from before.
    /// - Parameter earlier: the migrations before the batch whose settings the connection still has.
    init?(of migration: Migration, in batch: [Migration], after earlier: [Migration]) {
        let own = batch.prefix { $0.identifier != migration.identifier }
        var settled: Set<String> = []
        for step in [migration] + own.reversed() + earlier.reversed() {
            for statement in step.statements.reversed() {
                guard case .pragma(_, let name, let value?) = statement.action,
                    !settled.contains(name.foldedASCII)
                else { continue }
                guard let danger = Self.danger(name.foldedASCII, value.foldedASCII) else {
                    // A later file has the safe value; the file itself may have had another before.
                    if step.identifier != migration.identifier { settled.insert(name.foldedASCII) }
                    continue
                }
                (self.step, self.statement, self.danger) = (step, statement, danger)
                text = "PRAGMA \(name) = \(value)"
                return
            }
        }
        return nil
    }

    private static func danger(_ name: String, _ value: String) -> String? {
        switch (name, value) {
        case ("journal_mode", "off"), ("journal_mode", "memory"):
            "without a journal on disk SQLite cannot undo half of a transaction."
        case ("synchronous", "off"), ("synchronous", "0"):
            "without syncs a disk may write the database before its journal."
        default: nil
        }
    }
}
