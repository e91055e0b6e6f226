import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import DrydockMigrate
import DrydockMigrations
import DrydockReplay
import DrydockVerify
import Foundation
import Synchronization

/// What a roll-out is doing.
public enum RollOutEvent: Sendable {
    case looking(done: Int, of: Int)
    case migrating(wave: String, done: Int, of: Int)
}

/// Checks, rehearses or migrates many live databases.
///
///     var request = RollOutRequest(databases: paths, migrate: migrate)
///     (request.canary, request.log) = (3, "rollout.jsonl")
///     let report = try await RollOut(engine: GRDBDriver()).run(request)
///
/// Each database is migrated as ``Migrator`` does it, and is the old or the new one at any moment. Before that, all of them
/// are looked at; what is at the newest version already is left alone, so that the same command goes on where a run
/// stopped or was killed.
public struct RollOut: Sendable {
    private let engine: any Engine
    private let note: @Sendable (RollOutEvent) -> Void

    public init(engine: any Engine, onEvent note: @escaping @Sendable (RollOutEvent) -> Void = { _ in }) {
        (self.engine, self.note) = (engine, note)
    }

    /// - Throws: ``RequestError`` if no report can be made, `CancellationError` if the task is cancelled; then every
    ///   database is the old or the new one, and the log says which.
    public func run(_ request: RollOutRequest) async throws -> Report {
        let start = ContinuousClock.now
        let log = request.migrate.mode == .apply ? try request.log.map { try RollOutLog($0) } : nil
        let run = RollOutRun(
            request: request, migrator: try migrator(request), log: log, note: note)
        var report = try await TemporaryCopy.$swept.withValue(SweptFolders()) { try await run.report() }
        report.seconds = (ContinuousClock.now - start).inSeconds
        return report
    }

    /// Returns the report on the databases of all shards. None is opened, whatever the request is.
    /// - Throws: ``RequestError`` where the parts have no result of one.
    package static func merged(_ request: RollOutRequest, _ kept: KeptResults) throws -> Report {
        let looked = try request.databases.map { path in
            RollOutRun.Inspected(try kept.resultOfPart(of: path) as RollOutResult)
        }
        var summary = RollOutSummary(request.migrate.mode.ofSummary)
        let ends = RollOutEnd.all(in: kept)
        summary.waves = RollOutSummary.Wave.sums(of: ends.map(\.waves), request)
        summary.stopped = ends.lazy.compactMap(\.stopped).first
        // Shards may have a log each, and none of them is that of all.
        let logs = Set(ends.map(\.log))
        summary.log = logs.count == 1 ? logs.first ?? nil : nil
        var report = RollOutRun.report(looked, summary, request)
        report.seconds = report.rollOut?.databases.reduce(0) { $0 + $1.seconds } ?? 0
        return report
    }

    /// Databases share their migrations, unless the project's own command runs them.
    private func migrator(_ request: RollOutRequest) throws -> Migrator {
        let verify = request.migrate.verify
        guard verify.command == nil else { return Migrator(engine: engine, shares: nil) }
        let choice = try FormatChoice(verify.migrations)
        return Migrator(engine: engine, shares: ReplayShares(choice))
    }
}

/// One run of a roll-out.
struct RollOutRun: Sendable {
    let request: RollOutRequest
    let migrator: Migrator
    let log: RollOutLog?
    let note: @Sendable (RollOutEvent) -> Void
    /// How many databases this run has migrated.
    private let migrated = Counter()

    init(
        request: RollOutRequest, migrator: Migrator, log: RollOutLog?,
        note: @escaping @Sendable (RollOutEvent) -> Void
    ) {
        (self.request, self.migrator, self.log, self.note) = (request, migrator, log, note)
    }

    /// A database, and what was found out about it.
    struct Inspected: Sendable {
        var database: RollOutSummary.Database
        var item: RollOutPlan.Item?
        var findings: [Finding] = []
        var notChecked: [NotChecked] = []
        var format: String?
        /// The wave in which it was, also where an earlier run migrated it.
        var wave: String?
        /// Whether an earlier run migrated or rehearsed it.
        var isKept = false
        /// What shows that it is unchanged since it was examined; nil while that is not known.
        var stamp: String?
    }

    /// - Throws: ``RequestError`` if no report can be made, which then says how many databases are migrated.
    func report() async throws -> Report {
        do {
            return try await made()
        } catch let error as RequestError {
            throw error.adding(WorkDone.text(migrated.value, of: request.databases.count, "migrated"))
        }
    }

    private func made() async throws -> Report {
        var looked = try await look()
        var summary = RollOutSummary(request.migrate.mode.ofSummary)
        summary.log = log?.path
        if let log {
            var entry = RollOutLog.Entry(.start)
            entry.count = looked.count
            try log.add(entry)
            try noteFound(looked, log)
            try noteRefused(looked, log)
        }
        if request.migrate.mode != .check { try await migrate(&looked, &summary) }
        for index in looked.indices where looked[index].database.outcome == .busy {
            looked[index].reportReason()
        }
        if let log {
            var entry = RollOutLog.Entry(.end)
            entry.count = looked.count { $0.database.outcome == .applied && !$0.isKept }
            entry.reason = summary.stopped
            try log.add(entry)
        }
        summary.waves = RollOutSummary.Wave.sums(of: [Self.wavesBefore(looked), summary.waves], request)
        try keep(looked, summary)
        return Self.report(looked, summary, request)
    }

    static func report(_ looked: [Inspected], _ summary: RollOutSummary, _ request: RollOutRequest) -> Report
    {
        var summary = summary
        summary.databases = looked.map(\.database)
        var report = Report(.rollOut(summary))
        report.isStrict = request.migrate.verify.isStrict
        report.migrationFormat = looked.lazy.compactMap(\.format).first
        report.findings = looked.flatMap(\.findings)
        report.notChecked = looked.flatMap(\.notChecked)
        return report
    }

    private func request(for path: String) -> MigrateRequest {
        var one = request.migrate
        (one.path, one.isOneOfMany) = (path, true)
        return one
    }

    // MARK: - Looking

    private func look() async throws -> [Inspected] {
        let count = Mutex(0)
        let paths = Array(request.databases.enumerated())
        let (migrator, note) = (migrator, note)
        return try await concurrentMap(paths, jobs: request.jobs) { index, path in
            let looked = try await Self.look(index, path, request(for: path), migrator, request.kept)
            try keepLooked(looked)
            let done = count.withLock {
                $0 += 1
                return $0
            }
            note(.looking(done: done, of: paths.count))
            return looked
        }
    }

    private static func look(
        _ index: Int, _ path: String, _ request: MigrateRequest, _ migrator: Migrator, _ kept: KeptResults?
    ) async throws -> Inspected {
        let known: RollOutResult? = kept?.result(of: path)
        if let known, request.mode != .apply { return Inspected(known, isKept: true) }
        var looked = Inspected(database: .init(path: path, outcome: .failed))
        looked.stamp = kept.flatMap { _ in KeptResults.stamp(of: path) }
        do {
            let look = try await migrator.look(request)
            looked.format = look.migrationFormat
            looked.database.version = look.version
            looked.database.pending = look.pending.count
            looked.findings = look.findings
            switch look.drift {
            case .none: break
            case .found(let findings):
                looked.database.hasDrifted = true
                looked.findings += findings.map { finding in
                    var finding = finding
                    // A rehearsal shows whether it matters.
                    if request.mode != .check { finding.severity = min(finding.severity, .warning) }
                    finding.snapshot = path
                    return finding
                }
            case .notChecked(let reason):
                var entry = NotChecked(.schemaMismatch, reason)
                entry.snapshot = path
                looked.notChecked.append(entry)
            }
            let isWrong = look.findings.contains { $0.severity == .error }
            looked.database.outcome = isWrong ? .failed : look.pending.isEmpty ? .upToDate : .pending
            guard !look.pending.isEmpty, !isWrong else { return looked.migratedBefore(known) }
            looked.item = RollOutPlan.Item(
                index: index, path: path, version: look.version, schema: look.schema, bytes: look.bytes)
        } catch let error as RequestError where error.reason == .databaseBusy {
            (looked.database.outcome, looked.database.reason) = (.busy, error.description)
            looked.database.isRead = false
            looked.item = RollOutPlan.Item(index: index, path: path, schema: 0, bytes: 0)
        } catch let error as RequestError {
            looked.database.isRead = false
            looked.fail(error)
        }
        return looked
    }

    /// Notes what became of the databases that a killed run had begun.
    private func noteFound(_ looked: [Inspected], _ log: RollOutLog) throws {
        for one in looked where log.open.contains(one.database.path) {
            var entry = RollOutLog.Entry(.found, one.database.path)
            entry.version = one.database.version
            entry.reason = one.database.reason
            try log.add(entry)
        }
    }

    /// Notes which databases are not migrated, and why.
    private func noteRefused(_ looked: [Inspected], _ log: RollOutLog) throws {
        for one in looked where one.database.outcome == .failed {
            var entry = RollOutLog.Entry(.failed, one.database.path)
            entry.version = one.database.version
            entry.reason = one.database.reason ?? one.findings.first { $0.severity == .error }?.message
            try log.add(entry)
        }
    }

    // MARK: - Migrating

    private func migrate(_ looked: inout [Inspected], _ summary: inout RollOutSummary) async throws {
        let items = looked.filter { $0.database.outcome == .pending }.compactMap(\.item)
        let isApplied = request.migrate.mode == .apply
        let plan = RollOutPlan(
            items, done: looked.count { $0.database.outcome == .upToDate },
            migrated: max(log?.migrated ?? 0, looked.count(where: \.isKept)),
            canary: isApplied ? request.canary : 0,
            waves: isApplied ? request.waves : [RollOutWave(percent: 100)])
        let failures = FailureCount(isApplied ? request.maxFailures : .max)
        if isApplied { for one in looked where one.database.outcome == .failed { failures.add() } }
        for wave in plan.waves where !failures.isReached {
            summary.waves.append(try await run(wave, &looked, failures))
        }
        let busy = looked.filter { $0.database.outcome == .busy }.compactMap(\.item)
        if !busy.isEmpty, !failures.isReached {
            // Whatever held them may be gone by now.
            for item in busy { looked[item.index].database.reason = nil }
            summary.waves.append(
                try await run(
                    RollOutPlan.Wave(name: RollOutSummary.Wave.again, items: busy), &looked, failures))
        }
        for index in looked.indices where isApplied && looked[index].database.outcome == .pending {
            looked[index].database.outcome = .notReached
        }
        if failures.isReached, looked.contains(where: { $0.database.outcome == .notReached }) {
            summary.stopped = "stopped at \(counted(request.maxFailures, "failure")), as --max-failures says"
        }
    }

    private func run(
        _ wave: RollOutPlan.Wave, _ looked: inout [Inspected], _ failures: FailureCount
    ) async throws -> RollOutSummary.Wave {
        let start = ContinuousClock.now
        let count = Mutex(0)
        for item in wave.items { looked[item.index].wave = wave.name }
        let (earlier, note) = (looked, note)
        note(.migrating(wave: wave.name, done: 0, of: wave.items.count))
        let done = try await concurrentMap(wave.items, jobs: request.jobs) { item -> (Int, Inspected)? in
            guard !failures.isReached else { return nil }
            let result = try await migrate(item, wave.name, earlier[item.index])
            if [.failed, .damaged].contains(result.database.outcome) { failures.add() }
            let done = count.withLock {
                $0 += 1
                return $0
            }
            note(.migrating(wave: wave.name, done: done, of: wave.items.count))
            return (item.index, result)
        }
        var result = RollOutSummary.Wave(name: wave.name, count: wave.items.count)
        for case let (index, one)? in done {
            looked[index] = one
            switch one.database.outcome {
            case .applied, .rehearsed, .upToDate: result.applied += 1
            case .failed, .damaged: result.failed += 1
            case .busy, .pending, .notReached: break
            }
        }
        result.seconds = (ContinuousClock.now - start).inSeconds
        return result
    }

    private func migrate(_ item: RollOutPlan.Item, _ wave: String, _ before: Inspected) async throws
        -> Inspected
    {
        try Task.checkCancellation()
        var looked = before
        let start = ContinuousClock.now
        var begin = RollOutLog.Entry(.begin, item.path)
        (begin.from, begin.wave) = (item.version, wave)
        try log?.add(begin)
        do {
            let report = try await migrator.run(request(for: item.path))
            looked.take(report)
            if [.applied, .damaged].contains(looked.database.outcome) { _ = migrated.next() }
            if looked.database.outcome == .upToDate {
                // Another run has migrated it meanwhile.
                looked.database.version = try await migrator.look(request(for: item.path)).version
                looked.database.isRead = true
            }
        } catch let error as RequestError where error.reason == .databaseBusy {
            looked.database.outcome = .busy
            looked.database.reason = error.description
        } catch let error as RequestError {
            looked.fail(error)
        }
        looked.database.seconds = (ContinuousClock.now - start).inSeconds
        try log?.add(outcome(looked.database, item, wave))
        try keepMigrated(looked)
        return looked
    }

    private func outcome(
        _ database: RollOutSummary.Database, _ item: RollOutPlan.Item, _ wave: String
    ) -> RollOutLog.Entry {
        let event: RollOutLog.Entry.Event =
            switch database.outcome {
            case .applied, .rehearsed: .applied
            case .upToDate: .found
            case .busy: .busy
            case .damaged: .damaged
            case .failed, .pending, .notReached: .failed
            }
        var entry = RollOutLog.Entry(event, item.path)
        (entry.from, entry.version, entry.wave) = (item.version, database.version, wave)
        (entry.backup, entry.reason) = (database.backup, database.reason)
        return entry
    }
}

extension RollOutRun.Inspected {
    /// Takes what came of a migration.
    mutating func take(_ report: Report) {
        findings = findings.filter { $0.rule == .schemaMismatch } + report.findings
        notChecked = report.notChecked
        guard let migrate = report.migrate else { return }
        database.backup = migrate.backup
        switch migrate.outcome {
        case .applied:
            (database.outcome, database.pending) = (.applied, 0)
            database.isRead = true
            database.version = migrate.pending.last ?? database.version
        case .rehearsed: database.outcome = report.hasPassed ? .rehearsed : .failed
        case .upToDate: (database.outcome, database.pending) = (.upToDate, 0)
        case .damaged:
            (database.outcome, database.version) = (.damaged, migrate.pending.last)
            findings.append(
                Finding(
                    .integrityFailure, of: database.path,
                    "is read differently from what was written: the disk is failing"
                ))
        case .refused, .pending: database.outcome = .failed
        }
        if database.outcome == .failed {
            database.reason = report.findings.first { $0.severity == .error }?.message ?? "it was refused"
        }
        for index in findings.indices where findings[index].snapshot == nil && findings[index].database == nil
        {
            // What is wrong with a migration is said once, whichever database met it first.
            guard findings[index].migration == nil else { continue }
            findings[index].snapshot = database.path
        }
    }

    mutating func fail(_ error: RequestError) {
        database.outcome = .failed
        database.reason = error.description
        reportReason()
    }

    /// Reports why the database is not migrated.
    mutating func reportReason() {
        guard let reason = database.reason else { return }
        // No migration ran, so nothing is said about what they do.
        var finding = Finding(.migrationFailed, reason, tags: [.notChecked])
        finding.snapshot = database.path
        findings.append(finding)
    }
}
