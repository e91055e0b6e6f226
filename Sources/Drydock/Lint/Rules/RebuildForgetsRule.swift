import SQLiteSchema

/// `rebuild-forgets`: a table that is made anew loses what went with the old one.
struct RebuildForgetsRule: LintRule {
    let rule = Rule.rebuildForgets
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a rebuilt table loses an index, a trigger or a constraint",
        detail: """
            DROP TABLE takes a table's indexes and triggers along; a rebuild has to make them again \
            (https://www.sqlite.org/lang_altertable.html#otheralter, steps 3 and 8). AUTOINCREMENT that is lost \
            lets ids be given twice, and so does its mark, which does not move along by itself. A CHECK, DEFAULT, COLLATE or foreign key that the new table does not \
            have is a note: a rebuild may be there for that.
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
            objects(rebuild, migration) + constraints(rebuild) + mark(rebuild, migration)
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
                .warning, "\(kind) \(object) goes with the old \(name) and is not made again",
                help: "Make it again behind the rebuild:\n" + proposed(sql + ";")
                    + "\nIf it may go, drop it by name before.", at: drop, table: name)
            fault.stands = stands
            return fault
        }
        let gone = Set(rebuild.old.columns.map(\.name.foldedASCII))
            .subtracting(rebuild.new.columns.map(\.name.foldedASCII))
        let printer = SchemaPrinter(printsSettings: false)
        let indexes = migration.start.indexes(on: name).filter { index in
            migration.end.indexes[index.name.foldedASCII] == nil
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
                schema.table(name) != nil && schema.indexes[index.name.foldedASCII] == nil
                    && !IndexCover.isCovered(index, in: schema)
            }
        }
            + triggers.map { trigger in
                fault("trigger", trigger.name, printer.text(trigger)) { schema in
                    schema.table(name) != nil && schema.triggers[trigger.name.foldedASCII] == nil
                }
            }
    }

    /// The AUTOINCREMENT mark, which a copy sets to the highest id that is left.
    private func mark(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        let (old, new) = (rebuild.old, rebuild.new)
        guard old.primaryKey?.isAutoincrement == true, new.primaryKey?.isAutoincrement == true,
            !migration.migration.statements.contains(where: { $0.mentions("sqlite_sequence") })
        else { return [] }
        let copy = migration.lineage[old.name]?.firstTableName ?? old.name
        var help = "Move it along in sqlite_sequence before the old table is dropped."
        if copy.foldedASCII != old.name.foldedASCII {
            help =
                "Move it along before the old table is dropped:\n"
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
                "the AUTOINCREMENT mark of \(old.name) falls to the highest id that is left: ids of deleted rows are given again",
                help: help, at: rebuild.statement, table: old.name)
        ]
    }

    private func constraints(_ rebuild: LintMigration.Rebuild) -> [LintFault] {
        let (old, new) = (rebuild.old, rebuild.new)
        func fault(_ severity: Finding.Severity, _ what: String, _ column: String? = nil) -> LintFault {
            LintFault(
                severity, "the new \(new.name) has no \(what), which the old one had",
                help: "Add it to the new table, unless the rebuild is there to take it away.",
                at: rebuild.statement,
                table: new.name, column: column)
        }
        var faults: [LintFault] = []
        if old.primaryKey?.isAutoincrement == true, new.primaryKey?.isAutoincrement == false {
            faults.append(fault(.warning, "AUTOINCREMENT", old.rowidAlias?.name))
        }
        for column in old.columns {
            guard let now = new.column(column.name) else { continue }
            if column.notNull != nil, !new.isNotNull(now), new.rowidAlias?.name != now.name {
                faults.append(fault(.note, "NOT NULL on \(column.name)", column.name))
            }
            if let collation = column.collation, collation.foldedASCII != "binary", now.collation == nil {
                faults.append(fault(.note, "COLLATE \(collation) on \(column.name)", column.name))
            }
            if let value = column.defaultValue, value != .null, now.defaultValue == nil {
                faults.append(fault(.note, "DEFAULT \(value) of \(column.name)", column.name))
            }
        }
        faults += keys(rebuild).map { fault($0.severity, $0.what) }
        let names = Set(new.columns.map(\.name.foldedASCII))
        let oldNames = Set(old.columns.map(\.name.foldedASCII))
        for check in old.checks
        where !new.checks.contains(where: { $0.expression == check.expression })
            && check.expression.names.intersection(oldNames).isSubset(of: names)
            && !new.checks.contains(where: { $0.column != nil && $0.column == check.column })
        {
            faults.append(fault(.note, "CHECK (\(check.expression))", check.column))
        }
        for key in old.foreignKeys
        where key.columns.allSatisfy({ names.contains($0.foldedASCII) })
            && !new.foreignKeys.contains(where: {
                $0.columns.map(\.foldedASCII) == key.columns.map(\.foldedASCII)
            })
        {
            faults.append(
                fault(
                    .note, "foreign key of \(key.columns.joined(separator: ", ")) to \(key.parent)",
                    key.columns.first))
        }
        return faults
    }

    /// PRIMARY KEY, UNIQUE and STRICT, where the new table has none of the kind that does as well.
    private func keys(_ rebuild: LintMigration.Rebuild) -> [(severity: Finding.Severity, what: String)] {
        let (old, new) = (rebuild.old, rebuild.new)
        func isKept(_ terms: [KeyTerm]) -> Bool {
            terms.contains { new.column($0.column) == nil }
                || UniqueRule.isUnique(terms, in: new, Schema())
        }
        func list(_ terms: [KeyTerm]) -> String { terms.map(\.column).joined(separator: ", ") }
        var lost: [(severity: Finding.Severity, what: String)] = []
        if let key = old.primaryKey, new.primaryKey == nil, !isKept(key.terms) {
            lost.append((.warning, "PRIMARY KEY (\(list(key.terms)))"))
        }
        for unique in old.effectiveUniques where !isKept(unique.terms) {
            lost.append((.note, "UNIQUE (\(list(unique.terms)))"))
        }
        if old.isStrict, !new.isStrict { lost.append((.warning, "STRICT")) }
        return lost
    }
}
