import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import OverlayVFS

/// What a batch of migrations is run on again and again.
struct CrashFixture: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog
    let batch: [Migration]
    let before: Image
    let start: CrashStart
    /// The pages that may differ from ``before`` at the end.
    let pages: Set<UInt32>

    var settings: ConnectionSettings { start.settings(context, watchdog) }
}
