import DrydockFindings
import DrydockMigrations
import OverlayVFS

/// What one replay gives to the report.
package struct ReplayResult: Sendable {
    package var summary: ReplaySummary
    var findings: [Finding] = []
    /// Findings about a migration and its declarations: the same from every snapshot.
    var migrationFindings: [Finding] = []
    var notChecked: [NotChecked] = []
    var triedMigrations: Set<String> = []
    /// By migration; present when the migration was judged.
    var usedDeclarations: [String: Set<Declaration>] = [:]
    /// Identifiers that the snapshot had applied.
    var applied: Set<String> = []
    /// The migration in code before which it stopped.
    var stoppedAtCode: String?
    /// The snapshot, and what the replay made of it, where that is wanted.
    package var base: Image?
    package var end: Image?
    /// Nothing was pending.
    package var isUpToDate = false

    init(summary: ReplaySummary) { self.summary = summary }
}
