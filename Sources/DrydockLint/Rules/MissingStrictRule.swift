import DrydockFindings
import SQLiteSchema

/// `missing-strict`: a table that accepts values of any type (https://www.sqlite.org/stricttables.html).
struct MissingStrictRule: LintRule {
    let rule = Rule.missingStrict
    let severity: Finding.Severity? = nil
    let text = LintRuleText(
        summary: "a new table is not STRICT",
        detail: "An ordinary table stores 'abc' in an INTEGER column. STRICT, since SQLite 3.37, refuses it.",
        bad: "CREATE TABLE account (id INTEGER PRIMARY KEY, age INTEGER);",
        good: "CREATE TABLE account (id INTEGER PRIMARY KEY, age INTEGER) STRICT;")

    func check(_ step: LintStep) -> [LintFault] {
        guard case .createTable(let name, false, false) = step.action, step.before.table(name.name) == nil,
            let table = step.after.table(name.name), !table.isStrict
        else { return [] }
        return [
            LintFault(
                .warning, "\(table.name) is not STRICT: its columns accept values of any type",
                help:
                    "Write STRICT after the last parenthesis; columns are then INT, INTEGER, REAL, TEXT, BLOB or ANY.",
                at: step.statement, table: table.name)
        ]
    }
}
