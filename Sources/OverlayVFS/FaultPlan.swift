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
    package enum Operation: Sendable { case read, write, sync }

    package enum Failure: Sendable {
        /// A read, write or sync fails, as with a bad block or a lost connection.
        case inputOutput
        /// A write fails for lack of space: the first write from the given operation on.
        case diskFull
    }

    private struct State {
        var count = 0
        var hits = 0
    }

    private let number: Int
    private let failure: Failure
    private let lasts: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - number: the operation that fails, the first being 1.
    ///   - lasts: whether every later operation fails too.
    package init(failing number: Int, with failure: Failure = .inputOutput, lasts: Bool = false) {
        (self.number, self.failure, self.lasts) = (number, failure, lasts)
    }

    /// Counts operations and lets none fail.
    package convenience init() { self.init(failing: .max) }

    /// How many operations there were.
    package var count: Int { state.withLock { $0.count } }

    /// How many of them failed.
    package var hits: Int { state.withLock { $0.hits } }

    /// - Throws: ``OverlayError`` if the operation is to fail.
    func check(_ operation: Operation, _ path: String) throws(OverlayError) {
        let fails = state.withLock { state in
            state.count += 1
            guard state.count >= number, lasts || state.hits == 0 else { return false }
            guard failure == .inputOutput || operation == .write else { return false }
            state.hits += 1
            return true
        }
        guard fails else { return }
        switch failure {
        case .inputOutput: throw .unreadable(path: path, errno: EIO)
        case .diskFull: throw .spillFailed(directory: path, errno: ENOSPC)
        }
    }
}
