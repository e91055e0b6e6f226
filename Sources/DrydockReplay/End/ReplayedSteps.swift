import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState

/// What the steps so far have found, and what later steps and the checks of the end need to know of them.
package struct ReplayedSteps {
    /// The findings of the steps' rules, each with the number of steps taken by then.
    private var findings: [(finding: StepFinding, step: Int)] = []
    /// The steps in order; one that stands for several migrations has the statements of all.
    private(set) var migrations: [Migration] = []
    /// Whether the rows of a table that is gone were found in one that remained.
    private(set) var hasMovedRows = false
    /// What became of the names of tables.
    private(set) var names = RenameHistory()
    /// Temporary tables that the migrations so far left on their connection.
    package private(set) var temporaries: Set<String> = []
    /// Full-text indexes that once read another table, by folded name.
    private(set) var searched: [String: SearchedIndex] = [:]
    /// How objects read names in double quotes until a step took the column, or the object.
    private(set) var former: [Catalog.ObjectID: QuotedReadings] = [:]
    /// Messages of integrity_check that findings of the steps report.
    private(set) var damage: Set<String> = []
    /// All pages that any step changed; nil where that is not known.
    package var changedPages: Set<UInt32>? = []

    mutating func append(_ outcome: StepVerification.Outcome, of migration: Migration) {
        migrations.append(migration)
        hasMovedRows = hasMovedRows || outcome.hasMovedRows
        (temporaries, searched) = (outcome.temporaries, outcome.searched)
        former = outcome.former
        damage.formUnion(outcome.damage)
        names.append(outcome.names)
        findings += outcome.findings.map { pending in
            var pending = pending
            pending.finding.migration = migration.identifier
            pending.finding.place = pending.finding.place ?? .init(file: migration.path)
            return (pending, names.steps.count)
        }
    }

    package var findingsOfLastStep: [Finding] {
        findings.filter { $0.step == names.steps.count }.map(\.finding.finding)
    }

    /// Hands over the findings. Errors that a later step fixed become warnings, and warnings notes.
    /// - Parameter end: The last state; nil where there is none, so that nothing is known to be fixed.
    mutating func settled(at end: DatabaseState?) -> [Finding] {
        defer { findings = [] }
        let names = names
        return findings.compactMap { pending, step -> Finding? in
            var finding = pending.finding
            let lastName = { name in names.lastName(of: name, after: step) }
            let isFixed = end.map { end in
                pending.stands.map { !$0(end, lastName) } ?? false
            }
            if isFixed ?? true, pending.isForgottenOnceFixed { return nil }
            if isFixed == true, finding.severity > .note {
                finding.severity = finding.severity == .error ? .warning : .note
                finding.tags.append(.healed)
                finding.sentence += "; a later migration fixes it"
            } else if let end, let substitute = pending.substitute?(end, lastName) {
                finding.sentence += "; \(substitute)"
                // Where nothing was broken in between, it is as if one step had made the other object.
                if pending.isForgottenOnceFixed { finding.severity = min(finding.severity, .warning) }
            }
            return finding
        }
    }
}
