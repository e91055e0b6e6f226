import DrydockFindings
import DrydockMigrations
import DrydockState

/// What was recorded of a project when it was released: the lock.
package protocol ReleaseRecord: Sendable {
    /// Whether a migration is recorded as released.
    func isReleased(_ migration: Migration) -> Bool

    /// Compares a snapshot with what is recorded of it.
    /// - Parameter hash: the hash of its content, computed only if it is needed.
    /// - Returns: nil if it is unchanged, or not recorded.
    func check(_ snapshot: Snapshot, hash: () throws -> ContentHash) throws -> ReleaseVerdict?

    /// Returns the recorded baseline of a snapshot with this content.
    func baseline(of snapshot: Snapshot, _ hash: ContentHash, _ key: BaselineKey) -> Baseline?
}

/// What differs from the record of a release.
package enum ReleaseVerdict: Sendable {
    case finding(Finding)
    case notChecked(NotChecked)
}
