import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState

/// The time limit of one snapshot, including all work before it: reading the migrations and a fresh install.
package struct TimeBudget: Sendable {
    package let limit: Duration?
    private let start = ContinuousClock.now

    package init(_ limit: Duration?) { self.limit = limit }

    /// When the work before the first snapshot must be complete.
    package var firstDeadline: ContinuousClock.Instant? { limit.map { start + $0 } }

    /// Returns a function that returns the deadline of a snapshot that begins now. The time spent before this call
    /// counts for each snapshot.
    package func snapshotDeadlines() -> @Sendable () -> ContinuousClock.Instant? {
        let spent = ContinuousClock.now - start
        let limit = limit
        return { limit.map { ContinuousClock.now + $0 - spent } }
    }
}

/// The texts for an exceeded time limit.
public enum TimeLimitText {
    /// Returns text such as `not finished after 5 s (the time limit): Migrations/v2.sql:1 was running`.
    public static func fact(_ limit: Duration, at place: StatementLog.Place?) -> String {
        "not finished after \(words(limit)) (the time limit)"
            + (place.map { ": \($0.text) was running" } ?? "")
    }

    /// How to set a longer limit.
    public static let remedy =
        "Give it longer with --timeout, such as --timeout 30m, or with 'timeout:' in drydock.yml. A statement that "
        + "never ends needs a different condition instead."

    package static func words(_ limit: Duration) -> String {
        let milliseconds = Int64((limit.inSeconds * 1000).rounded())
        if milliseconds % 1000 != 0 { return "\(milliseconds) ms" }
        let seconds = milliseconds / 1000
        if seconds >= 3600, seconds % 3600 == 0 { return "\(seconds / 3600) h" }
        if seconds >= 60, seconds % 60 == 0 { return "\(seconds / 60) min" }
        return "\(seconds) s"
    }
}
