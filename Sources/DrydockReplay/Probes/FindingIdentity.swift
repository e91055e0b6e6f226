import DrydockFindings
import SQLiteSchema

/// What makes two findings of a step the same, whatever rows show them.
struct FindingIdentity: Hashable, Sendable {
    let rule: Rule
    private let table: String?
    private let column: String?
    /// The line of the statement that failed, and why SQLite refused it.
    private let line: Int?
    private let resultCode: Int32?

    /// Whether another finding may be the same; a line is known only where a statement failed, or once the cause is.
    func matches(_ other: FindingIdentity) -> Bool {
        rule == other.rule && table == other.table && column == other.column
            && resultCode == other.resultCode && (line == other.line || line == nil || other.line == nil)
    }

    init(_ finding: Finding) {
        rule = finding.rule
        // What a failure is about is known only once it is explained.
        let isFailure = finding.rule == .migrationFailed
        table = isFailure ? nil : finding.table?.foldedASCII
        column = isFailure ? nil : finding.column?.foldedASCII
        line = isFailure ? finding.place?.line : nil
        resultCode = isFailure ? finding.resultCode : nil
    }
}
