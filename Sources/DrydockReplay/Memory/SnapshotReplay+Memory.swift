import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS

/// Begins a replay where an earlier one of the same snapshot has been.
extension SnapshotReplay {
    /// Returns the checkpoints of the snapshot; nil where nothing is kept.
    func checkpoints(
        of opened: OpenedSnapshot, _ baselined: BaselinedSnapshot
    ) -> CheckpointedWalk<ReplayCheckpoint>? {
        // What a command or another engine does is not repeatable, a batch is killed as a whole, and a snapshot must be
        // known by its content.
        guard let memory = context.memory, context.command == nil, context.other == nil,
            context.crashLimits == nil, context.libraries.isEmpty,
            let content = baselined.content
        else { return nil }
        let known =
            result.findings.map { "\($0.rule) \($0.severity) \($0.message)" }
            + result.notChecked.map { "\($0.rule) \($0.reason)" }
        return memory.replay(of: snapshot.path).begin(
            opened.plan.pending.map { context.set.migrations[$0] },
            from: WalkStart(
                format: context.set.format.name, policy: context.set.policy, base: context.set.base,
                content: content, known: known.sorted()))
    }

    /// Runs the pending migrations after a checkpoint.
    mutating func run(
        _ opened: OpenedSnapshot, from checkpoint: ReplayCheckpoint,
        noting walk: CheckpointedWalk<ReplayCheckpoint>
    ) async throws -> DatabaseState {
        (result, steps) = (checkpoint.result, checkpoint.steps)
        resumed = Resumption(checkpoint: checkpoint, walk: walk)
        let overlay = try Overlay(checkpoint.state.image)
        let database = try await open(overlay)
        do {
            try await database.enforceForeignKeys(checkpoint.foreignKeys)
            let again = OpenedSnapshot(
                overlay: overlay, database: database, plan: opened.plan, recognition: opened.recognition,
                image: opened.image)
            let end = try await run(again, from: checkpoint.state, noting: walk)
            try await database.close()
            return end
        } catch {
            try? await database.close()
            throw error
        }
    }

    /// Keeps what the steps so far have led to.
    /// - Parameter next: the migration that ran after them on the same connection.
    func keep(
        _ state: DatabaseState, before next: Migration?, _ database: any OpenDatabase,
        in walk: CheckpointedWalk<ReplayCheckpoint>
    ) async throws {
        let foreignKeys =
            if let next { next.foreignKeys } else {
                try await database.withConnection { try $0.enforcesForeignKeys() }
            }
        let checkpoint = ReplayCheckpoint(
            result: result, steps: steps, state: state, foreignKeys: foreignKeys)
        walk.keep(checkpoint, at: checkpoint.count)
    }
}

/// A replay that began at a checkpoint.
struct Resumption: Sendable {
    let checkpoint: ReplayCheckpoint
    let walk: CheckpointedWalk<ReplayCheckpoint>
    /// All pages that a step after it changed; nil where that is not known.
    var changedPages: Set<UInt32>? = []

    /// Keeps which tables were found to be whole at the checkpoint.
    func keep(whole: Set<String>) {
        var checkpoint = checkpoint
        checkpoint.whole = whole
        walk.keep(checkpoint, at: checkpoint.count)
    }
}

extension Connection {
    func enforcesForeignKeys() throws -> Bool {
        try firstRow("PRAGMA foreign_keys") { $0.integer(0) != 0 } ?? false
    }
}

extension OpenDatabase {
    func enforceForeignKeys(_ isOn: Bool) async throws {
        try await withConnection { try $0.execute("PRAGMA foreign_keys = \(isOn ? "ON" : "OFF")") }
    }
}
