import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// The rename of a table in a migration that took the references to it along, as when a rebuild begins with the rename
/// of the old table.
struct FollowedRename {
    /// The table's name before the migration.
    let old: String
    let cause: String

    /// Returns nil where the migration did not give a table its name.
    init?(to name: String, in migration: Migration, before: Catalog) {
        guard before.table(name) == nil else { return nil }
        let renames = migration.statements.enumerated().compactMap { index, statement -> (Int, String)? in
            guard case .renameTable(let old, let to) = statement.action, to.foldedASCII == name.foldedASCII
            else { return nil }
            return (index, old.name)
        }
        guard let (index, old) = renames.last else { return nil }
        self.old = old
        cause = "the reference followed the rename of \(old) to \(name) in \(migration.mention(index))"
    }

    var help: String {
        "Rename last: create the new table under a name of its own, copy the rows, drop \(old), and "
            + "rename the new table to \(old). References to \(old) then stay as they are."
    }
}
