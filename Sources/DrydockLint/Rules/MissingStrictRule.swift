import DrydockFindings
import SQLiteSchema

/// `missing-strict`: a table that accepts values of any type (https://www.sqlite.org/stricttables.html).
struct MissingStrictRule: LintRule {
    let rule = Rule.missingStrict
    let severity: Finding.Severity? = nil

    func check(_ step: LintStep) -> [LintFault] {
        guard case .createTable(let name, false, false) = step.action, step.before.table(name.name) == nil,
            let table = step.after.table(name.name), !table.isStrict
        else { return [] }
        return [
            LintFault(
                .warning, "\(table.name) is not STRICT: its columns take values of any type",
                help:
                    "Write STRICT after the last parenthesis; columns are then INT, INTEGER, REAL, TEXT, BLOB or ANY.",
                at: step.statement, table: table.name)
        ]
    }
}
