import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// `minimum-sqlite`: SQL that the oldest SQLite supported by a project does not know.
struct MinimumSQLiteRule: LintRule {
    let rule = Rule.minimumSQLite
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "a statement needs a newer SQLite than the project's oldest",
        detail: """
            `sqlite:` in drydock.yml, or `--sqlite`, names the oldest SQLite that runs the migrations: a version \
            such as 3.24, or a system such as ios-15, android-11, macos-13, debian-12 or ubuntu-22.04. Without \
            it the rule says nothing. An older SQLite refuses the statement, and the migration fails there.
            """,
        bad: """
            -- sqlite: android-11, which has SQLite 3.28
            ALTER TABLE email DROP COLUMN snippet;
            """)

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
