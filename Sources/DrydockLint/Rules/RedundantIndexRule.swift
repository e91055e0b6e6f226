import DrydockFindings
import DrydockState
import SQLiteSchema

/// `redundant-index`: an index that is a prefix of another index.
struct RedundantIndexRule: LintRule {
    let rule = Rule.redundantIndex
    let severity: Finding.Severity? = .note
    let text = LintRuleText(
        summary: "an index is the beginning of another one",
        detail: """
            A query that could use it can use the longer one. It may still be worth its space if the longer \
            one is much wider, so this is a note.
            """,
        bad: """
            CREATE INDEX email_on_account ON email(account_id);
            CREATE INDEX email_on_account_and_time ON email(account_id, received_at);
            """)

    func check(_ end: LintEnd) -> [LintFault] {
        IndexCover.covers(in: end.schema).filter { !$0.isWhole }.compactMap { cover in
            cover.fault(end) { name, other in
                "index \(name) is the beginning of \(other)"
            } help: {
                "If no query needs the narrower one, drop it:\n"
                    + proposed("DROP INDEX \(quotedIfNeeded($0));")
            }
        }
    }
}
