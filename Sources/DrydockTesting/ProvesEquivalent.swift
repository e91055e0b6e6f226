import DatabaseEngine
import Drydock
import GRDB

/// Proves that a merged or squashed migrator does what the old one did: from every version that the old one has
/// known, and from every snapshot, both leave the same schema and the same rows.
///
///     @Test func squashedMigrationsDoTheSame() async throws {
///         try await provesEquivalent(AppDatabase.oldMigrator, AppDatabase.migrator) { db, version in
///             if version == "v2" { try db.execute(sql: "INSERT INTO note (title) VALUES ('a')") }
///         }
///     }
///
/// - `snapshots`: a folder of databases from which both are run too; looked for as in `verifyMigrations`.
/// - `rows`: fills the database of a version, whose identifier it gets, so that there is something to be lost.
///
/// - Throws: ``MigrationsNotVerified`` when they differ; each difference is an issue as well.
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

/// Two migrators, held against each other from every beginning.
struct EquivalenceProof: Sendable {
    let old: MigratorEngine
    let new: MigratorEngine
    let snapshots: String?
    let rows: @Sendable (Database, String) throws -> Void
    let site: CallSite

    func report() async throws -> VerifyReport {
        for engine in [old, new] {
            if let refusal = engine.refusal { return .init(refusal) }
        }
        var settings = ConnectionSettings()
        settings.foreignKeys = try old.enforcesForeignKeys()
        settings.doubleQuotedStrings = old.configuration.acceptsDoubleQuotedStringLiterals
        let equivalence = MigrationEquivalence(
            settings: settings, historyTables: ["grdb_migrations"], old: (old, Self.runAll(old)),
            new: (new, Self.runAll(new)))
        var report = VerifyReport()
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
            throw RequestError("there is no '\(snapshots)' beside \(site.path), nor in a folder above it")
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
