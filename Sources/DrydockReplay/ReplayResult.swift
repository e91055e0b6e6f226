import DrydockFindings
import DrydockMigrations
import OverlayVFS

/// The result of one replay, for the report.
package struct ReplayResult: Sendable {
    package var summary: ReplaySummary
    var findings: [Finding] = []
    /// Findings about a migration and its declarations: the same from every snapshot.
    var migrationFindings: [Finding] = []
    var notChecked: [NotChecked] = []
    var triedMigrations: Set<String> = []
    /// The declarations needed, by migration; present when the migration was checked.
    var usedDeclarations: [String: Set<Declaration>] = [:]
    /// Identifiers that the snapshot had applied.
    var applied: Set<String> = []
    /// The migration in code before which the replay stopped.
    var stoppedAtCode: String?
    /// The image of the snapshot, and of the replay's end, where requested.
    package var base: Image?
    package var end: Image?
    /// Whether nothing was pending.
    package var isUpToDate = false

    init(summary: ReplaySummary) { self.summary = summary }
}
