import DrydockFindings
import DrydockMigrations
import OverlayVFS

/// The result of one replay, for the report.
package struct ReplayResult: Sendable {
    package var summary: ReplaySummary
    package var findings: [Finding] = []
    /// Findings about a migration and its declarations: the same from every snapshot.
    package var migrationFindings: [Finding] = []
    package var notChecked: [NotChecked] = []
    package var triedMigrations: Set<String> = []
    /// The declarations needed, by migration; present when the migration was checked.
    package var usedDeclarations: [String: Set<Declaration>] = [:]
    /// Identifiers that the snapshot had applied.
    package var applied: Set<String> = []
    /// The migration in code before which the replay stopped.
    package var stoppedAtCode: String?
    /// The image of the snapshot, and of the replay's end, where requested.
    package var base: Image?
    package var end: Image?
    /// What was found of the snapshot itself, where requested; nil where nothing could be run on it.
    package var baseline: BaselinedSnapshot?
    /// Whether there was not enough time, so that another run may find more.
    package var isCutShort = false
    /// Whether nothing was pending.
    package var isUpToDate = false
    /// Whether the snapshot has what a fresh install lacks: see ``InstallFailure/expectedName``.
    var hasExpectedName = false

    package init(summary: ReplaySummary) { self.summary = summary }
}

/// What the report needs; only the run uses the images.
extension ReplayResult: Codable {
    private enum CodingKeys: String, CodingKey {
        case summary, findings, migrationFindings, notChecked, triedMigrations, usedDeclarations, applied,
            stoppedAtCode
        case isUpToDate, hasExpectedName
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(summary: try container.decode(ReplaySummary.self, forKey: .summary))
        findings = try container.decode([Finding].self, forKey: .findings)
        migrationFindings = try container.decode([Finding].self, forKey: .migrationFindings)
        notChecked = try container.decode([NotChecked.Complete].self, forKey: .notChecked).map(\.entry)
        triedMigrations = try container.decode(Set<String>.self, forKey: .triedMigrations)
        usedDeclarations = try container.decode([String: Set<Declaration>].self, forKey: .usedDeclarations)
        applied = try container.decode(Set<String>.self, forKey: .applied)
        stoppedAtCode = try container.decodeIfPresent(String.self, forKey: .stoppedAtCode)
        isUpToDate = try container.decode(Bool.self, forKey: .isUpToDate)
        hasExpectedName =
            try container.decodeIfPresent(Bool.self, forKey: .hasExpectedName) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(summary, forKey: .summary)
        try container.encode(findings, forKey: .findings)
        try container.encode(migrationFindings, forKey: .migrationFindings)
        try container.encode(notChecked.map(NotChecked.Complete.init), forKey: .notChecked)
        try container.encode(triedMigrations, forKey: .triedMigrations)
        try container.encode(usedDeclarations, forKey: .usedDeclarations)
        try container.encode(applied, forKey: .applied)
        try container.encodeIfPresent(stoppedAtCode, forKey: .stoppedAtCode)
        try container.encode(isUpToDate, forKey: .isUpToDate)
        try container.encode(hasExpectedName, forKey: .hasExpectedName)
    }
}
