import DrydockFindings
import Synchronization

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

/// Takes the first step of a replay that has the wanted finding.
final class SceneCatcher: Sendable {
    let target: ShrinkTarget
    private let caught = Mutex<Caught?>(nil)

    struct Caught: Sendable {
        var scene: StepScene
        var finding: Finding
        var snapshot: String
    }

    init(_ target: ShrinkTarget) { self.target = target }

    var first: Caught? { caught.withLock { $0 } }

    /// - Returns: whether one of the findings is wanted, so that the replay need not go on.
    func takes(_ findings: [Finding], of snapshot: String, _ scene: @autoclosure () -> StepScene) -> Bool {
        guard let finding = findings.first(where: target.matches) else { return false }
        let new = Caught(scene: scene(), finding: finding, snapshot: snapshot)
        caught.withLock { if $0 == nil { $0 = new } }
        return true
    }
}
