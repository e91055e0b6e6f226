import SQLiteSchema

/// `foreign-key-parent`: a foreign key whose parent is not there, or has no key of these columns
/// (https://www.sqlite.org/foreignkeys.html#fk_indexes).
struct ForeignKeyParentRule: LintRule {
    let rule = Rule.foreignKeyParent
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "a foreign key names a parent that is not there or has no such key",
        detail: """
            SQLite makes such a table without a word. With foreign keys on, the first write to it fails with "no \
            such table" or "foreign key mismatch". The parent's columns must be its primary key or have a \
            UNIQUE index of exactly these columns. A warning under a tool that leaves foreign keys off.
            """,
        bad: """
            CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT);
            CREATE TABLE pet (owner TEXT REFERENCES person(email));
            """,
        good: """
            CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
            CREATE TABLE pet (owner TEXT REFERENCES person(email));
            """)

    func check(_ end: LintEnd) -> [LintFault] {
        end.schema.tables.values.sorted { $0.name < $1.name }.flatMap { table in
            table.foreignKeys.compactMap { key -> LintFault? in
                // A key that followed a rename is the rename's fault.
                guard let origin = end.origin("table", table.name), origin.statement.mentions(key.parent),
                    let fault = fault(of: key, end)
                else { return nil }
                return end.fault(
                    "table", table.name, end.foreignKeysAreOn ? .error : .warning,
                    "\(fault.message): with foreign keys on, writing to \(table.name) fails",
                    help: fault.help, word: key.parent, table: table.name, column: key.columns.first)
            }
        }
    }

    private func fault(of key: ForeignKey, _ end: LintEnd) -> (message: String, help: String)? {
        let schema = end.schema
        guard let parent = schema.table(key.parent) else {
            let folded = key.parent.foldedASCII
            let isHidden =
                schema.virtualTables[folded] != nil || schema.unparsed[folded] != nil
                || end.historyTables.contains { $0.foldedASCII == folded }
            if isHidden { return nil }
            let nearest = nearestName(to: key.parent, in: schema.tables.values.map(\.name))
            return (
                "the parent table \(key.parent) is not there",
                nearest.map { "Did you mean \($0)?" } ?? "Make it, or take the foreign key away."
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
                "the key of \(parent.name) is (\(list)), of another number of columns",
                "Name as many columns of the parent as the foreign key has."
            )
        }
        let wanted = Set(columns.map(\.foldedASCII))
        var keys = parent.uniques.map(\.terms)
        if let primary = parent.primaryKey { keys.append(primary.terms) }
        var lists = keys.map { Set($0.map(\.column.foldedASCII)) }
        for index in schema.indexes(on: parent.name) where index.isUnique && index.condition == nil {
            lists.append(
                Set(index.terms.map { if case .column(let name) = $0.value { name.foldedASCII } else { "" } })
            )
        }
        if lists.contains(wanted) { return nil }
        return (
            "\(parent.name)(\(list)) is neither its primary key nor UNIQUE",
            "Make it unique:\n"
                + proposed(
                    "CREATE UNIQUE INDEX \(quotedIfNeeded(parent.name + "_" + columns.joined(separator: "_"))) ON "
                        + "\(quotedIfNeeded(parent.name))(\(columns.map(quotedIfNeeded).joined(separator: ", ")));"
                )
        )
    }
}
