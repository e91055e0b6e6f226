import Drydock
import SQLiteSchema

/// What other programs are given as findings: the report's own, and what else fails the run. A run has failed if, and
/// only if, one of these fails.
extension Report {
    var reported: [Finding] {
        switch body {
        case .diff(let diff): findings + diff.changes.map { Self.finding($0, in: diff.new) }
        case .health(let health): findings + health.databases.compactMap(Self.trouble)
        case .migrate(let migrate): findings + Self.outcome(migrate)
        case .rollOut(let rollOut): findings + rollOut.databases.compactMap(Self.pending)
        case .verify, .lint, .lock, .vacuum, .vacuums: findings
        }
    }

    /// Whether a finding makes the run fail.
    func fails(_ finding: Finding) -> Bool {
        finding.severity == .error || isStrict && finding.severity == .warning
    }

    /// The groups of all that is reported, errors first.
    var reportedGroups: [FindingGroup] {
        // Those of a roll-out name their database as a snapshot's are named, and are grouped by it.
        isFleet && rollOut == nil ? FindingGroup.byDatabase(reported) : FindingGroup.bySeverity(reported)
    }

    private static func finding(_ change: SchemaChange, in new: String) -> Finding {
        // A folder of migrations may be named with the version to stop at.
        let file = new.split(separator: "@", maxSplits: 1).first.map(String.init) ?? new
        return Finding(
            .schemaDiffers, "\(change.sign.rawValue) \(change.description)", place: .init(file: file),
            table: change.table)
    }

    private static func trouble(_ health: DatabaseHealth) -> Finding? {
        guard let trouble = health.trouble else { return nil }
        var finding = Finding(.nothingVerified, trouble, tags: [.notChecked])
        finding.database = health.path
        return finding
    }

    private static func pending(_ database: RollOutSummary.Database) -> Finding? {
        let message: String
        switch database.outcome {
        case .pending: message = "\(counted(database.pending, "migration")) pending"
        case .notReached: message = "not migrated: the roll-out stopped before"
        case .upToDate, .rehearsed, .applied, .failed, .busy, .damaged: return nil
        }
        var finding = Finding(.migrationPending, message)
        finding.snapshot = database.path
        return finding
    }

    private static func outcome(_ migrate: MigrateSummary) -> [Finding] {
        var findings: [Finding] = []
        switch migrate.outcome {
        case .pending:
            findings = migrate.pending.map {
                Finding(.migrationPending, "\($0) is pending", migration: $0)
            }
        case .damaged:
            findings = [
                Finding(
                    .integrityFailure,
                    "\(migrate.database) is read differently from what was written: the disk is failing")
            ]
        case .refused, .upToDate, .rehearsed, .applied: break
        }
        for index in findings.indices { findings[index].database = migrate.database }
        return findings
    }

    /// The file to show a finding at, as the report names it: where it points, the database that it is about, or what
    /// the command was given; nil if that is not known.
    func file(of finding: Finding) -> String? {
        if let file = finding.place?.file { return file }
        if let file = finding.snapshot ?? finding.database, !isProbe(file) { return file }
        return switch body {
        case .lock(let lock): lock.path
        case .migrate(let migrate): migrate.database
        case .vacuum(let vacuum): vacuum.database
        case .diff(let diff): diff.new
        case .verify, .lint, .health, .rollOut, .vacuums: foundMigrations
        }
    }

    /// Whether the rows of a replay were generated, so that its name is not that of a file.
    func isProbe(_ snapshot: String) -> Bool {
        replays.contains { $0.isProbe && $0.snapshot == snapshot }
    }

    func file(of entry: NotChecked) -> String? {
        var finding = Finding(entry.rule, "")
        (finding.snapshot, finding.database) = (entry.snapshot, entry.database)
        return file(of: finding)
    }
}
