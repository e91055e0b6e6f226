import DrydockReplay
import DrydockFindings
import SQLiteSchema

/// `refused-in-transaction`: a statement that SQLite refuses inside the transaction that the tool opens.
struct TransactionRule: LintRule {
    let rule = Rule.refusedInTransaction
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "a statement is refused by SQLite inside the tool's transaction",
        detail: """
            VACUUM, PRAGMA synchronous = ..., and PRAGMA journal_mode = WAL on a database that has another \
            mode, are errors inside a transaction, and the migration fails. BEGIN and COMMIT are \
            `transaction-ended`; a PRAGMA that has no effect is `pragma-ignored`.
            """,
        bad: "VACUUM;")

    func check(_ step: LintStep) -> [LintFault] {
        guard step.connection.isInTransaction else { return [] }
        switch step.action {
        case .vacuum:
            return [
                LintFault(
                    .error, "VACUUM fails inside a transaction, and the migration with it",
                    help: TransactionAdvice.vacuum,
                    at: step.statement)
            ]
        case .pragma(_, let name, let value?)
        where name.foldedASCII == "journal_mode" && value.foldedASCII == "wal":
            return [
                LintFault(
                    .error, "PRAGMA journal_mode = WAL fails inside a transaction",
                    help: TransactionAdvice.setting, at: step.statement)
            ]
        case .pragma(let schema, let name, _?)
        where name.foldedASCII == "synchronous" && schema?.foldedASCII != "temp":
            return [
                LintFault(
                    .error, "PRAGMA synchronous fails inside a transaction, and the migration with it",
                    help: TransactionAdvice.setting, at: step.statement)
            ]
        default: return []
        }
    }
}
