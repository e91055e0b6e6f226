import DrydockFindings
import DrydockReplay
import DrydockVerify

/// Which finding of a run is made small: the first one that fits.
///
///     ShrinkTarget(rule: .rowsLost, table: "pet")
public struct ShrinkTarget: Sendable {
    /// nil for any error.
    public var rule: Rule?
    /// The name of a table; nil for any.
    public var table: String?
    /// The identifier of a migration; nil for any.
    public var migration: String?

    public init(rule: Rule? = nil, table: String? = nil, migration: String? = nil) {
        (self.rule, self.table, self.migration) = (rule, table, migration)
    }

    func matches(_ finding: Finding) -> Bool {
        (rule.map { finding.rule == $0 && finding.severity > .note } ?? (finding.severity == .error))
            && (table.map { finding.table?.foldedASCII == $0.foldedASCII } ?? true)
            && (migration.map { finding.migration == $0 } ?? true)
    }
}
