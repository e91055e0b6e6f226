import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import SQLiteSchema

/// `constraint-lost`: a migration leaves a table without a constraint that it had.
struct ConstraintKeptRule: LintRule {
    let rule = Rule.constraintLost
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a table loses a constraint, or the action of a foreign key",
        detail: """
            A rebuild writes a table's whole definition again, and CREATE TABLE AS copies no constraint at \
            all. What the new definition leaves out (PRIMARY KEY, UNIQUE, CHECK, NOT NULL, COLLATE, \
            REFERENCES with its actions, STRICT) is gone without an error, and no existing row shows it: \
            later rows may break what the app relies on. A constraint is not lost if another key, index or \
            CHECK enforces it, or if its column is dropped. If it may go, declare that. A list of values \
            that has only become longer is a note.
            """,
        bad: """
            CREATE TABLE new_email (id INTEGER PRIMARY KEY, subject TEXT, folder INTEGER);
            INSERT INTO new_email (id, subject, folder) SELECT id, subject, folder FROM email;
            DROP TABLE email;
            ALTER TABLE new_email RENAME TO email;
            """,
        good: """
            CREATE TABLE new_email (
                id INTEGER PRIMARY KEY, subject TEXT NOT NULL, folder INTEGER REFERENCES folder ON DELETE CASCADE);
            -- and the rest is the same
            """)

    func check(_ migration: LintMigration) -> [LintFault] {
        let successors = successors(migration)
        guard !successors.isEmpty else { return [] }
        let tables = names(migration, successors)
        let tableColumns = Dictionary(
            successors.map { ($0.old.name.foldedASCII, $0.columns) }, uniquingKeysWith: { first, _ in first })
        return successors.flatMap { successor -> [LintFault] in
            let (old, new, columns) = (successor.old, successor.new, successor.columns)
            let start = migration.start
            @Sendable func comparison(with table: Table, in schema: Schema) -> ConstraintComparison {
                let present = columns.filter { table.column($0.value) != nil }
                return ConstraintComparison(
                    from: old, in: start, to: table, in: schema, columns: present, tables: tables,
                    tableColumns: tableColumns)
            }
            let losses = comparison(with: new, in: migration.end).losses.filter { loss in
                !migration.migration.declarations.contains { declaration in
                    guard case .dropsConstraint(let constraint, let table) = declaration.kind else {
                        return false
                    }
                    return [old.name, new.name].contains { $0.foldedASCII == table.foldedASCII }
                        && (constraint.names(loss.constraint) || constraint.names(loss.wanted))
                }
            }
            return LostConstraints.groups(losses, of: new.name, new).map { group in
                var fault = LintFault(
                    group.severity, group.message, help: group.help,
                    at: successor.statement, table: new.name,
                    column: group.column)
                let constraints = group.losses.map(\.constraint)
                fault.stands = { schema in
                    guard let last = schema.table(new.name) else { return false }
                    let left = comparison(with: last, in: schema).losses.map(\.constraint)
                    return constraints.contains(where: left.contains)
                }
                return fault
            }
        }
    }
}

extension ConstraintKeptRule {
    /// A table that replaces another one.
    private struct Successor {
        var old: Table
        var new: Table
        /// The new names of the old columns, by folded name.
        var columns: [String: String]
        var statement: SQLStatement?
    }

    /// Returns the tables that are created again. ALTER TABLE keeps every constraint.
    private func successors(_ migration: LintMigration) -> [Successor] {
        migration.rebuilds.map { rebuild in
            let (old, new) = (rebuild.old, rebuild.new)
            var columns: [String: String] = [:]
            for (from, to) in rebuild.copiedColumns { columns[from.foldedASCII] = new.column(to)?.name }
            let taken = Set(columns.values)
            for column in old.columns where columns[column.name.foldedASCII] == nil {
                guard let same = new.column(column.name), !taken.contains(same.name) else { continue }
                columns[column.name.foldedASCII] = same.name
            }
            let made = migration.lineage[new.name]?.createdBy.map { migration.migration.statements[$0] }
            return Successor(old: old, new: new, columns: columns, statement: made ?? rebuild.statement)
        }
    }

    /// Returns the names that tables have after the migration, by folded name before it.
    private func names(_ migration: LintMigration, _ successors: [Successor]) -> [String: [String]] {
        var names = Dictionary(
            successors.map { ($0.old.name.foldedASCII, [$0.new.name]) },
            uniquingKeysWith: { first, _ in first })
        for name in migration.start.tables.keys {
            guard let now = migration.lineage.currentName(of: name), now != name else { continue }
            names[name, default: []].append(now)
        }
        return names
    }
}
