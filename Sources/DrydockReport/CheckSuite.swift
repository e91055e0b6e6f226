import Drydock
import SQLiteSchema

/// What a report says of one snapshot, database or file, in the form of a test run: for programs that show tests.
struct CheckSuite {
    var name: String
    var seconds = 0.0
    var properties: [(name: String, value: String)] = []
    var cases: [CheckCase] = []
}

/// One thing that was checked, or was not.
struct CheckCase {
    enum Outcome: Equatable {
        case passed, failed
        /// Not checked, and why.
        case skipped(String)
    }

    /// The step and the rule, or what else there is.
    var name: String
    var seconds = 0.0
    var outcome = Outcome.passed
    /// What was found there; also of a case that passed, if it warns.
    var findings: [Finding] = []
    /// The same of many databases, where what they share is one.
    var groups: [FindingGroup] = []
    /// The step that it belongs to.
    var migration: String?
}

extension CheckCase {
    /// What was found first, and in one line.
    func first(_ options: RenderOptions) -> (finding: Finding, line: String)? {
        if let group = groups.first { return (finding: group.findings[0], line: group.line(options)) }
        return findings.first.map { (finding: $0, line: $0.message(options)) }
    }

    /// All that was found, as blocks of text.
    func blocks(_ options: RenderOptions) -> [String] {
        let shown = groups.prefix(Self.groupLimit).map { block($0, options) }
        let left = groups.dropFirst(Self.groupLimit).reduce(0) { $0 + $1.findings.count }
        return findings.map { block(FindingGroup(findings: [$0]), options) } + shown
            + (left > 0 ? [Report.leftOut(left) + "\n"] : [])
    }

    /// Returns a finding, or what several live databases have in common.
    private func block(_ group: FindingGroup, _ options: RenderOptions) -> String {
        guard group.isOfDatabases else { return FindingsText(options: options).block(group) }
        return "\(group.findings[0].label) \(FindingsText(options: options.plain).words(group))\n"
    }

    private static let groupLimit = 20
}

extension CheckSuite {
    /// Returns the suites of a report: at least one, each with at least one case. A case fails if, and only if, the run
    /// has failed.
    static func suites(of report: Report) -> [CheckSuite] {
        if report.isFleet { return [FleetSuite(report).suite] }
        let findings = report.reported
        var builder = SuiteBuilder(report)
        let ofSnapshot = Dictionary(grouping: findings, by: \.snapshot)
        for replay in report.replays { builder.add(replay, ofSnapshot[replay.snapshot] ?? []) }
        let (ofDatabase, gaps) = (Dictionary(grouping: findings, by: \.database), report.gapsByDatabase)
        for database in report.health?.databases ?? [] {
            builder.add(database, ofDatabase[database.path] ?? [], gaps[database.path] ?? [])
        }
        for finding in findings { builder.add(finding) }
        for entry in report.notChecked { builder.add(entry) }
        if let lock = report.lock { builder.add(lock) }
        builder.addWhole()
        builder.sort()
        return builder.suites
    }
}

private struct SuiteBuilder {
    private(set) var suites: [CheckSuite] = []
    private let report: Report
    private var indexes: [String: Int] = [:]
    /// The case of each suite and name.
    private var cases: [String: Int] = [:]
    private let replays: [String: ReplaySummary]

    init(_ report: Report) {
        self.report = report
        replays = Dictionary(
            report.replays.map { ($0.snapshot, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter findings: those of the snapshot.
    mutating func add(_ replay: ReplaySummary, _ findings: [Finding]) {
        let index = index(of: replay.snapshot)
        suites[index].seconds = replay.seconds
        suites[index].properties += [
            ("from", replay.from ?? replay.start.rawValue), ("to", replay.to ?? "not replayed"),
            ("rowsCompared", "\(replay.rowsCompared)"), ("tablesUntouched", "\(replay.tablesUntouched)"),
            ("pagesWritten", "\(replay.steps.reduce(0) { $0 + $1.pagesWritten })"),
            ("baseline", replay.baseline.rawValue),
        ]
        if replay.isProbe {
            suites[index].properties.append(("rowsGenerated", "\(replay.rowsGenerated)"))
        }
        let failed = Set(findings.filter(report.fails).map(\.migration))
        for step in replay.steps where !failed.contains(step.migration) {
            suites[index].cases.append(
                CheckCase(name: step.migration, seconds: step.seconds, migration: step.migration))
        }
        if replay.pendingCount > 0 {
            suites[index].cases.append(
                CheckCase(
                    name: counted(replay.pendingCount, "pending migration"),
                    outcome: .skipped("the replay stopped before")))
        } else if replay.steps.isEmpty, !findings.contains(where: report.fails) {
            let outcome = replay.to == nil ? CheckCase.Outcome.skipped("it was not replayed") : .passed
            suites[index].cases.append(
                CheckCase(name: replay.to.map { "at \($0)" } ?? "replay", outcome: outcome))
        }
    }

    /// - Parameter findings: those of the database.
    mutating func add(_ health: DatabaseHealth, _ findings: [Finding], _ gaps: [NotChecked]) {
        let index = index(of: health.path)
        suites[index].seconds = health.seconds
        suites[index].properties += health.measures.map { ($0.name, "\($0.value)") }
        // What has findings gets a case of its own, also where they are only notes.
        let found = Set(findings.map(\.rule))
        // What was checked only in part is listed as not checked.
        let unreached = Set(gaps.map(\.rule))
        for rule in health.checked where !found.contains(rule) && !unreached.contains(rule) {
            suites[index].cases.append(CheckCase(name: rule.rawValue))
        }
    }

    mutating func add(_ finding: Finding) {
        let suite = index(of: finding.snapshot ?? finding.database ?? finding.place?.file)
        // Findings of one step and rule are one case; what only warns is not among what fails.
        let name =
            [finding.migration, finding.rule.rawValue].compactMap(\.self).joined(separator: ": ")
            + (report.fails(finding) ? "" : " (\(finding.severity.rawValue)s)")
        let key = "\(suite) \(name)"
        let place = cases[key]
        let index = place ?? suites[suite].cases.count
        if place == nil {
            suites[suite].cases.append(CheckCase(name: name, migration: finding.migration))
            cases[key] = index
            if report.fails(finding) { suites[suite].cases[index].seconds = seconds(of: finding) }
        }
        suites[suite].cases[index].findings.append(finding)
        if report.fails(finding) {
            suites[suite].cases[index].outcome = .failed
        } else if finding.tags.contains(.notChecked) {
            suites[suite].cases[index].outcome = .skipped(finding.message)
        }
    }

    mutating func add(_ entry: NotChecked) {
        let suite = index(of: entry.snapshot ?? entry.database)
        let name = entry.rule.rawValue + (entry.table.map { ": \($0)" } ?? "")
        suites[suite].cases.append(CheckCase(name: name, outcome: .skipped(entry.reason)))
    }

    mutating func add(_ lock: LockSummary) {
        let suite = index(of: lock.path)
        suites[suite].properties += [
            ("migrations", "\(lock.migrationCount)"), ("snapshots", "\(lock.snapshotCount)"),
        ]
        for (names, what) in [(lock.added, "added"), (lock.replaced, "replaced"), (lock.removed, "removed")] {
            suites[suite].cases += names.map { CheckCase(name: "\($0): \(what)") }
        }
        suites[suite].cases += lock.unlocked.map {
            CheckCase(name: $0, outcome: .skipped("it is not locked"))
        }
    }

    /// Brings what was found at a step to that step.
    mutating func sort() {
        for replay in report.replays {
            let index = index(of: replay.snapshot)
            var places: [String: Int] = [:]
            for (place, step) in replay.steps.enumerated() { places[step.migration] = place }
            let ranked = suites[index].cases.enumerated().map { number, test in
                (test.migration.flatMap { places[$0] } ?? replay.steps.count, number, test)
            }
            suites[index].cases = ranked.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
        }
    }

    /// Adds a case for what has none of its own: how much was read.
    mutating func addWhole() {
        let name: String? =
            switch report.body {
            case .lint(let lint):
                lint.migrations == 0
                    ? nil
                    : "\(counted(lint.migrations, "migration")), \(counted(lint.statements, "statement"))"
            case .lock(let lock):
                "\(counted(lock.migrationCount, "migration")) and \(counted(lock.snapshotCount, "snapshot"))"
            case .migrate(let migrate):
                migrate.outcome == .pending ? nil : migrate.outcome.rawValue
            case .diff(let diff): diff.isSame ? "\(diff.old) and \(diff.new) are the same" : nil
            case .vacuum(let vacuum): vacuum.method.rawValue
            case .rollOut(let rollOut): counted(rollOut.databases.count, "database")
            case .vacuums(let vacuums): counted(vacuums.databases.count, "database")
            case .verify, .health: nil
            }
        // A case that passes would hide that something failed, or that nothing was checked.
        let isEmpty = suites.allSatisfy(\.cases.isEmpty)
        guard isEmpty || report.hasPassed && name != nil else { return }
        let path: String? =
            switch report.body {
            case .lock(let lock): lock.path
            case .migrate(let migrate): migrate.database
            case .vacuum(let vacuum): vacuum.database
            default: nil
            }
        let suite = index(of: path)
        if let name, report.hasPassed {
            suites[suite].cases.insert(CheckCase(name: name, seconds: report.seconds), at: 0)
        } else {
            suites[suite].cases.append(
                CheckCase(name: report.command, outcome: .skipped("there was nothing to check")))
        }
    }

    /// Returns the suite of a path, or that of the whole run.
    private mutating func index(of path: String?) -> Int {
        let name = path ?? "drydock \(report.command)"
        if let index = indexes[name] { return index }
        indexes[name] = suites.count
        suites.append(CheckSuite(name: name))
        return suites.count - 1
    }

    private func seconds(of finding: Finding) -> Double {
        let replay = finding.snapshot.flatMap { replays[$0] }
        return replay?.steps.first { $0.migration == finding.migration }?.seconds ?? 0
    }
}
