import DrydockMigrations
import OverlayVFS
import SQLiteSchema
import Synchronization

/// A place in a walk over migrations at which another walk can begin, with what the statements before it have left.
struct LintCheckpoint: Sendable {
    /// The number of migrations before it.
    let position: Int
    let run: LintRun
    let follower: SchemaFollower
    let image: Image
}

/// What linting keeps between two runs of one request, so that where one migration is edited, those before it are not
/// run again. A project whose settings change needs another memory.
package final class LintCache: Sendable {
    /// What is kept of one reading of the folder.
    fileprivate struct Walk {
        var format: String
        var policy: ToolPolicy
        var base: SchemaBase?
        var formatHasDown = false
        var isOneSet = false
        /// The migrations of the last run, and which of them were linted.
        var migrations: [Migration] = []
        var selection: Set<String> = []
        var checkpoints: [Int: LintCheckpoint] = [:]
    }

    let files = FileCache()
    private let walks = Mutex<[Walk]>([])

    /// A checkpoint holds a copy of the schema, so there is not one for every migration. Between two of them, a few
    /// milliseconds of work are repeated once, when a migration is first edited.
    private static let interval = 32
    /// Readings of one folder.
    private static let walkLimit = 4

    package init() {}

    /// Returns the last checkpoint before which nothing has changed.
    func checkpoint(for run: LintRun) -> LintCheckpoint? {
        walks.withLock { walks in
            let new = Walk(run)
            guard let index = walks.firstIndex(where: { $0.isLike(new) }) else {
                walks.append(new)
                if walks.count > Self.walkLimit { walks.removeFirst() }
                return nil
            }
            let old = walks[index]
            let pairs = zip(old.migrations, new.migrations)
            let changed = pairs.enumerated().first { _, pair in
                !pair.0.isSame(as: pair.1)
                    || old.selection.contains(pair.0.identifier) != new.selection.contains(pair.1.identifier)
            }
            let common = changed?.offset ?? min(old.migrations.count, new.migrations.count)
            let checkpoints = old.checkpoints.filter { $0.key <= common }
            walks[index] = new
            walks[index].checkpoints = checkpoints
            return checkpoints.max { $0.key < $1.key }?.value
        }
    }

    /// Returns the last checkpoint that is not after a migration; ``checkpoint(for:)`` was called for the run.
    func checkpoint(before number: Int, like run: LintRun) -> LintCheckpoint? {
        walks.withLock { walks in
            let walk = walks.first { $0.isLike(Walk(run)) }
            return walk?.checkpoints.filter { $0.key <= number }.max { $0.key < $1.key }?.value
        }
    }

    /// Keeps a checkpoint before a migration that is being edited, and now and then one between.
    func note(_ number: Int, _ run: LintRun, _ replay: LintReplay, _ overlay: Overlay, edited: Set<String>) {
        let migration = run.set.migrations[number]
        guard number > 0, number % Self.interval == 0 || edited.contains(migration.path),
            replay.canBeTakenUp
        else { return }
        walks.withLock { walks in
            guard let index = walks.firstIndex(where: { $0.isLike(Walk(run)) }),
                walks[index].checkpoints[number] == nil,
                // A later run may have begun meanwhile, with other texts.
                walks[index].migrations.count == run.set.migrations.count,
                zip(walks[index].migrations, run.set.migrations).prefix(number).allSatisfy({
                    $0.isSame(as: $1)
                })
            else { return }
            walks[index].checkpoints[number] = LintCheckpoint(
                position: number, run: run, follower: replay.follower, image: overlay.freeze().image)
        }
    }
}

extension LintCache.Walk {
    fileprivate init(_ run: LintRun) {
        self.init(
            format: run.set.format.name, policy: run.set.policy, base: run.set.base,
            formatHasDown: run.set.migrations.contains { $0.down != nil }, isOneSet: run.isOneSet,
            migrations: run.set.migrations, selection: run.selection)
    }

    fileprivate func isLike(_ other: Self) -> Bool {
        format == other.format && policy == other.policy && base == other.base
            && formatHasDown == other.formatHasDown && isOneSet == other.isOneSet
    }
}
