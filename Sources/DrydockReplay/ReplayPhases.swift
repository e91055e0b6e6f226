import DatabaseEngine
import DrydockMigrations
import DrydockState
import OverlayVFS

/// A snapshot that is open on an overlay, and whose version is known.
package struct OpenedSnapshot {
    package let overlay: Overlay
    package let database: any OpenDatabase
    /// Which migrations are pending.
    package let plan: ReplayPlan
    package let recognition: Recognition?
    /// The content before any migration.
    package let image: Image

    package init(
        overlay: Overlay, database: any OpenDatabase, plan: ReplayPlan, recognition: Recognition?,
        image: Image
    ) {
        self.overlay = overlay
        self.database = database
        self.plan = plan
        self.recognition = recognition
        self.image = image
    }
}

/// A snapshot that is undamaged, and whose own faults are known.
package struct BaselinedSnapshot: Sendable {
    /// The state before any migration.
    package let state: DatabaseState
    let integrity: IntegrityCheck
    /// The snapshot's content; nil where no one asks for it.
    var content: ContentHash?
}

/// A snapshot after its pending migrations, or those of them that could be run.
package struct ReplayedSnapshot {
    package let baseline: BaselinedSnapshot
    package let plan: ReplayPlan
    package let end: DatabaseState
    /// Whether all pending migrations were run.
    package let isWhole: Bool

    package init(baseline: BaselinedSnapshot, plan: ReplayPlan, end: DatabaseState, isWhole: Bool) {
        self.baseline = baseline
        self.plan = plan
        self.end = end
        self.isWhole = isWhole
    }
}
