import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A plan that makes an operation on an overlay's files fail, so that tests see the consequences.
///
/// It applies to the overlays that are created while it is the task's plan:
/// `Overlay.$faults.withValue(plan) { ... }`. SQLite's own reads, writes and syncs are counted together; reads
/// straight from the mapped pages are not counted.
package final class FaultPlan: Sendable {
    package enum Operation: Sendable {
        case read, write, sync
        /// A write beyond a file's end.
        case growth
        /// A lock, or one of a write-ahead log's.
        case lock

        /// What SQLite does to the bytes of files.
        package static let transfers: Set<Operation> = [.read, .write, .sync]
    }

    package enum Failure: Sendable {
        /// A read, write or sync fails, as with a bad block or a lost connection.
        case inputOutput
        /// A write fails for lack of space: the first write from the given operation on.
        case diskFull
        /// A growth fails for lack of space, a lock because another program has it.
        case refused
    }

    private struct State {
        var isArmed: Bool
        var count = 0
        var hits = 0
        var hit: Operation?
    }

    private let number: Int
    private let kinds: Set<Operation>
    private let failure: Failure
    private let lasts: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - number: the operation that fails, the first being 1.
    ///   - kinds: which operations are counted.
    ///   - lasts: whether every later operation fails too.
    ///   - isArmed: whether they are counted from the start, and not from ``arm()`` on.
    package init(
        failing number: Int, of kinds: Set<Operation> = Operation.transfers,
        with failure: Failure = .inputOutput, lasts: Bool = false, isArmed: Bool = true
    ) {
        (self.number, self.kinds, self.failure, self.lasts) = (number, kinds, failure, lasts)
        state = Mutex(State(isArmed: isArmed))
    }

    /// Counts operations and lets none fail.
    package convenience init() { self.init(failing: .max) }

    /// Begins to count.
    package func arm() { state.withLock { $0.isArmed = true } }

    /// Ends counting: nothing fails from now on.
    package func disarm() { state.withLock { $0.isArmed = false } }

    /// How many operations there were.
    package var count: Int { state.withLock { $0.count } }

    /// How many of them failed.
    package var hits: Int { state.withLock { $0.hits } }

    /// The last that failed.
    package var hit: Operation? { state.withLock { $0.hit } }

    /// Counts an operation.
    /// - Returns: whether it is to fail.
    func fails(_ operation: Operation) -> Bool {
        state.withLock { state in
            guard state.isArmed, kinds.contains(operation) else { return false }
            state.count += 1
            guard state.count >= number, lasts || state.hits == 0 else { return false }
            guard failure != .diskFull || operation == .write || operation == .growth else { return false }
            state.hits += 1
            state.hit = operation
            return true
        }
    }

    /// - Throws: ``OverlayError`` if the operation is to fail.
    func check(_ operation: Operation, _ path: String) throws(OverlayError) {
        guard fails(operation) else { return }
        switch failure {
        case .inputOutput: throw .unreadable(path: path, errno: EIO)
        case .diskFull, .refused: throw .spillFailed(directory: path, errno: ENOSPC)
        }
    }
}
