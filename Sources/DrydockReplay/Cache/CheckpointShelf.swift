import DrydockMigrations
import DrydockState
import Synchronization

/// The checkpoints of repeated walks over one list of migrations, of which one or another is edited between two walks.
package final class CheckpointShelf<Checkpoint: Sendable>: Sendable {
    private struct State {
        /// What the last walk began with.
        var start: WalkStart?
        /// The number of the last walk: one that was given up may still be running.
        var number = 0
        var migrations: [Migration] = []
        /// The paths of migrations that changed between two walks.
        var edited: Set<String> = []
        /// The checkpoints by the number of migrations before each.
        var kept: [Int: Checkpoint] = [:]
    }

    private let state = Mutex(State())

    /// A checkpoint holds a state, so there is not one for every migration.
    private static var interval: Int { 16 }

    /// Begins a walk, and forgets the checkpoints behind a change.
    func begin(_ migrations: [Migration], from start: WalkStart) -> CheckpointedWalk<Checkpoint> {
        state.withLock { state in
            let changed = zip(state.migrations, migrations).enumerated().first { !$1.0.isSame(as: $1.1) }
            if let changed { state.edited.insert(changed.element.1.path) }
            let common = changed?.offset ?? min(state.migrations.count, migrations.count)
            // After a temporary table, an attached database or a setting, another connection would go on differently.
            let safe = migrations.firstIndex(where: \.leavesTraces) ?? migrations.count
            state.kept = state.start == start ? state.kept.filter { $0.key <= min(common, safe) } : [:]
            (state.start, state.migrations) = (start, migrations)
            state.number += 1
            let places = (1...max(1, migrations.count)).filter { count in
                count <= safe
                    && (count >= migrations.count - 1 || count % Self.interval == 0
                        || state.edited.contains(migrations[count].path))
            }
            return CheckpointedWalk(
                shelf: self, number: state.number, places: Set(places),
                last: state.kept.max { $0.key < $1.key }?.value)
        }
    }

    fileprivate func keep(_ checkpoint: Checkpoint, at count: Int, of number: Int) {
        state.withLock { state in
            if state.number == number { state.kept[count] = checkpoint }
        }
    }
}

/// What a walk begins with, besides the migrations.
struct WalkStart: Equatable, Sendable {
    var format: String
    var policy: ToolPolicy
    var base: SchemaBase?
    /// The snapshot's content; nil for an empty database.
    var content: ContentHash?
    /// What is known before the first migration, in words.
    var known: [String] = []
}

/// One walk, which may begin at a checkpoint of an earlier one.
package struct CheckpointedWalk<Checkpoint: Sendable>: Sendable {
    fileprivate let shelf: CheckpointShelf<Checkpoint>
    fileprivate let number: Int
    fileprivate let places: Set<Int>
    /// The last checkpoint before which nothing has changed.
    let last: Checkpoint?

    /// Whether a checkpoint after so many migrations is of use: where an edit is likely, and now and then between.
    func wants(_ count: Int) -> Bool { places.contains(count) }

    func keep(_ checkpoint: Checkpoint, at count: Int) { shelf.keep(checkpoint, at: count, of: number) }
}
