import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// What crashes during a batch of migrations lead to, as findings: one for a rule and a migration.
struct CrashReports {
    private struct Case {
        var result: CrashCheck.Result
        var cut: CrashCut
        var migration: Migration { cut.point.migration }
    }

    let batch: [Migration]
    let format: any MigrationFormat
    /// Earlier migrations whose settings the connection still has.
    private let earlier: [Migration]
    private var cases: [Case] = []
    /// Whether a finding gets the statements by which SQLite's own shell shows it.
    private let wantsScripts: Bool

    init(batch: [Migration], _ context: ReplayContext, earlier: [Migration] = []) {
        (self.batch, self.earlier) = (batch, earlier)
        (format, wantsScripts) = (context.set.format, context.wantsScripts)
    }

    /// What differs between any two runs, and so cannot be compared.
    static func unstable(_ parts: Set<StateComparison.Part>, _ batch: [Migration]) -> NotChecked {
        NotChecked(
            .crashLoses,
            .unstable(
                migration: batch.last?.identifier ?? "",
                parts: parts.map(\.description).sorted().joined(separator: ", ")))
    }

    mutating func note(_ result: CrashCheck.Result, at cut: CrashCut) {
        if case .same = result { return }
        cases.append(Case(result: result, cut: cut))
    }

    /// Whether rows or values of a case differ.
    var hasData: Bool {
        cases.contains {
            if case .differs(let parts, _) = $0.result { parts.contains(where: \.isData) } else { false }
        }
    }

    /// - Parameter unstable: what differs between any two runs.
    func findings(without unstable: Set<StateComparison.Part>) -> [Finding] {
        batch.flatMap { migration in
            let own = cases.filter { $0.migration.identifier == migration.identifier }
            let losing = differing(own, .crashLoses) { $0.filter(\.isData).subtracting(unstable) }
            // A rule has one finding for a migration: where a start that succeeds loses rows, one that loses them and
            // fails is said to be stuck.
            return [
                stuck(own, includesLosses: losing != nil), damaged(own), losing ?? destroying(own),
                differing(own, .crashDiverges) { $0.filter { !$0.isData } }, waiting(own),
            ].compactMap(\.self)
        }
    }

    private func stuck(_ cases: [Case], includesLosses: Bool) -> Finding? {
        let stuck = cases.compactMap { entry -> (Case, CrashRestart.Failure)? in
            switch entry.result {
            case .stuck(let failure): (entry, failure)
            case .destroys(_, let failure) where includesLosses: (entry, failure)
            default: nil
            }
        }
        guard let (first, failure) = stuck.first else { return nil }
        let name = first.migration.identifier
        let text = "\(first.cut.text)\(Self.whatNeverRuns(name, failure))"
        return finding(
            .crashStuck, first, "\(text): \(failure.sentence)",
            stuck.map { entry, failure in
                let isLater = failure.migration.map { $0 != entry.migration.identifier } ?? false
                return (entry, "\(isLater ? "\(failure.migration ?? ""): " : "")\(failure.sentence)")
            })
    }

    /// The start after the crash drops the only copy of rows, and then fails.
    private func destroying(_ cases: [Case]) -> Finding? {
        let found = cases.compactMap { entry -> (Case, [String], CrashRestart.Failure)? in
            if case .destroys(let tables, let failure) = entry.result {
                (entry, tables, failure)
            } else {
                nil
            }
        }
        guard let (first, tables, failure) = found.first else { return nil }
        let rows = "the rows of \(listed(tables))"
        return finding(
            .crashLoses, first,
            "\(first.cut.text) and started again, it drops \(rows), of which this was the only copy, and fails: \(failure.sentence)",
            found.map { entry, tables, failure in
                (entry, "the rows of \(listed(tables)) are gone: \(failure.sentence)")
            })
    }

    private static func whatNeverRuns(_ name: String, _ failure: CrashRestart.Failure) -> String {
        if let later = failure.migration, later != name {
            return " and started again, \(later) never runs"
        }
        return ", it never runs again" + (failure.command.map { ", not even after '\($0)'" } ?? "")
    }

    private func differing(
        _ cases: [Case], _ rule: Rule,
        _ wanted: (Set<StateComparison.Part>) -> Set<StateComparison.Part>
    ) -> Finding? {
        let found = cases.compactMap { entry -> (Case, Sentence)? in
            guard case .differs(let parts, _) = entry.result else { return nil }
            let own = wanted(parts).map(\.description).sorted()
            guard !own.isEmpty else { return nil }
            return (entry, "\(own.prefix(4).joined(separator: ", "))\(own.count > 4 ? ", …" : "")")
        }
        guard let (first, parts) = found.first else { return nil }
        let what = rule == .crashLoses ? "other data" : "another schema or history"
        let again = first.cut.isKill ? "and started again" : "and another start"
        return finding(
            rule, first, "\(first.cut.text) \(again), it ends with \(what): \(parts)", found)
    }

    /// SQLite's own recovery leaves a database that is not whole.
    private func damaged(_ cases: [Case]) -> Finding? {
        let damaged = cases.compactMap { entry -> (Case, Sentence)? in
            if case .damaged(let message) = entry.result { (entry, Sentence(message)) } else { nil }
        }
        guard let (first, message) = damaged.first else { return nil }
        return finding(
            .crashLoses, first, "\(first.cut.text), the database is damaged: \(message)", damaged)
    }

    /// The tool refuses every start, whatever the file says: no edit helps, only a person.
    private func waiting(_ cases: [Case]) -> Finding? {
        let waiting = cases.compactMap { entry -> (Case, String)? in
            if case .needsPerson(let command) = entry.result { (entry, command) } else { nil }
        }
        guard let first = waiting.first else { return nil }
        var commands: [String] = []
        for (_, command) in waiting where !commands.contains(command) { commands.append(command) }
        let isLeftByKill = first.0.migration.unfinishedMark?.isLeftByKill ?? false
        let how = isLeftByKill ? "killed while it runs" : "where a statement fails, as on a full disk"
        let list = commands.map { "'\($0)'" }.joined(separator: " or ")
        var finding = finding(
            .crashStuck, first.0,
            "\(how), \(format.name) refuses every later start until someone runs \(list)",
            waiting.map { ($0, Sentence($1)) })
        finding.severity = .warning
        guard isLeftByKill else { return finding }
        finding.advice =
            commands.count == 1
            ? "No change to the file avoids this. Be ready to run that command for users whose database is left like this."
            : "No change to the file avoids this. Look at the database first: '\(commands[0])' is right if none of the "
                + "migration's changes are there, the other if all of them are."
        finding.place = .init(file: first.0.migration.path)
        return finding
    }

    private func finding(_ rule: Rule, _ first: Case, _ text: Sentence, _ all: [(Case, Sentence)]) -> Finding
    {
        let migration = first.migration
        // What kills between two commits show too is not the fault of a pragma; damage always is.
        let isOfWrites =
            if case .damaged = first.result { true } else { !all.contains { $0.0.cut.isOfCommits } }
        let pragma = isOfWrites ? UnsafePragma(of: migration, in: batch, after: earlier) : nil
        var finding = Finding(
            rule, Sentence("\(migration.identifier): \(text)"),
            help: pragma?.help ?? first.cut.advice ?? RestartAdvice.help(for: migration, of: format),
            migration: migration.identifier, place: first.cut.point.place)
        if let pragma, pragma.step.identifier != migration.identifier {
            // The file in which it comes to light is not to blame.
            finding.sentence =
                "\(pragma.step.identifier): \(pragma.text) is still on in \(migration.identifier), and \(text)"
            (finding.migration, finding.place) = (pragma.step.identifier, pragma.place)
        }
        if wantsScripts { finding.counterexample = Counterexample(CrashScript(first.cut, of: batch)) }
        if all.count > 1 {
            finding.evidence = Evidence(
                rowCount: nil, details: details(all.map { ($0, $1.text) }),
                areDetailsData: all.contains { $0.1.redacted != nil } ? true : nil)
        }
        return finding
    }

    /// Lists cases; where they are too many, some of each kind.
    private func details(_ all: [(Case, String)]) -> [String] {
        var lines: [[String]] = []
        var kinds: [Int: Int] = [:]
        for (entry, text) in all {
            let kind = kinds[entry.cut.kind] ?? lines.count
            if kind == lines.count { lines.append([]) }
            kinds[entry.cut.kind] = kind
            let line = "\(entry.cut.shortText): \(text)"
            if !lines[kind].contains(line) { lines[kind].append(line) }
        }
        var room = Evidence.detailLimit
        var details: [String] = []
        for (index, own) in lines.enumerated() {
            let share = max(1, room - lines[(index + 1)...].reduce(0) { $0 + min($1.count, 3) })
            details += own.prefix(min(share, room))
            room -= min(own.count, share, room)
        }
        return details
    }
}

extension Counterexample {
    fileprivate init(_ script: CrashScript) {
        self.init(
            schema: [], inserts: [], migration: script.migration, tables: [], tried: 0, isSmallest: false)
        sequels = script.sequels
    }
}

extension CrashCut {
    /// What to do where the migration itself is not the fault.
    fileprivate var advice: String? {
        guard case .between(let earlier) = cause else { return nil }
        return
            "What \(earlier) leaves on its connection, such as a PRAGMA, is gone on the next start. Put what "
            + "\(point.migration.identifier) needs of it into the same file. PRAGMA foreign_keys has an effect only before a BEGIN."
    }

    /// Whether the tool was killed, and did not fail by itself or with the machine.
    fileprivate var isKill: Bool {
        switch cause {
        case .kill, .between, .killDuring, .again: true
        case .powerCut, .diskFull, .busy: false
        }
    }

    /// Whether it came between two commits, so that SQLite had nothing to recover.
    fileprivate var isOfCommits: Bool {
        switch cause {
        case .between, .again: true
        case .kill, .killDuring, .powerCut, .diskFull, .busy: isCommitted
        }
    }

    /// Cases of one kind are listed together.
    fileprivate var kind: Int {
        switch cause {
        case .kill, .between: 0
        case .again: 1
        case .killDuring: 2
        case .powerCut: 3
        case .diskFull: 4
        case .busy: 5
        }
    }
}
