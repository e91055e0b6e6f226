import DatabaseEngine
import Synchronization

/// A limit on what SQLite does, in steps of its virtual machine: unlike a time, it is the same on every machine.
///
/// A loop up to the number in a row has no end with the largest one.
package final class WorkLimit: Sendable {
    private let polls = Atomic(0)
    private let limit: Int

    /// - Parameter steps: the number of the virtual machine's instructions, roughly.
    package init(steps: Int) { limit = steps / Int(ConnectionSettings.progressInterval) }

    /// Whether the work is to be stopped; called once for every `progressInterval` instructions.
    package func isOver() -> Bool { polls.add(1, ordering: .relaxed).newValue > limit }

    /// Whether something was stopped. Not every caller of SQLite reports that it was interrupted.
    package var hasStopped: Bool { polls.load(ordering: .relaxed) > limit }
}
