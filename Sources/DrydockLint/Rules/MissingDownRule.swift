import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// `missing-down`: a migration without a way back.
struct MissingDownRule: LintRule {
    let rule = Rule.missingDown
    let severity: Finding.Severity? = nil
    let text = LintRuleText(
        summary: "a migration has no way back",
        detail:
            "If a release is withdrawn, its databases have a schema that the older release does not know. `drydock verify --rollback` tries the ways back."
    )

    func check(_ migration: LintMigration) -> [LintFault] {
        guard migration.migration.down == nil, !migration.migration.statements.isEmpty else { return [] }
        return [
            LintFault(
                .warning, "\(migration.migration.identifier) has no way back",
                help: "Write its down migration.")
        ]
    }
}
