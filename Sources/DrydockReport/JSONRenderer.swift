import Drydock

/// Renders the JSON contract, `formatVersion` 1. Fields are only ever added to a version.
package struct JSONRenderer: ReportRenderer {
    package let name = "json"

    private let isIndented: Bool

    /// - Parameter isIndented: whether a report has several lines; one line is for output that goes on.
    package init(isIndented: Bool = true) { self.isIndented = isIndented }

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        func text(_ body: some Encodable) -> String {
            jsonText(JSONEnvelope(report, options, body), isIndented: isIndented)
        }
        return switch report.body {
        case .verify(let verify): text(JSONVerify(replays: verify.replays.map(JSONReplay.init)))
        case .lint(let lint): text(JSONLint(lint))
        // An empty list of replays, as the first versions wrote it.
        case .lock(let lock): text(JSONLocked(lock: JSONLock(lock), replays: []))
        case .migrate(let migrate):
            text(
                JSONMigrated(
                    migration: JSONMigration(migrate), replays: migrate.replays.map(JSONReplay.init)))
        case .health(let health): text(JSONHealth(health, report.healthTotals))
        case .rollOut(let rollOut): text(JSONRollOut(rollOut))
        case .diff(let diff): text(JSONDiff(diff))
        case .vacuum(let vacuum): text(JSONVacuum(vacuum))
        case .vacuums(let vacuums): text(JSONVacuums(vacuums, options))
        }
    }

    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    {
        FailureRenderer.json(error, of: command, isIndented: isIndented)
    }
}

private struct JSONVerify: Encodable {
    var replays: [JSONReplay]
}

private struct JSONLint: Encodable {
    /// How much was read.
    var linted: JSONLinted
    /// For `lint --fix`.
    var fixed: [JSONFix]?

    init(_ lint: LintSummary) {
        linted = JSONLinted(migrations: lint.migrations, statements: lint.statements)
        fixed = lint.fixed.map { $0.map(JSONFix.init) }
    }
}

private struct JSONLocked: Encodable {
    var lock: JSONLock
    var replays: [JSONReplay]
}

private struct JSONMigrated: Encodable {
    var migration: JSONMigration
    var replays: [JSONReplay]
}

struct JSONHealth: Encodable {
    var databases: [JSONDatabase]
    var finishedAt: Double
    /// Of several databases.
    var totals: JSONHealthTotals?

    init(_ health: HealthSummary, _ totals: HealthTotals? = nil) {
        databases = health.databases.map(JSONDatabase.init)
        finishedAt = (health.finishedAt * 1000).rounded() / 1000
        self.totals = totals.flatMap { $0.databases > 1 ? JSONHealthTotals($0) : nil }
    }
}

/// Percentiles of a figure over several databases.
struct JSONSpread: Encodable {
    var least, median, percentile90, percentile99, most: Double
    /// Missing where a sum means nothing.
    var sum: Double?

    init(_ spread: Spread, hasSum: Bool = true) {
        (least, median, most) = (spread.least, spread.median, spread.most)
        (percentile90, percentile99) = (spread.percentile90, spread.percentile99)
        sum = hasSum ? spread.sum : nil
    }
}

struct JSONHealthTotals: Encodable {
    var databases: Int
    /// How many databases are in each state, by its name.
    var states: [String: Int]
    var bytes, freeRatio: JSONSpread?
    /// The paths of those that are not healthy, the worst first.
    var worst: [String]

    private static let worstLimit = 10

    init(_ totals: HealthTotals) {
        databases = totals.databases
        states = Dictionary(
            uniqueKeysWithValues: HealthTotals.State.allCases.map { ($0.rawValue, totals.counts[$0] ?? 0) })
        bytes = totals.size.map { JSONSpread($0) }
        freeRatio = totals.freeRatio.map { JSONSpread($0, hasSum: false) }
        worst = totals.cases.prefix(Self.worstLimit).map(\.path)
    }
}

private struct JSONLinted: Encodable {
    var migrations, statements: Int
}

private struct JSONFix: Encodable {
    var rule, message, file: String
    var migration: String?
    var line, linePosition: Int?
    /// The line after the fix.
    var lineText: String?

    init(_ fix: LintFix) {
        rule = fix.rule.rawValue
        message = fix.message
        migration = fix.migration
        file = fix.place.file
        line = fix.place.line
        linePosition = fix.place.column
        lineText = fix.place.lineText
    }
}

struct JSONDatabase: Encodable {
    var path: String
    var trouble: String?
    var seconds: Double
    var known: Int
    var checked: [String]
    var measures: [String: Double]

    init(_ health: DatabaseHealth) {
        (path, trouble, known) = (health.path, health.trouble, health.knownCount)
        checked = health.checked.map(\.rawValue)
        seconds = rounded(health.seconds)
        measures = Dictionary(health.measures.map { ($0.name, $0.value) }) { $1 }
    }
}

private struct JSONReplay: Encodable {
    struct Step: Encodable {
        var migration: String
        var seconds: Double
        var pagesWritten, bytesWritten: Int
        var statementSeconds: [Double]
    }

    var snapshot: String
    /// Present if the rows were generated.
    var probe: Bool?
    var rowsGenerated: Int?
    var from, to: String?
    /// The start if no migration of the folder was applied: `empty`, `base` or `unknown`.
    var start: String?
    var pending, rowsCompared, tablesUntouched: Int
    var baseline: String
    var tablesChecked: Int?
    var crashStates, crashFaults, crashPowerCuts: Int?
    var sqliteVersions: [String]?
    var seconds: Double
    var steps: [Step]

    init(_ replay: ReplaySummary) {
        snapshot = replay.snapshot
        (probe, rowsGenerated) = replay.isProbe ? (true, replay.rowsGenerated) : (nil, nil)
        from = replay.from
        start = replay.from == nil ? replay.start.rawValue : nil
        to = replay.to
        pending = replay.pendingCount
        rowsCompared = replay.rowsCompared
        tablesUntouched = replay.tablesUntouched
        baseline = replay.baseline.rawValue
        tablesChecked = replay.tablesChecked
        crashStates = replay.crashStates
        crashFaults = replay.crashFaults
        crashPowerCuts = replay.crashPowerCuts
        sqliteVersions = replay.sqliteVersions
        seconds = rounded(replay.seconds)
        steps = replay.steps.map {
            Step(
                migration: $0.migration, seconds: rounded($0.seconds), pagesWritten: $0.pagesWritten,
                bytesWritten: $0.bytesWritten, statementSeconds: $0.statementSeconds.map(rounded))
        }
    }

    private enum CodingKeys: String, CodingKey {
        case snapshot, probe, rowsGenerated, from, to, start, pending, rowsCompared, tablesUntouched,
            baseline, tablesChecked, crashStates, crashFaults, crashPowerCuts,
            sqliteVersions, seconds, steps
    }

    /// Encodes `from` and `to` even if they are null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(snapshot, forKey: .snapshot)
        try container.encodeIfPresent(probe, forKey: .probe)
        try container.encodeIfPresent(rowsGenerated, forKey: .rowsGenerated)
        try container.encode(from, forKey: .from)
        try container.encode(to, forKey: .to)
        try container.encodeIfPresent(start, forKey: .start)
        try container.encode(pending, forKey: .pending)
        try container.encode(rowsCompared, forKey: .rowsCompared)
        try container.encode(tablesUntouched, forKey: .tablesUntouched)
        try container.encode(baseline, forKey: .baseline)
        try container.encode(tablesChecked, forKey: .tablesChecked)
        try container.encodeIfPresent(crashStates, forKey: .crashStates)
        try container.encodeIfPresent(crashFaults, forKey: .crashFaults)
        try container.encodeIfPresent(crashPowerCuts, forKey: .crashPowerCuts)
        try container.encodeIfPresent(sqliteVersions, forKey: .sqliteVersions)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(steps, forKey: .steps)
    }
}

private struct JSONLock: Encodable {
    var path: String
    var check: Bool
    var migrations, snapshots: Int
    var added, replaced, unchanged, removed, unlocked: [String]

    init(_ lock: LockSummary) {
        path = lock.path
        check = lock.isCheck
        migrations = lock.migrationCount
        snapshots = lock.snapshotCount
        added = lock.added
        replaced = lock.replaced
        unchanged = lock.unchanged
        removed = lock.removed
        unlocked = lock.unlocked
    }
}

private struct JSONMigration: Encodable {
    var database, outcome: String
    var pending: [String]
    var bytesBefore, bytesAfter, rehearsals: Int
    var needs: [JSONNeed]
    var lockSeconds: Double?
    var backup: String?
    var notes: [String]

    init(_ migrate: MigrateSummary) {
        (database, outcome, pending) = (migrate.database, migrate.outcome.rawValue, migrate.pending)
        (bytesBefore, bytesAfter) = (migrate.bytesBefore, migrate.bytesAfter)
        (rehearsals, backup, notes) = (migrate.rehearsals, migrate.backup, migrate.notes)
        lockSeconds = migrate.lockSeconds.map(rounded)
        needs = migrate.needs.map(JSONNeed.init)
    }
}

struct JSONNeed: Encodable {
    var folder, purpose: String
    var bytes: Int
    var freeBytes: Int?

    init(_ need: DiskNeed) {
        (folder, purpose, bytes, freeBytes) = (need.folder, need.purpose, need.bytes, need.free)
    }
}

/// Rounds to microseconds, the resolution of the times.
func rounded(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }
