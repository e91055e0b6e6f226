import Synchronization

/// Stops a replay: when its task is cancelled or its time is up. SQLite polls it while it works.
final class Watchdog: Sendable {
    let deadline: ContinuousClock.Instant?
    private let isCancelled = Atomic(false)

    init(timeout: Duration?) {
        deadline = timeout.map { ContinuousClock.now + $0 }
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    var isTimeUp: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

    var isTripped: Bool { isCancelled.load(ordering: .relaxed) || isTimeUp }
}
