import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS

/// What one replay is given, and none of its parts changes.
package struct ReplayInputs: Sendable {
    package let context: ReplayContext
    package let snapshot: Snapshot
    package let fresh: FreshInstall
    package let watchdog: Watchdog
    /// What the migrations did to tables.
    package let earlierLineage: EarlierLineage
    /// The random numbers for steps that are repeated elsewhere; nil where none are.
    package let random: RandomSource?

    package init(context: ReplayContext, snapshot: Snapshot, fresh: FreshInstall, watchdog: Watchdog) {
        (self.context, self.snapshot, self.fresh, self.watchdog) = (context, snapshot, fresh, watchdog)
        earlierLineage = context.earlierLineage ?? EarlierLineage(context.set.migrations)
        random = context.repeatsSteps ? RandomSource() : nil
    }

    package var inspector: StateInspector { context.inspector(watchdog) }

    /// The time and the random numbers of the next step, where it is repeated; they begin with this call.
    package func repeatableConditions(on overlay: Overlay) -> EngineComparison.Conditions? {
        guard context.repeatsSteps else { return nil }
        let conditions = EngineComparison.Conditions.now()
        conditions.begin(on: overlay, random)
        return conditions
    }
}
