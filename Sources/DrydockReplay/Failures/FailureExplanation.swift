import DrydockFindings
import DrydockMigrations
import DrydockState

/// What is known of a failure beyond SQLite's own message.
package struct FailureExplanation: Sendable {
    /// Appended to the message, with its own punctuation.
    var detail: Sentence = ""
    /// What to do, in place of the general advice.
    var help: Help?
    var table: String?
    var evidence: Evidence?
    /// Why it is so beyond SQLite's message, without values and counts of rows: see ``Finding/reason``.
    package var reason: String?
    /// The statement that the reason names.
    var reasonPlace: Finding.Place?
    /// The violation, and its count in the state before.
    var probe: CulpritProbe?

    init(
        detail: Sentence = "", help: (some HelpConvertible)? = Help?.none, table: String? = nil,
        evidence: Evidence? = nil
    ) {
        (self.detail, self.help) = (detail, help?.asHelp)
        (self.table, self.evidence) = (table, evidence)
    }

    package func added(to finding: Finding) -> Finding {
        var finding = finding
        finding.sentence += detail
        finding.advice = help ?? finding.advice
        finding.table = table ?? finding.table
        finding.evidence = evidence ?? finding.evidence
        finding.add(reason: reason, at: reasonPlace)
        return finding
    }
}
