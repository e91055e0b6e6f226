import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import DrydockVerify
import SQLiteSchema
import Synchronization

/// Takes the first step of a run that has the wanted finding, and keeps the states that the replays came through, from
/// which a later finding can be given again.
final class FixtureFinder: ReplayListener {
    let target: ShrinkTarget
    private let state = Mutex<(caught: Caught?, replays: [Visited])>((nil, []))

    /// A replay, as far as it came.
    struct Visited: Sendable {
        let snapshot: Snapshot
        let context: ReplayContext
        let fresh: FreshInstall
        /// The state of the snapshot, with all pending migrations.
        let start: StepFixture
        /// The steps, each with the state that it met.
        var steps: [StepFixture] = []
    }

    struct Caught: Sendable {
        var finding: Finding
        var check: ShrinkCheck
        /// What has the finding: a step, or several that are checked together.
        var fixture: StepFixture?
        var replay: Visited
    }

    init(_ target: ShrinkTarget) { self.target = target }

    var first: Caught? { state.withLock { $0.caught } }

    var isDone: Bool { first != nil }

    func check(_ set: MigrationSet) throws {
        if let wanted = target.migration { _ = try set.requiredIndex(of: wanted, in: set.folder) }
    }

    func wants(_ finding: Finding) -> Bool { target.matches(finding) }

    func restart() { state.withLock { $0 = (nil, []) } }

    func begin(at state: DatabaseState, _ pending: [Migration], _ inputs: ReplayInputs) {
        let start = StepStart(migrations: pending, before: state, temporaries: [])
        let replay = Visited(
            snapshot: inputs.snapshot, context: inputs.context, fresh: inputs.fresh,
            start: StepFixture(start, inputs))
        self.state.withLock { $0.replays.append(replay) }
    }

    func take(
        _ findings: [Finding], of step: StepStart, by check: (any StepCheck)?, _ inputs: ReplayInputs
    ) -> Bool {
        let (finding, fixture) = (findings.first(where: target.matches), StepFixture(step, inputs))
        return state.withLock { state in
            guard let last = state.replays.indices.last else { return false }
            if check == nil { state.replays[last].steps.append(fixture) }
            guard let finding else { return false }
            let new = Caught(
                finding: finding, check: check.map(ShrinkCheck.check) ?? .step, fixture: fixture,
                replay: state.replays[last])
            state.caught = state.caught ?? new
            return true
        }
    }

    /// What is wrong with the name of the requested table; nil if a snapshot or a migration has such a table.
    var unknownTable: String? {
        guard let wanted = target.table else { return nil }
        let names = state.withLock { state in
            Set(
                state.replays.flatMap { replay in
                    let catalogs = ([replay.start] + replay.steps).map(\.before.catalog)
                    let made = replay.context.set.migrations.flatMap(\.statements).compactMap {
                        if case .createTable(let name, _, _) = $0.action { name.name } else { nil }
                    }
                    return catalogs.flatMap { $0.tables.values.map(\.name) } + made
                })
        }
        guard !names.isEmpty, !names.contains(where: { $0.foldedASCII == wanted.foldedASCII }) else {
            return nil
        }
        let nearest = nearestName(to: wanted, in: names.sorted())
        return "there is no table '\(wanted)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    }

    /// Returns the replay that a finding of the report is about; nil where its snapshot could not be replayed.
    func replay(of finding: Finding) -> Visited? {
        state.withLock { state in
            guard finding.snapshot == nil else {
                return state.replays.first { $0.snapshot.path == finding.snapshot }
            }
            return state.replays.first { replay in
                replay.start.migrations.contains { $0.identifier == finding.migration }
            } ?? state.replays.first
        }
    }
}

extension StepFixture {
    fileprivate init(_ start: StepStart, _ inputs: ReplayInputs) {
        var context = inputs.context
        context.listener = nil
        self.init(
            migrations: start.migrations, before: start.before, context: context, watchdog: inputs.watchdog,
            earlierLineage: inputs.earlierLineage, temporaries: start.temporaries)
    }
}

extension FixtureFinder.Caught {
    /// Returns what is tried on small databases, in this order.
    ///
    /// What a migration leads to is first tried from the state that it met, where there is the least to run, and what only the
    /// end shows from the snapshot's own: a migration of which it keeps nothing is left out later.
    func fixtures() -> [StepFixture] {
        if case .step = check { return [fixture].compactMap(\.self) }
        let pending = replay.start.migrations
        func place(_ name: String?) -> Int? { pending.firstIndex { $0.identifier == name } }
        let own = finding.concernedMigration
        let nearest = fixture ?? replay.steps.last { $0.migrations.contains { $0.identifier == own } }
        let first = place(nearest?.migrations.first?.identifier) ?? 0
        let end = place(fixture.map { $0.migrations.last?.identifier } ?? own)
        var ranges = [Range(first: first, end: end), Range(first: 0, end: end)]
        // What a crash leads to can be seen in a later migration.
        if check.isCrash { ranges = [ranges[0]] + ranges.map { Range(first: $0.first, end: nil) } }
        var seen: Set<Range> = []
        return ranges.compactMap { range -> StepFixture? in
            guard seen.insert(range).inserted else { return nil }
            var fixture = range.first == first ? nearest ?? replay.start : replay.start
            fixture.migrations = Array(
                pending[range.first..<max(range.first, range.end.map { $0 + 1 } ?? pending.count)])
            fixture.whole = ReplayFixture(
                check, (replay.context, replay.fresh), replay.snapshot,
                upTo: range.end.map { pending[$0] }, finding)
            return fixture
        }
    }

    /// Positions among the pending migrations.
    private struct Range: Hashable {
        var first: Int
        /// The last one; nil for as many as the run has.
        var end: Int?
    }
}
