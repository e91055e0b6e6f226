import DrydockFindings
import DrydockState
import SQLiteSchema

/// `foreign-key-without-index`: child columns with which no index begins
/// (https://www.sqlite.org/foreignkeys.html#fk_indexes).
struct ForeignKeyIndexRule: LintRule {
    let rule = Rule.foreignKeyWithoutIndex
    let severity: Finding.Severity? = .note
    let text = LintRuleText(
        summary: "a foreign key's columns have no index",
        detail: """
            With foreign keys on, every DELETE and key UPDATE of a parent row reads the whole child table, unless \
            an index begins with the key's columns.
            """,
        bad: "CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES person(id));",
        good: """
            CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES person(id));
            CREATE INDEX pet_on_owner_id ON pet(owner_id);
            """)

    func check(_ end: LintEnd) -> [LintFault] {
        end.schema.tables.values.sorted { $0.name < $1.name }.flatMap { table in
            table.foreignKeys.compactMap { key -> LintFault? in
                guard !IndexCover.isCovered(key, table, end.schema) else { return nil }
                let columns = key.columns.map(quotedIfNeeded).joined(separator: ", ")
                let name = quotedIfNeeded("\(table.name)_on_\(key.columns.joined(separator: "_"))")
                return end.fault(
                    .table(table.name), nil,
                    "no index begins with \(columns): each row deleted from \(key.parent) causes a scan of all of \(table.name)",
                    help: "Create one:\n"
                        + proposed("CREATE INDEX \(name) ON \(quotedIfNeeded(table.name))(\(columns));"),
                    word: key.columns.first, table: table.name, column: key.columns.first)
            }
        }
    }
}
