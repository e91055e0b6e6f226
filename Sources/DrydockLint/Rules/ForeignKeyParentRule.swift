import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `foreign-key-parent`: a foreign key with a parent that does not exist, or has no key of these columns
/// (https://www.sqlite.org/foreignkeys.html#fk_indexes).
struct ForeignKeyParentRule: LintRule {
    let rule = Rule.foreignKeyParent
    let speaksOfMissing = true
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "a foreign key names a parent that does not exist or has no such key",
        detail: """
            SQLite creates such a table without an error. With foreign keys on, the first write to it fails \
            with "no such table" or "foreign key mismatch". The parent's columns must be its primary key or \
            have a UNIQUE index of exactly these columns. This is a warning under a tool that leaves foreign \
            keys off.
            """,
        bad: """
            CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT);
            CREATE TABLE pet (owner TEXT REFERENCES person(email));
            """,
        good: """
            CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
            CREATE TABLE pet (owner TEXT REFERENCES person(email));
            """)

    /// Reports keys that a migration removes from under existing children.
    func check(_ migration: LintMigration) -> [LintFault] {
        let taken = taken(migration)
        guard !taken.isEmpty else { return [] }
        let (start, end) = (migration.start, migration.end)
        return end.tables.values.sorted { $0.name < $1.name }.flatMap { table -> [LintFault] in
            guard let was = start.table(table.name) else { return [] }
            return table.foreignKeys.compactMap { key in
                guard let statement = taken[key.parent.foldedASCII],
                    was.foreignKeys.contains(where: { Self.isSame($0, key) }),
                    let fault = fault(of: key, end, []), self.fault(of: key, start, []) == nil
                else { return nil }
                var found = LintFault(
                    migration.foreignKeysAreOn ? .error : .warning,
                    "\(fault.message), and \(table.name) references it: with foreign keys on, writing to \(table.name) fails",
                    help: "Remove the foreign key first, or recreate what it needs.", at: statement,
                    table: table.name, column: key.columns.first)
                found.stands = { schema in
                    schema.table(table.name)?.foreignKeys.contains { now in
                        Self.isSame(now, key) && self.fault(of: now, schema, []) != nil
                    } ?? false
                }
                return found
            }
        }
    }

    private static func isSame(_ a: ForeignKey, _ b: ForeignKey) -> Bool {
        a.parent.foldedASCII == b.parent.foldedASCII
            && a.columns.map(\.foldedASCII) == b.columns.map(\.foldedASCII)
    }

    /// Returns tables that were dropped or lost an index or a column, with the statement that did it.
    private func taken(_ migration: LintMigration) -> [String: SQLStatement] {
        var taken: [String: SQLStatement] = [:]
        for statement in migration.migration.statements {
            switch statement.action {
            case .dropTable(let name) where name.isMain: taken[name.folded] = statement
            case .dropIndex(let name) where name.isMain:
                if let index = migration.start.indexes[name.folded] {
                    taken[index.table.foldedASCII] = statement
                }
            default: break
            }
        }
        return taken
    }

    func check(_ end: LintEnd) -> [LintFault] {
        end.schema.tables.values.sorted { $0.name < $1.name }.flatMap { table in
            table.foreignKeys.compactMap { key -> LintFault? in
                // A key that followed a rename is the rename's fault, and a removed one is that statement's.
                guard end.isNamed(key.parent, by: key.columns, of: table.name),
                    let fault = fault(of: key, end.schema, end.historyTables),
                    !end.isSaid(rule, table.name, key.columns.first)
                else { return nil }
                return end.fault(
                    .table(table.name), end.foreignKeysAreOn ? .error : .warning,
                    "\(fault.message): with foreign keys on, writing to \(table.name) fails",
                    help: fault.help, word: key.parent, table: table.name, column: key.columns.first)
            }
        }
    }

    private func fault(
        of key: ForeignKey, _ schema: Schema, _ historyTables: [String]
    ) -> (message: String, help: String)? {
        guard let parent = schema.table(key.parent) else {
            let folded = key.parent.foldedASCII
            let isHidden =
                schema.virtualTables[folded] != nil || schema.unparsed[folded] != nil
                || historyTables.contains { $0.foldedASCII == folded }
            if isHidden { return nil }
            let nearest = nearestName(to: key.parent, in: schema.tables.values.map(\.name))
            return (
                "the parent table \(key.parent) does not exist",
                nearest.map { "Did you mean \($0)?" } ?? "Create it, or remove the foreign key."
            )
        }
        guard let columns = schema.parentColumns(of: key) else {
            return (
                "\(parent.name) has no primary key to reference",
                "Name the columns, or give it a primary key."
            )
        }
        let list = columns.joined(separator: ", ")
        guard columns.allSatisfy({ parent.column($0) != nil }) else {
            return ("\(parent.name) has no column \(list)", "Name the columns of its key.")
        }
        guard columns.count == key.columns.count else {
            return (
                "the key of \(parent.name) is (\(list)), which has a different number of columns",
                "Name as many columns of the parent as the foreign key has."
            )
        }
        let wanted = Set(columns.map(\.foldedASCII))
        if key.parentColumns == nil || Self.hasKey(parent, wanted, schema) { return nil }
        let isOther = Self.hasKey(parent, wanted, schema, inItsCollation: false)
        return (
            "\(parent.name)(\(list)) is "
                + (isOther
                    ? "UNIQUE, but in a different collation than its own"
                    : "neither its primary key nor UNIQUE"),
            "Make it unique:\n"
                + proposed(
                    "CREATE UNIQUE INDEX \(quotedIfNeeded(parent.name + "_" + columns.joined(separator: "_"))) ON "
                        + "\(quotedIfNeeded(parent.name))(\(columns.map(quotedIfNeeded).joined(separator: ", ")));"
                )
        )
    }

    /// Whether the columns of a parent are unique as `sqlite3FkLocateIndex` of fkey.c requires: without a condition,
    /// and each column in its own collation.
    private static func hasKey(
        _ parent: Table, _ wanted: Set<String>, _ schema: Schema, inItsCollation: Bool = true
    ) -> Bool {
        if let alias = parent.rowidAlias, wanted == [alias.name.foldedASCII] { return true }
        var keys = parent.uniques.map(\.terms)
        if let primary = parent.primaryKey { keys.append(primary.terms) }
        func isKey(_ columns: [(name: String, collation: String)]) -> Bool {
            Set(columns.map(\.name.foldedASCII)) == wanted
                && columns.allSatisfy { column in
                    !inItsCollation
                        || column.collation
                            == (parent.column(column.name)?.collation ?? "BINARY").uppercased()
                }
        }
        if keys.contains(where: { isKey($0.map { ($0.column, parent.collation(of: $0)) }) }) { return true }
        return schema.indexes(on: parent.name).contains { index in
            index.isUnique && index.condition == nil
                && isKey(
                    index.terms.map { term in
                        if case .column(let name) = term.value {
                            (name, index.collation(of: term, in: parent))
                        } else {
                            ("", "")
                        }
                    })
        }
    }
}
