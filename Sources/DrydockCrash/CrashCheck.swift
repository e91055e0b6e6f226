import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS

/// `crash-stuck`, `crash-loses` and `crash-diverges`: from each state that is left where a tool stops on the way, the tool is
/// started again, and must come to the end of an uninterrupted run.
///
/// It stops by a kill between two commits (``CrashKills``), which a second kill can follow; by a growth of a file or a lock
/// that fails (``CrashFaults``); and, if requested, by a power cut between two writes (``CrashPowerCuts``). SQLite's own
/// recovery makes a torn transaction one that never was (https://www.sqlite.org/atomiccommit.html), unless a migration turned
/// it off.
struct CrashCheck: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog
    let inspector: StateInspector
    /// The migrations that were pending, by position.
    let pending: [Int]
    let limits: CrashLimits

    struct Outcome: Sendable {
        var findings: [Finding] = []
        var notChecked: [NotChecked] = []
        /// The number of states that kills left, on which the tool was started.
        var states = 0
        /// The number of power cuts.
        var powerCuts = 0
        /// The number of growths and locks that failed.
        var faults = 0
    }

    /// - Parameter reached: the state to which the batch led in the replay, and the pages that it changed.
    func run(
        _ batch: [Migration], from before: Image, _ start: CrashStart, _ reached: (Image, Set<UInt32>)
    ) async throws -> Outcome {
        var outcome = try await run(batch, from: before, start)
        guard let earlier = start.carriedFrom else { return outcome }
        let fixture = CrashFixture(
            context: context, watchdog: watchdog, batch: batch, before: before, start: start, pages: reached.1
        )
        var between = CrashBetween(
            fixture: fixture, earlier: earlier.identifier,
            end: try await CrashEnd(reached.0, reached.1, context, inspector),
            restart: CrashRestart(context: context, watchdog: watchdog, pending: pending(upTo: batch)),
            sequel: sequel(of: batch, reached.0))
        outcome.states += 1
        try await between.check(&outcome)
        return outcome
    }

    private func run(_ batch: [Migration], from before: Image, _ start: CrashStart) async throws -> Outcome {
        let cuts = CrashKills(context: context, watchdog: watchdog)
        let recording: CrashKills.Recording
        do {
            recording = try await cuts.record(batch, from: before, start)
        } catch let stop as CrashRun.Stop where !watchdog.isTripped {
            var outcome = Outcome()
            let name = batch.last?.identifier ?? ""
            outcome.notChecked.append(
                NotChecked(
                    .crashStuck,
                    .undecided(
                        "\(name) does not run alone: \(CrashRestart.Failure(stop).sentence.withoutValues)")))
            return outcome
        }
        let fixture = CrashFixture(
            context: context, watchdog: watchdog, batch: batch, before: before, start: start,
            pages: recording.pages)
        var trial = CrashTrial(
            fixture, recording, limit: limits.states,
            end: try await CrashEnd(recording.end, recording.pages, context, inspector),
            restart: CrashRestart(context: context, watchdog: watchdog, pending: pending(upTo: batch)),
            sequel: sequel(of: batch, recording.end))
        try await trial.kill()
        if limits.includesFaults { try await trial.fail() }
        if limits.includesWrites { try await trial.cutPower() }
        var outcome = trial.outcome
        let unstable =
            trial.reports.hasData
            ? try await trial.end.differences(from: cuts.record(batch, from: before, start)) : []
        if !unstable.isEmpty {
            outcome.notChecked.append(CrashReports.unstable(unstable, batch))
        }
        outcome.findings = trial.reports.findings(without: unstable)
        return outcome
    }

    /// What a crash leads to.
    enum Result: Sendable {
        case same
        /// The tool refuses to start, until a person gives one of these commands.
        case needsPerson(command: String)
        case stuck(CrashRestart.Failure)
        /// It never succeeds again, and no longer has the rows of these tables, which the crash had left.
        case destroys([String], CrashRestart.Failure)
        /// It succeeds, and these parts differ at its end.
        case differs(Set<StateComparison.Part>, Image)
        /// What `integrity_check` says.
        case damaged(String)

        var isSame: Bool { if case .same = self { true } else { false } }

        /// The result of a start before which a person ran a command.
        func after(_ command: String) -> Self {
            guard case .stuck(var failure) = self else { return self }
            failure.command = command
            return .stuck(failure)
        }
    }

    /// - Returns: nil where nothing is pending behind the batch.
    private func sequel(of batch: [Migration], _ end: Image) -> CrashSequel? {
        guard pending(upTo: batch).count < pending.count else { return nil }
        return CrashSequel(CrashRestart(context: context, watchdog: watchdog, pending: pending), after: end)
    }

    private func pending(upTo batch: [Migration]) -> [Int] {
        let last = batch.last.flatMap { context.set.index(of: $0.identifier) } ?? -1
        return pending.filter { $0 <= last }
    }
}

/// How much of what a crash can leave is tried.
package struct CrashLimits: Sendable {
    /// How many states of a step the tool is started on, for each kind of crash.
    package var states: Int
    /// Whether growths of a file and locks may fail.
    var includesFaults = true
    /// Whether a power cut may come between any two writes.
    package var includesWrites = false

    package init(states: Int) { self.states = states }

    /// One kind of crash after the other, the cheapest first.
    package var kinds: [CrashLimits] {
        var (kills, faults, writes) = (self, self, self)
        (kills.includesFaults, kills.includesWrites) = (false, false)
        faults.includesWrites = false
        writes.includesFaults = false
        return [kills] + (includesFaults ? [faults] : []) + (includesWrites ? [writes] : [])
    }
}

extension CrashEnd {
    /// Returns what differs at the end of another run.
    fileprivate func differences(from other: CrashKills.Recording) async throws -> Set<StateComparison.Part> {
        try await differences(from: other.end, other.pages)
    }
}
