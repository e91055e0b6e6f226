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
