import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS

/// A snapshot that is open on an overlay, and whose version is known.
struct OpenedSnapshot {
    let overlay: Overlay
    let database: any OpenDatabase
    /// Which migrations are pending.
    let plan: ReplayPlan
    let recognition: Recognition?
    /// The content before any migration.
    let image: Image
}

/// A snapshot that is undamaged, and whose own faults are known.
package struct BaselinedSnapshot: Sendable {
    /// The state before any migration.
    let state: DatabaseState
    let integrity: IntegrityCheck
    /// The snapshot's content; nil where no one asks for it.
    var content: ContentHash?
}

/// A snapshot after its pending migrations, or those of them that could be run.
struct ReplayedSnapshot {
    let baseline: BaselinedSnapshot
    let plan: ReplayPlan
    let end: DatabaseState
    /// Whether all pending migrations were run.
    let isWhole: Bool
}
