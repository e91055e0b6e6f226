import DrydockFindings
import DrydockMigrations

/// An event during a run.
public enum VerifyEvent: Sendable {
    /// The snapshots that will be replayed are known.
    case began(snapshots: [String])
    /// A migration is about to run on a snapshot; `number` is its position among the pending ones, counted from 1.
    case step(snapshot: String, migration: String, number: Int, of: Int)
    /// A snapshot is complete; these events come in the order of the report.
    case replayed(ReplaySummary, [Finding])
}
