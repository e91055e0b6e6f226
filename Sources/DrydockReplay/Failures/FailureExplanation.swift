import DrydockFindings
import DrydockMigrations
import DrydockState

/// What is known of a failure beyond SQLite's own message.
package struct FailureExplanation: Sendable {
    /// Is appended to the message, with its own punctuation.
    var detail = ""
    /// The same without values of rows; nil where it has none.
    var redactedDetail: String?
    /// What to do, in place of the general advice.
    var help: String?
    var table: String?
    var evidence: Evidence?
    /// The violation, and how much of it the state before had.
    var fault: (id: Fault.ID, baseline: Int)?

    package func added(to finding: Finding) -> Finding {
        var finding = finding
        if redactedDetail != nil || finding.redactedMessage != nil {
            finding.redactedMessage =
                (finding.redactedMessage ?? finding.message) + (redactedDetail ?? detail)
        }
        finding.message += detail
        finding.help = help ?? finding.help
        finding.table = table ?? finding.table
        finding.evidence = evidence ?? finding.evidence
        return finding
    }
}
