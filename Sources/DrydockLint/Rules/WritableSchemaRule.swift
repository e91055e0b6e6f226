import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// `writable-schema`: a statement writes to sqlite_schema (https://www.sqlite.org/pragma.html#pragma_writable_schema).
struct WritableSchemaRule: LintRule {
    let rule = Rule.writableSchema
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "sqlite_schema is written by hand",
        detail: """
            A typing error there makes the database permanently unreadable, and existing rows are not \
            checked against the new SQL. Apple's SQLite refuses it in its defensive mode. Rebuild the table \
            instead.
            """,
        bad: "PRAGMA writable_schema = ON;")

    func check(_ step: LintStep) -> [LintFault] {
        switch step.action {
        case .pragma(_, let name, let value?)
        where name.foldedASCII == "writable_schema" && StaticChecks.isTrue(value):
            return [
                LintFault(
                    nil, "writable_schema lets the migration write sqlite_schema without any check",
                    help: "Rebuild the table: drydock diff --sql writes the statements.", at: step.statement)
            ]
        default: return []
        }
    }
}
