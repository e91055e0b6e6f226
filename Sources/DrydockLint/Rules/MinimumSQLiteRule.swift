import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// `minimum-sqlite`: SQL that the oldest SQLite supported by a project does not know.
struct MinimumSQLiteRule: LintRule {
    let rule = Rule.minimumSQLite
    let severity: Finding.Severity? = .error

    func check(_ step: LintStep) -> [LintFault] {
        guard let minimum = step.minimum else { return [] }
        var seen: Set<String> = []
        return SQLiteFeature.features(of: step).filter { $0.since > minimum && seen.insert($0.what).inserted }
            .map { feature in
                LintFault(
                    nil,
                    "\(feature.what) came with SQLite \(feature.since), and the oldest to be supported is \(minimum)",
                    help: "Write it another way, or raise 'sqlite' in drydock.yml.", at: step.statement,
                    token: feature.token)
            }
    }
}
