import DatabaseEngine
import Drydock
import GRDB

/// Proves that a merged or squashed migrator does what the old one did: from every version of the old migrator, and
/// from every snapshot, both produce the same schema and the same rows.
///
///     @Test func squashedMigrationsDoTheSame() async throws {
///         try await provesEquivalent(AppDatabase.oldMigrator, AppDatabase.migrator) { db, version in
///             if version == "v2" { try db.execute(sql: "INSERT INTO note (title) VALUES ('a')") }
///         }
///     }
///
/// - Parameters:
///   - old: The migrator as it was released.
///   - new: The migrator with the merged migrations.
///   - snapshots: A folder of databases from which both also run; found as in `verifyMigrations`.
///   - configuration: The app's own, if its connections have functions, collations or pragmas.
///   - rows: Fills the database of each version, so that there is something to lose. Receives the version's identifier.
/// - Throws: ``MigrationsNotVerified`` if they differ (each difference is also an issue), ``RequestError`` if the
///   snapshots cannot be found.
public func provesEquivalent(
    _ old: DatabaseMigrator, _ new: DatabaseMigrator, snapshots: String? = nil,
    configuration: Configuration = Configuration(),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    rows: @escaping @Sendable (_ database: Database, _ version: String) throws -> Void = { _, _ in }
) async throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let proof = EquivalenceProof(
        old: MigratorEngine(migrator: old, configuration: configuration),
        new: MigratorEngine(migrator: new, configuration: configuration), snapshots: snapshots, rows: rows,
        site: site)
    try await TestIssues(site: site).raise { try await OwnCode.run { try await proof.report() } }
}

/// A comparison of two migrators, from every version and every snapshot.
struct EquivalenceProof: Sendable {
    let old: MigratorEngine
    let new: MigratorEngine
    let snapshots: String?
    let rows: @Sendable (Database, String) throws -> Void
    let site: CallSite

    func report() async throws -> Report {
        for engine in [old, new] {
            if let refusal = engine.refusal { return .init(refusal) }
        }
        var settings = ConnectionSettings()
        settings.foreignKeys = try old.enforcesForeignKeys()
        settings.doubleQuotedStrings = old.configuration.acceptsDoubleQuotedStringLiterals
        let equivalence = MigrationEquivalence(
            settings: settings, historyTables: ["grdb_migrations"], old: (old, Self.runAll(old)),
            new: (new, Self.runAll(new)))
        var report = Report(.verify(VerifySummary()))
        for version in [nil] + old.migrator.migrations.map(Optional.some) {
            let rows = rows
            report.findings += try await equivalence.findings(
                from: nil, named: version ?? "an empty database"
            ) { database in
                guard let version, let database = database as? MigratorDatabase else { return }
                try await database.migrate(upTo: version, filling: rows)
            }
        }
        for snapshot in try snapshotFiles() {
            report.findings += try await equivalence.findings(from: snapshot, named: snapshot.path) { _ in }
        }
        return report
    }

    private func snapshotFiles() throws -> [Snapshot] {
        guard let snapshots else { return [] }
        guard let folder = TestFiles(site: site).find(snapshots) else {
            throw RequestError(
                .notFound, "there is no '\(snapshots)' beside \(site.path), nor in a folder above it")
        }
        return try SnapshotFolder.snapshots(in: folder)
    }

    private static func runAll(_ engine: MigratorEngine) -> MigrationEquivalence.Run {
        { database in
            guard let last = engine.migrator.migrations.last else { return }
            _ = try await database.migrate([EngineMigration(identifier: last) { _ in }])
        }
    }
}
