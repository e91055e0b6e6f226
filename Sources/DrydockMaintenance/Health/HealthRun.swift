import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockReplay
import DrydockState
import Foundation
import OverlayVFS
import SQLiteFile
import SQLiteSchema

/// The health check of one database: its checks in slices, none of which holds a read transaction longer than it may.
///
/// A slice makes as many checks as it has time for. One that takes longer while others write is repeated by itself,
/// then table by table, then in ranges of a table's keys; what still takes longer is reported as not reached.
struct HealthRun: Sendable {
    let path: String
    let request: HealthRequest
    /// What the databases of a run share that have the same schema.
    let schemas: SchemaCache
    let connections: ConnectionPool
    /// Where the previous run stopped.
    var start: HealthProgress.Place?

    /// A check, or the part of one that is about a table.
    private struct Task: Sendable {
        var check: any HealthCheck
        var part: String?
        /// Whether it has a slice to itself.
        var isAlone = false
        /// How far it has come in the part, if that takes several slices.
        var range: HealthRange?

        func run(_ view: HealthView, _ slice: Duration) throws -> Outcome {
            guard let part else { return .done(try check.check(view)) }
            guard var range, let ranged = check as? any RangedHealthCheck else {
                return .done(try check.check(view, part: part))
            }
            range.begin(slice: slice)
            try ranged.check(view, part: part, &range)
            return range.isDone ? .done(result(of: range)) : .more(range)
        }

        /// Returns what was found so far.
        func result(of range: HealthRange) -> HealthResult {
            guard let part, let ranged = check as? any RangedHealthCheck else { return HealthResult() }
            return HealthResult(
                ranged.findings(range.tallies, part: part), notReached: range.notReached)
        }

        /// Returns the task with less of a slice for the next try; nil if hardly anything is left to reduce.
        func withSmallerRange() -> Task? {
            guard part != nil, check is any RangedHealthCheck else { return nil }
            var task = self
            var range = range ?? HealthRange()
            if self.range != nil { range.share /= 2 }
            task.range = range
            return range.share > 0.02 ? task : nil
        }
    }

    private enum Outcome: Sendable {
        case done(HealthResult)
        /// The part needs more slices.
        case more(HealthRange)
        case failed(any Error)
    }

    func run() async -> CheckedDatabase {
        let start = ContinuousClock.now
        var health = CheckedDatabase(path: path)
        let watchdog = Watchdog(timeout: request.budget)
        if let trouble = trouble {
            health.trouble = trouble
        } else {
            let log = FaultLog()
            await withTaskCancellationHandler {
                await Overlay.$faultLog.withValue(log) { await run(watchdog, &health) }
            } onCancel: {
                watchdog.cancel()
            }
            if let fault = log.first, health.notReached.isEmpty {
                // SQLite may have retried, or gone on without what it tried to read.
                var finding = FileHeaderCheck().finding(
                    .error, "the outcome cannot be trusted: \(fault)",
                    help: "Run it again; look in the system's log for disk errors.")
                finding.tags.append(.ofRun)
                health.findings.append(finding)
            }
        }
        health.addGaps(asked: checks)
        health.findings.sort { ($1.severity, $0.rule.rawValue) < ($0.severity, $1.rule.rawValue) }
        health.seconds = (ContinuousClock.now - start).inSeconds
        return health
    }

    /// Why the file cannot be checked at all.
    private var trouble: String? {
        if FolderListing.isFolder(path) { return "'\(path)' is a folder, not a database" }
        if FolderListing.isSpecial(path) { return "'\(path)' is not a regular file" }
        guard FolderListing.exists(path) else { return FolderListing.missing("database", path) }
        if let fault = FolderListing.nameFault(path) { return fault }
        do {
            _ = try FolderListing.contents(of: path, limit: 1)
            return nil
        } catch {
            return "'\(path)' cannot be read: \(error)"
        }
    }

    /// Returns what is wrong with the file as a whole, unless a program was writing it at that moment: half of a write
    /// looks like damage. A file that is written all the time is left to the checks, which read inside a transaction.
    private func standingFault() async -> SnapshotFile.Fault? {
        for _ in 0..<50 {
            let stamps = FileStamps(path)
            guard let fault = SnapshotFile.fault(of: path) else { return nil }
            if stamps.isTimely, stamps == FileStamps(path) { return fault }
            try? await _Concurrency.Task.sleep(for: FileStamps.tick)
        }
        return nil
    }

    private var checks: [any HealthCheck] {
        HealthChecks.all.filter {
            if !request.without.isEmpty, request.without.contains($0.text.name) { return false }
            return request.only.isEmpty
                ? request.isDeep || !$0.isDeepOnly : request.only.contains($0.text.name)
        }
    }

    private func run(_ watchdog: Watchdog, _ health: inout CheckedDatabase) async {
        // SQLite treats a file without a byte as an empty database; for its owner it is most likely a lost one.
        let isEmpty = (try? FolderListing.size(of: path)) == 0
        let isMeant = isEmpty && request.without.contains(FileHeaderCheck().text.name)
        if !isMeant, let fault = await standingFault() {
            if fault.isRefusal {
                health.trouble = "'\(path)' \(fault.fact)"
                return
            }
            health.findings = [
                FileHeaderCheck().damage(
                    fault.message,
                    help: !isEmpty
                        ? HealthHelp.damaged : hasOrphans ? HealthHelp.orphan : HealthHelp.empty)
            ]
            health.checked = [.fileHeader]
            health.notReached = checks.map(\.text.rule).filter { !health.checked.contains($0) }.map {
                .init($0, reason: "the file is not readable as a database")
            }
            return
        }
        var state = LiveState(path)
        state.findLogDamage(path)
        let live = LiveOverlay(
            path: path, connections: connections, limit: request.slice, isStopped: { watchdog.isTripped })
        var tasks = request.isRanged ? await rangedTasks(live, state) : checks.map { Task(check: $0) }
        if let start { await begin(at: start, &tasks, live, state) }
        while !tasks.isEmpty, !watchdog.isTripped {
            await runSlice(&tasks, live, state, watchdog, &health)
        }
        await live.close()
        for task in tasks {
            // What was found so far is kept.
            if let range = task.range { health.add(task.result(of: range)) }
            let place = task.range.map { " \($0.description)" } ?? ""
            health.notReached.append(missed(task, "the time was over" + place, .time))
        }
        let missed = Set(health.notReached.map(\.rule))
        health.checked = checks.map(\.text.rule).filter { !missed.contains($0) }
    }

    /// Whether a log or journal lies beside an empty file, which the next program to open the file deletes.
    private var hasOrphans: Bool {
        [Sidecar.log, Sidecar.journal].contains {
            (try? FolderListing.size(of: realPath(of: path) + $0)) ?? 0 > 0
        }
    }

    private func rangedTasks(_ live: LiveOverlay, _ state: LiveState) async -> [Task] {
        let parts = try? await live.slice { slice in
            let view = try view(slice, state)
            return checks.map { $0 is any RangedHealthCheck ? $0.parts(view) : [] }
        }
        guard let parts else { return checks.map { Task(check: $0) } }
        return zip(checks, parts).flatMap { check, parts in
            check is any RangedHealthCheck
                ? parts.map { Task(check: check, part: $0, isAlone: true, range: HealthRange()) }
                : [Task(check: check)]
        }
    }

    /// Moves what the previous run did not reach to the front.
    private func begin(
        at place: HealthProgress.Place, _ tasks: inout [Task], _ live: LiveOverlay, _ state: LiveState
    ) async {
        let name = HealthChecks.identifier(place.check)
        guard let index = tasks.firstIndex(where: { $0.check.text.name == name }) else { return }
        tasks = Array(tasks[index...] + tasks[..<index])
        guard let table = place.table, let check = tasks.first?.check,
            let parts = try? await live.slice({ try check.parts(view($0, state)) }), !parts.isEmpty
        else { return }
        let first = parts.firstIndex { $0 >= table } ?? 0
        tasks.replaceSubrange(
            0..<1, with: parts[first...].map { Task(check: check, part: $0, isAlone: true) })
        // A table for which the time was too short may be too large for any run.
        guard check is any RangedHealthCheck else { return }
        tasks[0].range = HealthRange(place: (parts[first] == table ? place.range : nil) ?? .init())
    }

    private func runSlice(
        _ tasks: inout [Task], _ live: LiveOverlay, _ state: LiveState, _ watchdog: Watchdog,
        _ health: inout CheckedDatabase
    ) async {
        let waiting = tasks
        do {
            let outcomes = try await live.slice { slice in
                try runTasks(waiting, slice, state)
            }
            for (task, outcome) in zip(waiting, outcomes) {
                switch outcome {
                case .done(let result): health.add(result)
                case .more(var range):
                    range.share = min(HealthRange.largestShare, range.share * 2)
                    tasks[0].range = range
                    return
                case .failed(let error as EngineError) where error.isInterrupt:
                    // Its result does not count; the check must be repeated.
                    if watchdog.isTripped { return }
                    health.notReached.append(missed(task, Self.describe(error)))
                case .failed(let error):
                    var stop = missed(task, Self.describe(error), .database)
                    stop.isDamage = error is FileDamage || (error as? EngineError)?.isCorruption == true
                    health.notReached.append(stop)
                }
                tasks.removeFirst()
            }
        } catch is LiveOverlay.Outlasted {
            await split(&tasks, live, state, &health)
        } catch OverlayError.unreadable(_, let code) where code != EIO {
            // The system's refusal says nothing about the file.
            let reason = FolderListing.describe(code)
            health.trouble = "'\(path)' cannot be read: \(reason)"
            for task in tasks { health.notReached.append(missed(task, reason)) }
            tasks = []
        } catch {
            // Nothing more can be read.
            let reason = Self.describe(error)
            if !watchdog.isTripped {
                health.findings.append(
                    FileHeaderCheck().damage("\(path) cannot be read: \(reason)", help: HealthHelp.damaged))
                for task in tasks { health.notReached.append(missed(task, reason)) }
                tasks = []
            }
        }
    }

    /// - Returns: outcomes of the first tasks, at least one.
    private func runTasks(
        _ tasks: [Task], _ slice: LiveOverlay.Slice, _ state: LiveState
    ) throws -> [Outcome] {
        let start = ContinuousClock.now
        let view = try view(slice, state)
        var outcomes: [Outcome] = []
        for task in tasks {
            do {
                outcomes.append(try task.run(view, request.slice))
                if case .done(let result) = outcomes.last, result.isOfDamage {
                    view.connection.releaseMemory()
                }
            } catch {
                outcomes.append(.failed(error))
                if (error as? EngineError)?.isCorruption == true { view.connection.releaseMemory() }
                if (error as? EngineError)?.isInterrupt == true { break }
            }
            if task.isAlone || ContinuousClock.now - start > request.slice / 2 { break }
            // The next has a slice to itself.
            if tasks.indices.contains(outcomes.count), tasks[outcomes.count].isAlone { break }
        }
        return outcomes
    }

    private func view(_ slice: LiveOverlay.Slice, _ state: LiveState) throws -> HealthView {
        let facts = try slice.memo.value { try HealthFacts(slice, schemas) }
        return HealthView(
            connection: slice.connection, facts: facts, path: path, state: state, isDeep: request.isDeep,
            thresholds: request.thresholds)
    }

    /// Gives the first task a slice to itself, or each of its parts one, or a part several.
    private func split(
        _ tasks: inout [Task], _ live: LiveOverlay, _ state: LiveState, _ health: inout CheckedDatabase
    ) async {
        guard let first = tasks.first else { return }
        guard first.isAlone else {
            tasks = tasks.map { task in
                var task = task
                task.isAlone = true
                return task
            }
            return
        }
        tasks.removeFirst()
        if let smaller = first.withSmallerRange() {
            tasks.insert(smaller, at: 0)
            return
        }
        let parts =
            first.part == nil
            ? (try? await live.slice { try first.check.parts(view($0, state)) }) ?? [] : []
        if !parts.isEmpty, let reason = first.check.seenInWholeOnly {
            health.notReached.append(missed(Task(check: first.check), reason, .wholeFile))
        }
        if parts.isEmpty {
            if let range = first.range { health.add(first.result(of: range)) }
            health.notReached.append(
                missed(first, "it takes longer than \(request.slice) while the database is being written"))
        } else {
            tasks = parts.map { Task(check: first.check, part: $0, isAlone: true) } + tasks
        }
    }

    private func missed(
        _ task: Task, _ reason: String, _ cause: NotChecked.Obstacle = .writers
    ) -> CheckedDatabase.NotReached {
        var missed = CheckedDatabase.NotReached(
            task.check.text.rule, table: task.part, reason: reason, cause: cause)
        missed.place = task.range?.place
        return missed
    }

    private static func describe(_ error: any Error) -> String {
        (error as? EngineError)?.message ?? "\(error)"
    }
}

extension CheckedDatabase {
    fileprivate mutating func add(_ result: HealthResult) {
        findings += result.findings
        health.measures += result.measures
        notReached += result.notReached
        trees += result.trees
    }
}

/// Remedies that several checks give.
enum HealthHelp {
    static let empty = """
        A failed copy or a wrong path looks like this: look for the database where it was, or restore a backup.
        If the app has yet to create it, leave this check out with --without file-header.
        """

    static let orphan = """
        Copy what lies beside the file away before any program opens it: the first one that does deletes it. Then look for
        the database where it was, or restore a backup.
        """

    static let damaged = """
        Stop the program that writes it and copy the file with its -wal and -journal before anything else. \
        Then restore a backup, or save what can be read:
          sqlite3 DATABASE .recover | sqlite3 RECOVERED
        """
}
