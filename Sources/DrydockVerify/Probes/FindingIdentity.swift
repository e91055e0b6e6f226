import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// What makes two findings of a step the same, whatever rows show them.
package struct FindingIdentity: Hashable, Sendable {
    package let rule: Rule
    private let table: String?
    private let column: String?
    /// The line of the statement that failed, and why SQLite refused it.
    private let line: Int?
    private let resultCode: Int32?
    /// What differs between two schemas.
    private let difference: String?
    /// What the project's own command said when it failed.
    private let words: String?

    /// Whether another finding may be the same; a line is known only where a statement failed, or once the cause is.
    package func matches(_ other: FindingIdentity) -> Bool {
        rule == other.rule && table == other.table && column == other.column
            && resultCode == other.resultCode && words == other.words && difference == other.difference
            && (line == other.line || line == nil || other.line == nil)
    }

    package init(_ finding: Finding) {
        rule = finding.rule
        // What a failure is about is known only once it is explained.
        let isFailure = finding.rule == .migrationFailed
        table = isFailure ? nil : finding.table?.foldedASCII
        column = isFailure ? nil : finding.column?.foldedASCII
        line = isFailure ? finding.place?.line : nil
        difference = [.schemaMismatch, .rollbackMismatch].contains(rule) ? finding.message : nil
        resultCode = isFailure ? finding.resultCode : nil
        words =
            isFailure && finding.evidence?.areDetailsData == true
            ? Self.words(finding.evidence?.details ?? []) : nil
    }

    /// Returns what does not depend on the rows: the constraint that SQLite names, otherwise the last line without numbers
    /// and quoted values.
    private static func words(_ lines: [String]) -> String {
        let constraint = /(?:UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: [\w., ]+)?/
        for line in lines.reversed() {
            if let match = line.firstMatch(of: constraint) { return String(match.0) }
        }
        return (lines.last ?? "").replacing(/'[^']*'|"[^"]*"|[0-9]+/, with: "")
    }
}
