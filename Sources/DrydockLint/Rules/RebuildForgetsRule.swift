import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `rebuild-forgets`: a table that is created again loses objects or properties of the old one.
struct RebuildForgetsRule: LintRule {
    let rule = Rule.rebuildForgets
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a rebuilt table loses an index, a trigger, a DEFAULT or AUTOINCREMENT",
        detail: """
            DROP TABLE drops a table's indexes and triggers too; a rebuild has to create them again \
            (https://www.sqlite.org/lang_altertable.html#otheralter, steps 3 and 8). If AUTOINCREMENT is \
            lost, ids can be reused; the same happens if its row in sqlite_sequence is lost, which is not \
            copied by itself. A trigger that is recreated under another name is a warning, since a later \
            DROP TRIGGER would not find it. A DEFAULT that the new table does not have, or an index that is \
            recreated with other columns, is a note: that may be the purpose of the rebuild.
            """,
        bad: """
            CREATE TABLE new_email (id INTEGER PRIMARY KEY, subject TEXT NOT NULL);
            INSERT INTO new_email (id, subject) SELECT id, subject FROM email;
            DROP TABLE email;
            ALTER TABLE new_email RENAME TO email;
            """,
        good: """
            -- the same, and then
            CREATE INDEX email_on_subject ON email(subject);
            """)

    func check(_ migration: LintMigration) -> [LintFault] {
        migration.rebuilds.flatMap { rebuild in
            objects(rebuild, migration) + remade(rebuild, migration) + mark(rebuild, migration)
                + properties(rebuild)
        }
    }

    private func objects(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        let name = rebuild.old.name
        let drop =
            migration.lineage.dropStatement(ofTable: name)
            .map { migration.migration.statements[$0] } ?? rebuild.statement
        func fault(
            _ kind: String, _ object: String, _ sql: String, stands: @escaping @Sendable (Schema) -> Bool
        ) -> LintFault {
            var fault = LintFault(
                .warning, "\(kind) \(object) is dropped with the old \(name) and is not recreated",
                help: "Recreate it after the rebuild:\n" + proposed(sql + ";")
                    + "\nIf it is no longer needed, drop it by name first.", at: drop, table: name)
            fault.stands = stands
            return fault
        }
        let gone = Set(rebuild.old.columns.map(\.name.foldedASCII))
            .subtracting(rebuild.new.columns.map(\.name.foldedASCII))
        let printer = SchemaPrinter(printsSettings: false)
        let indexes = migration.start.indexes(on: name).filter { index in
            migration.end.indexes[index.name.foldedASCII]?.table.foldedASCII != name.foldedASCII
                && migration.lineage.dropStatement(of: .init(.index, index.name)) == nil
                && gone.isDisjoint(with: index.names)
                && !IndexCover.isCovered(index, in: migration.end)
        }
        let triggers = migration.start.triggers(on: name).filter { trigger in
            migration.end.triggers[trigger.name.foldedASCII] == nil
                && migration.lineage.dropStatement(of: .init(.trigger, trigger.name)) == nil
        }
        return indexes.map { index in
            fault("index", index.name, printer.text(index)) { schema in
                schema.table(name) != nil
                    && schema.indexes[index.name.foldedASCII]?.table.foldedASCII != name.foldedASCII
                    && !IndexCover.isCovered(index, in: schema)
            }
        }
            + triggers.map { trigger in
                if let other = renamed(trigger, migration) {
                    return renamedFault(trigger, to: other, drop, migration)
                }
                return fault("trigger", trigger.name, printer.text(trigger)) { schema in
                    schema.table(name) != nil && schema.triggers[trigger.name.foldedASCII] == nil
                }
            }
    }

    /// Returns the new trigger that does the same under another name.
    private func renamed(_ trigger: Trigger, _ migration: LintMigration) -> Trigger? {
        let diff = SchemaDiff(from: migration.start, to: migration.end)
        return migration.end.triggers(on: trigger.table).first { other in
            migration.start.triggers[other.name.foldedASCII] == nil && diff.isSame(trigger, other)
        }
    }

    private func renamedFault(
        _ trigger: Trigger, to other: Trigger, _ drop: SQLStatement, _ migration: LintMigration
    ) -> LintFault {
        let made = migration.migration.statements.last { statement in
            if case .createTrigger(let name, _, _) = statement.action {
                name.folded == other.name.foldedASCII
            } else {
                false
            }
        }
        let name = quotedIfNeeded(trigger.name)
        return LintFault(
            .warning,
            "trigger \(trigger.name) is dropped with the old \(trigger.table) and recreated under another name, \(other.name): "
                + "a later DROP TRIGGER \(name) would not find it, and CREATE TRIGGER IF NOT EXISTS would add a second one",
            help:
                "Keep its name. If the new name is intended, drop the old one by name before the table is dropped:\n"
                + proposed("DROP TRIGGER \(name);"),
            at: made ?? drop, table: trigger.table)
    }

    /// Reports indexes that are created again under their name with a different definition.
    private func remade(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        let columns = Set(rebuild.old.columns.map(\.name.foldedASCII))
        let kept = columns.intersection(rebuild.new.columns.map(\.name.foldedASCII))
        return migration.start.indexes(on: rebuild.old.name).compactMap { index in
            let statements = migration.migration.statements
            guard let now = migration.end.indexes[index.name.foldedASCII],
                now.table.foldedASCII == rebuild.new.name.foldedASCII,
                index.names.intersection(columns).isSubset(of: kept),
                !Self.isSame(index, rebuild.old, now, rebuild.new),
                // An author who drops it by name intends to create a different one.
                !statements.contains(where: { statement in
                    if case .dropIndex(let name) = statement.action {
                        name.folded == index.name.foldedASCII
                    } else {
                        false
                    }
                })
            else { return nil }
            let remaking = statements.last { statement in
                if case .createIndex(let name, _) = statement.action {
                    name.folded == index.name.foldedASCII
                } else {
                    false
                }
            }
            let isLooser = index.isUnique && !now.isUnique
            let printer = SchemaPrinter(printsSettings: false)
            return LintFault(
                isLooser ? .warning : .note,
                "index \(index.name) is recreated "
                    + (isLooser ? "without UNIQUE" : "with a different definition"),
                help: "Before the rebuild it was:\n" + proposed(printer.text(index) + ";"),
                at: remaking ?? rebuild.statement, table: rebuild.old.name)
        }
    }

    private static func isSame(_ a: Index, _ old: Table, _ b: Index, _ new: Table) -> Bool {
        func terms(_ index: Index, _ table: Table) -> [Index.Term] {
            index.terms.map { term in
                var term = term
                term.collation = index.collation(of: term, in: table)
                if case .column(let name) = term.value { term.value = .column(name.foldedASCII) }
                return term
            }
        }
        return a.isUnique == b.isUnique && a.condition == b.condition && terms(a, old) == terms(b, new)
    }

    /// Reports the AUTOINCREMENT mark, which a copy sets to the highest remaining id.
    private func mark(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        let (old, new) = (rebuild.old, rebuild.new)
        guard old.primaryKey?.isAutoincrement == true, new.primaryKey?.isAutoincrement == true,
            !migration.migration.statements.contains(where: { $0.mentions("sqlite_sequence") })
        else { return [] }
        let copy = migration.lineage[old.name]?.firstTableName ?? old.name
        var help = "Copy it in sqlite_sequence before the old table is dropped."
        if copy.foldedASCII != old.name.foldedASCII {
            help =
                "Copy it before the old table is dropped:\n"
                + proposed(
                    """
                    DELETE FROM sqlite_sequence WHERE name = \(quotedText(copy));
                    INSERT INTO sqlite_sequence(name, seq)
                    SELECT \(quotedText(copy)), seq FROM sqlite_sequence WHERE name = \(quotedText(old.name));
                    """)
        }
        return [
            LintFault(
                .note,
                "the AUTOINCREMENT mark of \(old.name) falls to the highest id that is left: ids of deleted rows are reused",
                help: help, at: rebuild.statement, table: old.name)
        ]
    }

    /// Reports AUTOINCREMENT and DEFAULT, which are not constraints, if the new table lacks them.
    private func properties(_ rebuild: LintMigration.Rebuild) -> [LintFault] {
        let (old, new) = (rebuild.old, rebuild.new)
        func fault(_ severity: Finding.Severity, _ what: String, _ column: String?) -> LintFault {
            LintFault(
                severity, "the new \(new.name) has no \(what), which the old one had",
                help: "Add it to the new table, unless the rebuild is intended to remove it.",
                at: rebuild.statement, table: new.name, column: column)
        }
        // Without its key, the table has lost more.
        let isForgotten = old.primaryKey?.isAutoincrement == true && new.primaryKey?.isAutoincrement == false
        return (isForgotten ? [fault(.warning, "AUTOINCREMENT", old.rowidAlias?.name)] : [])
            + old.columns.compactMap { column in
                guard let now = new.column(column.name), let value = column.defaultValue, value != .null,
                    now.defaultValue == nil
                else { return nil }
                return fault(.note, "DEFAULT \(value) of \(column.name)", column.name)
            }
    }
}
