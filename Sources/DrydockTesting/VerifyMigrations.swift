import Drydock
import GRDB

/// Replays an app's migrations on every snapshot and on a new database, step by step, and proves that no row, column
/// or value was lost on the way.
///
///     @Test func everyReleasedDatabaseMigrates() async throws {
///         try await verifyMigrations(AppDatabase.migrator, snapshots: "Snapshots")
///     }
///
/// Each thing that is wrong becomes an issue of the running test, in Swift Testing and in XCTest alike; what may be
/// wrong is a warning. Snapshots are never written.
///
/// - `migrator`: the app's own, with `eraseDatabaseOnSchemaChange` off.
/// - `snapshots`: a folder of databases as released versions left them, or one of them. A relative path is looked for
///   beside the calling file, then in the folders above it up to the package's root.
/// - `declaring`: what migrations are meant to lose or change, by migration.
/// - `configuration`: the app's own, where its connections have functions, collations or pragmas.
/// - `lock`: the file that keeps what each released migration executes, looked for like `snapshots`, and beside them
///   where there is none; nil for none. `DRYDOCK_RECORD=1 swift test` writes it.
///
/// - Throws: ``MigrationsNotVerified`` when there are errors, whatever became of the issues; ``RequestError`` when no
///   report can be made, which is an issue too.
public func verifyMigrations(
    _ migrator: DatabaseMigrator, snapshots: String = "Snapshots",
    declaring declarations: [String: [Declaration]] = [:],
    configuration: Configuration = Configuration(), lock: String? = "drydock.lock",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
) async throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let test = MigrationTest(
        migrator: migrator, snapshots: snapshots, declarations: declarations, configuration: configuration,
        lock: lock, site: site)
    try await TestIssues(site: site).raise { try await test.report() }
}

/// What ``verifyMigrations(_:snapshots:declaring:configuration:lock:fileID:filePath:line:column:)`` finds, as a
/// value: no issue is recorded.
/// - Throws: ``RequestError`` when no report can be made.
public func migrationReport(
    _ migrator: DatabaseMigrator, snapshots: String = "Snapshots",
    declaring declarations: [String: [Declaration]] = [:],
    configuration: Configuration = Configuration(), lock: String? = "drydock.lock",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
) async throws -> VerifyReport {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    var report = try await MigrationTest(
        migrator: migrator, snapshots: snapshots, declarations: declarations, configuration: configuration,
        lock: lock, site: site
    ).report()
    for index in report.findings.indices { report.findings[index].move(to: site) }
    return report
}

extension Finding {
    /// A closure stands in no file that could be named: what is found is found where the test called.
    fileprivate mutating func move(to site: CallSite) {
        guard place == nil || place?.file == migration else { return }
        var moved = Place(file: site.path)
        moved.line = Int(site.line)
        moved.column = Int(site.column)
        moved.statement = place?.statement
        place = moved
    }
}
