import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// The statements of a migration that copy rows besides rebuilds, and whether foreign keys are checked.
extension LintMigration {
    /// The statements that copy rows of one table into another that does not take the place of a table. The source is
    /// as the migration found it, the target as the migration leaves it.
    var copies: [Rebuild] {
        // Most migrations copy nothing, and following the names of many tables takes a while.
        guard migration.statements.contains(where: \.copiesRows) else { return [] }
        let replaced = Set(rebuilds.map(\.new.name.foldedASCII))
        var (follower, copies) = (TableLineage(tables: start.tables.keys), [Rebuild]())
        for (place, statement) in migration.statements.enumerated() {
            defer { follower.apply(statement.action, at: place) }
            guard case .insert(let name, let columns, let source?) = statement.action, name.isMain,
                source.tables.count == 1, !source.isCompound, let from = follower[source.tables[0]],
                let origin = from.origin, let old = start.table(origin), let made = follower[name.name],
                made.origin != origin, let id = lineage.name(of: made.id), !replaced.contains(id),
                let new = end.tables[id]
            else { continue }
            let items = source.items.map { item -> TrackedTable.Copy.Item in
                switch item {
                case .column(_, let name): .column(from.firstName(name).foldedASCII)
                case .star: .star
                case .expression: .expression
                }
            }
            copies.append(
                Rebuild(
                    old: old, new: new, statement: statement,
                    copy: .init(origin: origin, statement: place, columns: columns, items: items),
                    isOnlyCopy: true))
        }
        return copies
    }

    /// Whether foreign keys are checked against the rows: while the migration runs, or before the commit.
    var foreignKeysCount: Bool {
        if migration.isDeferred { return true }
        let isOff =
            migration.transaction == .none
            && migration.statements.contains { statement in
                guard case .pragma(_, let name, let value?) = statement.action else { return false }
                return name.foldedASCII == "foreign_keys" && !StaticChecks.isTrue(value)
            }
        return migration.foreignKeys && !isOff
    }
}

extension SQLStatement {
    /// Whether it is an INSERT from a SELECT.
    fileprivate var copiesRows: Bool { if case .insert(_, _, .some) = action { true } else { false } }
}
