import DatabaseEngine
import Synchronization

/// Stops a replay: when its task is cancelled or its time is up. SQLite polls it while it works.
final class Watchdog: Sendable {
    let deadline: ContinuousClock.Instant?
    /// Where statements of files are noted while they run.
    let statements = StatementLog()
    private let isCancelled = Atomic(false)
    private let hasStoppedWork = Atomic(false)

    init(deadline: ContinuousClock.Instant?) { self.deadline = deadline }

    convenience init(timeout: Duration?) {
        self.init(deadline: timeout.map { ContinuousClock.now + $0 })
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    var isTimeUp: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

    /// Whether to stop; who asks does.
    var isTripped: Bool {
        guard isCancelled.load(ordering: .relaxed) || isTimeUp else { return false }
        hasStoppedWork.store(true, ordering: .relaxed)
        return true
    }

    /// Whether something was stopped because the time is up. Not everybody who asks SQLite says that it did not answer.
    var hasCutShort: Bool { hasStoppedWork.load(ordering: .relaxed) && isTimeUp }
}
