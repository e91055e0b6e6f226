import DatabaseEngine
import Synchronization

/// The limit of a replay, which stops it if its task is cancelled or its time is up. SQLite polls it while it works.
package final class Watchdog: Sendable {
    package let deadline: ContinuousClock.Instant?
    /// The statements of files are recorded here while they run.
    package let statements = StatementLog()
    private let isCancelled = Atomic(false)
    private let hasStoppedWork = Atomic(false)
    private let work = Mutex<WorkLimit?>(nil)

    package init(deadline: ContinuousClock.Instant?) { self.deadline = deadline }

    package convenience init(timeout: Duration?) {
        self.init(deadline: timeout.map { ContinuousClock.now + $0 })
    }

    package func cancel() { isCancelled.store(true, ordering: .relaxed) }

    package var isTimeUp: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

    /// Runs the body, and stops it when the limit is reached.
    package func limiting<Result>(_ limit: WorkLimit, _ body: () async throws -> Result) async rethrows
        -> Result
    {
        work.withLock { $0 = limit }
        defer { work.withLock { $0 = nil } }
        return try await body()
    }

    /// Whether to stop; a caller that reads true must stop.
    package var isTripped: Bool {
        if work.withLock({ $0?.isOver() == true }) { return true }
        guard isCancelled.load(ordering: .relaxed) || isTimeUp else { return false }
        hasStoppedWork.store(true, ordering: .relaxed)
        return true
    }

    /// Whether something was stopped because the time is up. Not every caller of SQLite reports that it was
    /// interrupted.
    package var hasCutShort: Bool { hasStoppedWork.load(ordering: .relaxed) && isTimeUp }
}
