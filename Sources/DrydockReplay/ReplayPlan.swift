import DatabaseEngine
import DrydockFindings
import DrydockMigrations

/// The migrations that a snapshot has applied, and those that are pending.
package struct ReplayPlan: Sendable {
    /// Indexes into the set, in order.
    package let pending: [Int]
    /// Identifiers that the snapshot has applied but the set does not contain.
    package let unknown: [String]
    /// Migrations in code that the snapshot has applied and the folder does not contain.
    package let code: [String]
    /// The newest migration of the set that the snapshot has applied.
    package let from: String?
    /// The number of migrations that a fresh install runs to reach the end of this replay.
    let finalCount: Int
    /// Whether the tool would refuse to run anything on this database.
    package let isRefused: Bool

    private let late: [(pending: Migration, applied: String)]
    private let edited: [(migration: Migration, isOfLineEndings: Bool)]
    private let refusal: String?
    private let set: MigrationSet

    package init(history: AppliedHistory, set: MigrationSet, targetCount: Int) {
        let known = Set(history.identifiers)
        let appliedIndexes = set.migrations.indices.filter { known.contains(set.migrations[$0].identifier) }
        // A migration that runs again whenever it changes has no position among the others.
        let last = appliedIndexes.last { !history.repeats.contains(set.migrations[$0].identifier) }
        var pending = (0..<targetCount).filter {
            let identifier = set.migrations[$0].identifier
            return !known.contains(identifier) || history.repeats.contains(identifier)
        }
        let rank = appliedIndexes.compactMap { set.migrations[$0].rank }.max()
        let late = pending.filter { index in
            let migration = set.migrations[index]
            guard !set.policy.isOrderedByTool else { return false }
            return (index < last ?? 0 || migration.isOutranked(by: rank))
                && !known.contains(migration.identifier)
        }
        let identifiers = Set(set.migrations.map(\.identifier))
        unknown = history.identifiers.filter { !identifiers.contains($0) && !set.isOfCode($0) }
        code = history.code
        finalCount = max(last.map { $0 + 1 } ?? 0, targetCount)
        let newest = history.newest ?? last.map { set.migrations[$0].identifier }
        from = newest
        self.late = late.map { (set.migrations[$0], newest ?? "") }
        edited = appliedIndexes.map { set.migrations[$0] }.compactMap { migration in
            guard let then = history.checksums[migration.identifier], let now = migration.checksum,
                then != now, !history.repeats.contains(migration.identifier)
            else { return nil }
            return (migration, migration.checksumsOfLineEndings.contains(then))
        }
        let stopped = late.filter { !set.migrations[$0].runsLate }
        if set.policy.late == .skip { pending.removeAll { stopped.contains($0) } }
        self.pending = pending
        isRefused = history.refusal != nil || set.policy.late == .refuse && !stopped.isEmpty
        refusal = history.refusal
        self.set = set
    }

    /// Returns the state of the database without the migrations of the folder.
    package func start(on connection: any Connection) throws -> ReplaySummary.Start {
        let own = set.format.ownTables.map(\.foldedASCII)
        let tables = try connection.rows("SELECT name FROM main.sqlite_schema WHERE type = 'table'") {
            $0.string(0).foldedASCII
        }
        guard tables.contains(where: { !own.contains($0) && !$0.hasPrefix("sqlite_") }) else { return .empty }
        return set.base != nil && unknown.isEmpty ? .base : .unknown
    }

    package func findings(for snapshot: Snapshot) -> [Finding] {
        var findings: [Finding] = []
        if let refusal {
            var finding = Finding(
                .migrationFailed, "\(snapshot.path): \(refusal)",
                help: "\(set.format.name) runs nothing on such a database until it is fixed by hand.",
                tags: [.preExisting])
            finding.fact = "\(refusal)"
            findings.append(finding)
        }
        if !unknown.isEmpty {
            findings.append(
                Finding(
                    .unknownMigration, of: snapshot.path,
                    "has applied \(counted(unknown.count, "migration")) that "
                        + "\(unknown.count == 1 ? "is" : "are") not in \(set.format.home): \(Self.list(unknown))",
                    help:
                        "The snapshot is newer than \(set.format.home), or a released migration was renamed or removed."
                ))
        }
        if !code.isEmpty {
            findings.append(
                Finding(
                    .migrationInCode, .note, of: snapshot.path,
                    "has applied \(counted(code.count, "migration")) that "
                        + "\(code.count == 1 ? "is" : "are") not SQL and not in \(set.format.home): \(Self.list(code))",
                    help:
                        "Whether others are pending is not known, and what they would do to rows was not checked."
                ))
        }
        return findings + late.map(finding(late:))
            + edited.map { finding(edited: $0.migration, isOfLineEndings: $0.isOfLineEndings) }
    }

    /// Returns the finding for a database with tables but no history.
    package static func unknownVersion(of snapshot: Snapshot, _ set: MigrationSet) -> Finding {
        let sign = set.format.historyTable.map { "no \($0) table that says so" } ?? "user_version 0"
        let other =
            set.format is any NamedHistory
            ? " If the tool keeps it in another table, name that table: 'historyTable' in drydock.yml." : ""
        return Finding(
            .snapshotVersionUnknown, of: snapshot.path, "does not say which migrations it has applied",
            help: "It has tables but \(sign). Create snapshots with the app or tool that "
                + "migrates them, so that the history is there." + other)
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    }

    private func finding(late: (pending: Migration, applied: String)) -> Finding {
        let fact = "\(late.pending.identifier) is pending although \(late.applied) is applied"
        let (severity, message, help): (Finding.Severity, String, String) =
            switch late.pending.runsLate ? .run : set.policy.late {
            case .run:
                (
                    .warning, fact,
                    "It runs after migrations that sort after it. If it is new, rename it so that it sorts last."
                )
            case .skip:
                (
                    .error, "\(fact): \(set.format.name) never runs it here",
                    "The tool runs only versions after the newest applied one. Rename it so that it sorts last."
                )
            case .refuse:
                (
                    .error, "\(fact): \(set.format.name) stops there",
                    "The tool runs nothing on such a database. Rename it so that it sorts last."
                )
            }
        return Finding(
            .migrationOutOfOrder, severity, message, help: help, migration: late.pending.identifier,
            place: set.policy.isRunByEngine ? nil : .init(file: late.pending.path))
    }

    private func finding(edited migration: Migration, isOfLineEndings: Bool) -> Finding {
        let isRefused = set.policy.edited == .refuse
        let refusal = "\(set.format.name) refuses to continue on databases that applied it. "
        let leniency = "\(set.format.name) does not look at it"
        if isOfLineEndings {
            return Finding(
                .migrationEdited, isRefused ? .error : .warning,
                "\(migration.identifier) differs from what the snapshot applied only in its line endings",
                help: (isRefused ? refusal : leniency + ". ")
                    + "Git may have converted them: '*.sql -text' in .gitattributes keeps files as they were committed. "
                    + "Put the line endings of the released file back.",
                migration: migration.identifier, place: .init(file: migration.path))
        }
        return Finding(
            .migrationEdited, isRefused ? .error : .warning,
            "\(migration.identifier) was edited after the snapshot applied it: its checksum has changed",
            help: isRefused
                ? refusal
                    + "Put the released file back, comments and line endings included, and write a new migration."
                : leniency + ", so that databases differ by when they were migrated. Put the "
                    + "released file back, and write a new migration.",
            migration: migration.identifier, place: .init(file: migration.path))
    }
}
