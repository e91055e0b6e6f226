import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine

/// The time that one snapshot may take, with all that is read and made before it: the migrations and a fresh install.
package struct TimeBudget: Sendable {
    package let limit: Duration?
    private let start = ContinuousClock.now

    package init(_ limit: Duration?) { self.limit = limit }

    /// When what comes before the first snapshot must be done.
    package var firstDeadline: ContinuousClock.Instant? { limit.map { start + $0 } }

    /// Returns a function that gives, for a snapshot that begins now, when it must be done. What has been spent until
    /// this call counts for each of them.
    package func snapshotDeadlines() -> @Sendable () -> ContinuousClock.Instant? {
        let spent = ContinuousClock.now - start
        let limit = limit
        return { limit.map { ContinuousClock.now + $0 - spent } }
    }
}

/// What is said where a time limit is over.
public enum TimeLimitText {
    /// Such as `not finished after 5 s (the time limit): Migrations/v2.sql:1 was running`.
    public static func fact(_ limit: Duration, at place: StatementLog.Place?) -> String {
        "not finished after \(words(limit)) (the time limit)"
            + (place.map { ": \($0.text) was running" } ?? "")
    }

    /// How to give it longer.
    public static let remedy =
        "Give it longer with --timeout, such as --timeout 30m, or with 'timeout:' in drydock.yml. A statement that "
        + "never ends needs another condition instead."

    static func words(_ limit: Duration) -> String {
        let milliseconds = Int64((limit.inSeconds * 1000).rounded())
        if milliseconds % 1000 != 0 { return "\(milliseconds) ms" }
        let seconds = milliseconds / 1000
        if seconds >= 3600, seconds % 3600 == 0 { return "\(seconds / 3600) h" }
        if seconds >= 60, seconds % 60 == 0 { return "\(seconds / 60) min" }
        return "\(seconds) s"
    }
}
