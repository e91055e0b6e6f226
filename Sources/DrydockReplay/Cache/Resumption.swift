import DatabaseEngine
import DrydockMigrations
import DrydockState

/// A replay that began at a checkpoint.
package struct Resumption: Sendable {
    let checkpoint: ReplayCheckpoint
    let walk: CheckpointedWalk<ReplayCheckpoint>
    /// All pages that a step after it changed; nil where that is not known.
    package var changedPages: Set<UInt32>? = []

    /// Keeps which tables were found to be whole at the checkpoint.
    func keep(whole: Set<String>) {
        var checkpoint = checkpoint
        checkpoint.whole = whole
        walk.keep(checkpoint, at: checkpoint.count)
    }
}

extension ReplayContext {
    /// Returns the checkpoints of a snapshot; nil where nothing is kept.
    /// - Parameter record: what was found of the snapshot itself.
    package func checkpoints(
        of plan: ReplayPlan, _ baselined: BaselinedSnapshot, _ record: ReplayRecord
    ) -> CheckpointedWalk<ReplayCheckpoint>? {
        // What a command does is not repeatable, and a snapshot must be known by its content.
        guard let cache, command == nil, checks.allSatisfy(\.allowsCheckpoints),
            let content = baselined.content
        else { return nil }
        let known =
            record.result.findings.map { "\($0.rule) \($0.severity) \($0.message)" }
            + record.result.notChecked.map { "\($0.rule) \($0.reason)" }
        return cache.replay(of: record.snapshot).begin(
            plan.pending.map { self.set.migrations[$0] },
            from: WalkStart(
                format: self.set.format.name, policy: self.set.policy, base: self.set.base,
                content: content, known: known.sorted()))
    }
}

extension CheckpointedWalk<ReplayCheckpoint> {
    /// Keeps what the steps so far have led to.
    /// - Parameter next: the migration that ran after them on the same connection.
    package func keep(
        _ record: ReplayRecord, at state: DatabaseState, before next: Migration?,
        _ database: any OpenDatabase
    ) async throws {
        let foreignKeys =
            if let next { next.foreignKeys } else {
                try await database.withConnection { try $0.enforcesForeignKeys() }
            }
        let checkpoint = ReplayCheckpoint(
            result: record.result, steps: record.steps, state: state, foreignKeys: foreignKeys)
        keep(checkpoint, at: checkpoint.count)
    }
}

extension Connection {
    package func enforcesForeignKeys() throws -> Bool {
        try firstRow("PRAGMA foreign_keys") { $0.integer(0) != 0 } ?? false
    }
}

extension OpenDatabase {
    func enforceForeignKeys(_ isOn: Bool) async throws {
        try await withConnection { try $0.execute("PRAGMA foreign_keys = \(isOn ? "ON" : "OFF")") }
    }
}
