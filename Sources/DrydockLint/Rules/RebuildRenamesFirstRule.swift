import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `rebuild-renames-first`: the old table is renamed away before the new one is created, and its references follow the
/// rename (https://www.sqlite.org/lang_altertable.html#alter_table_rename).
struct RebuildRenamesFirstRule: LintRule {
    let rule = Rule.rebuildRenamesFirst
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "a rebuild renames the old table first, and references follow it",
        detail: """
            Since SQLite 3.26 ALTER TABLE RENAME rewrites the foreign keys, triggers and views that name the \
            table. A rebuild that first renames the old table, then creates the new one and drops the old \
            one, leaves them with a name that no longer exists: with foreign keys on, every write to such a \
            child fails. Create the new table under another name, copy, drop the old one, and rename the new \
            one.
            """,
        bad: """
            ALTER TABLE account RENAME TO old_account;
            CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO account (id, name) SELECT id, name FROM old_account;
            DROP TABLE old_account;
            """,
        good: """
            CREATE TABLE new_account (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO new_account (id, name) SELECT id, name FROM account;
            DROP TABLE account;
            ALTER TABLE new_account RENAME TO account;
            """)

    func check(_ migration: LintMigration) -> [LintFault] {
        let (start, end) = (migration.start, migration.end)
        return migration.migration.statements.compactMap { statement in
            guard case .renameTable(let old, let away) = statement.action, old.isMain,
                start.table(old.name) != nil, start.table(away) == nil, end.table(away) == nil,
                end.table(old.name) != nil
            else { return nil }
            let folded = away.foldedASCII
            let children = end.tables.values.filter { table in
                table.foreignKeys.contains { $0.parent.foldedASCII == folded }
            }.map(\.name).sorted()
            let triggers = end.triggers.values.filter { $0.names.contains(folded) }.map(\.name).sorted()
            let views = end.views.values.filter { $0.query.names.contains(folded) }.map(\.name).sorted()
            let followers =
                children.map { "the foreign key of \($0)" } + triggers.map { "trigger \($0)" }
                + views.map { "view \($0)" }
            guard let first = followers.first else { return nil }
            let others = followers.count > 1 ? " and \(followers.count - 1) more" : ""
            var fault = LintFault(
                .error, "\(first)\(others) followed the rename to \(away), which does not exist at the end",
                help:
                    "Create the new table under another name, copy, drop \(old.name), and rename the new one to \(old.name).",
                at: statement, table: old.name)
            fault.stands = { schema in
                schema.tables[folded] == nil && Self.hasFollowers(of: folded, in: schema)
            }
            return fault
        }
    }

    private static func hasFollowers(of name: String, in schema: Schema) -> Bool {
        schema.tables.values.contains { table in
            table.foreignKeys.contains { $0.parent.foldedASCII == name }
        }
            || schema.triggers.values.contains { $0.names.contains(name) }
            || schema.views.values.contains { $0.query.names.contains(name) }
    }
}
