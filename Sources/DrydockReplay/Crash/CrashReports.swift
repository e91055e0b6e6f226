import DrydockFindings
import DrydockMigrations

/// What crashes during a batch of migrations lead to, as findings: one for a rule and a migration.
struct CrashReports {
    private struct Case {
        var result: CrashCheck.Result
        var place: (text: String, migration: Migration, place: Finding.Place)
    }

    let batch: [Migration]
    let format: any MigrationFormat
    private var cases: [Case] = []

    init(batch: [Migration], format: any MigrationFormat) {
        (self.batch, self.format) = (batch, format)
    }

    mutating func note(_ result: CrashCheck.Result, at cut: CrashCut) {
        if case .same = result { return }
        cases.append(Case(result: result, place: cut.place(in: batch)))
    }

    /// Whether rows or values of a case differ.
    var hasData: Bool {
        cases.contains {
            if case .differs(let parts) = $0.result { parts.contains(where: \.isData) } else { false }
        }
    }

    /// - Parameter unstable: what no two runs make alike.
    func findings(without unstable: Set<StateComparison.Part>) -> [Finding] {
        batch.flatMap { migration in
            let own = cases.filter { $0.place.migration.identifier == migration.identifier }
            return [
                stuck(own), differing(own, .crashLoses) { $0.filter(\.isData).subtracting(unstable) },
                differing(own, .crashDiverges) { $0.filter { !$0.isData } }, waiting(own),
            ].compactMap(\.self)
        }
    }

    private func stuck(_ cases: [Case]) -> Finding? {
        let stuck = cases.compactMap { entry -> (Case, CrashRestart.Failure)? in
            if case .stuck(let failure) = entry.result { (entry, failure) } else { nil }
        }
        guard let (first, failure) = stuck.first else { return nil }
        var finding = finding(
            .crashStuck, first, "killed \(first.place.text), it never runs again: \(failure.message)",
            stuck.map { ($0.0, $0.1.message) })
        if let redacted = failure.redactedMessage {
            finding.redactedMessage =
                "\(first.place.migration.identifier): killed \(first.place.text), it never runs again: \(redacted)"
        }
        if stuck.contains(where: { $0.1.redactedMessage != nil }) { finding.evidence?.areDetailsData = true }
        return finding
    }

    private func differing(
        _ cases: [Case], _ rule: Rule,
        _ wanted: (Set<StateComparison.Part>) -> Set<StateComparison.Part>
    ) -> Finding? {
        let found = cases.compactMap { entry -> (Case, String)? in
            guard case .differs(let parts) = entry.result else { return nil }
            let own = wanted(parts).map(\.description).sorted()
            guard !own.isEmpty else { return nil }
            return (entry, own.prefix(4).joined(separator: ", ") + (own.count > 4 ? ", …" : ""))
        }
        guard let (first, parts) = found.first else { return nil }
        let what = rule == .crashLoses ? "other data" : "another schema or history"
        return finding(
            rule, first, "killed \(first.place.text) and started again, it ends with \(what): \(parts)", found
        )
    }

    /// The tool refuses every start, whatever the file says: no edit helps, only a person.
    private func waiting(_ cases: [Case]) -> Finding? {
        let waiting = cases.compactMap { entry -> (Case, String)? in
            if case .needsPerson(let command) = entry.result { (entry, command) } else { nil }
        }
        guard let first = waiting.first else { return nil }
        var commands: [String] = []
        for (_, command) in waiting where !commands.contains(command) { commands.append(command) }
        let list = commands.map { "'\($0)'" }.joined(separator: " or ")
        var finding = finding(
            .crashStuck, first.0,
            "killed while it runs, \(format.name) refuses every later start, until a person runs \(list)",
            waiting)
        finding.severity = .warning
        finding.advice =
            commands.count == 1
            ? "No edit of the file avoids it. Be ready to run that command for users whose database was left so."
            : "No edit of the file avoids it. Look at the database first: '\(commands[0])' is right where none of the "
                + "migration's changes are there, and the other where all of them are."
        finding.place = .init(file: first.0.place.migration.path)
        return finding
    }

    private func finding(_ rule: Rule, _ first: Case, _ text: String, _ all: [(Case, String)]) -> Finding {
        let migration = first.place.migration
        var finding = Finding(
            rule, "\(migration.identifier): \(text)", help: help(migration), migration: migration.identifier,
            place: first.place.place)
        if all.count > 1 {
            let details = all.map { "\($0.0.place.text): \($0.1)" }
            finding.evidence = Evidence(rowCount: nil, details: Array(details.prefix(Evidence.detailLimit)))
        }
        return finding
    }

    /// How the migration becomes one that can be killed.
    private func help(_ migration: Migration) -> String {
        let twice =
            "make each statement safe to run twice, as CREATE TABLE IF NOT EXISTS is. A rebuild of a table cannot be."
        guard migration.transaction == .none else {
            return
                "\(format.name) commits the migration before it records it, so the next start runs it again: \(twice)"
        }
        if let mark = migration.transactionSwitch {
            return "Let \(format.name) run it in a transaction (without \(mark)), or \(twice)"
        }
        if format.policy.transaction == .none {
            return
                "\(format.name) opens no transaction: write BEGIN; before the statements of the file and COMMIT; after them, "
                + "with any PRAGMA before the BEGIN. Or \(twice)"
        }
        return "Remove what makes \(format.name) run the file without a transaction, or \(twice)"
    }
}
