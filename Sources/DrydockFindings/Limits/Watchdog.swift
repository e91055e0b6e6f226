import Synchronization

/// Stops a replay: when its task is cancelled or its time is up. SQLite polls it while it works.
package final class Watchdog: Sendable {
    package let deadline: ContinuousClock.Instant?
    private let isCancelled = Atomic(false)

    package init(timeout: Duration?) {
        deadline = timeout.map { ContinuousClock.now + $0 }
    }

    package func cancel() { isCancelled.store(true, ordering: .relaxed) }

    package var isTimeUp: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

    package var isTripped: Bool { isCancelled.load(ordering: .relaxed) || isTimeUp }
}
