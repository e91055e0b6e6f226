import Drydock
import GRDB

/// Replays an app's migrations on every snapshot and on a new database, step by step, and proves that no row, column or
/// value was lost.
///
///     @Test func everyReleasedDatabaseMigrates() async throws {
///         try await verifyMigrations(AppDatabase.migrator, snapshots: "Snapshots")
///     }
///
/// Each error becomes an issue of the running test, in Swift Testing and in XCTest; a possible fault becomes a warning.
/// Snapshots are never written.
///
/// - Parameters:
///   - migrator: The app's own, with `eraseDatabaseOnSchemaChange` off.
///   - snapshots: A folder of databases as released versions left them, or one such database. A relative path is looked
///     for beside the calling file, then in the folders above it up to the package's root.
///   - declarations: The losses and changes that are intended, by migration.
///   - configuration: The app's own, if its connections have functions, collations or pragmas.
///   - lock: The file that records what each released migration executes; nil for none. It is found like `snapshots`,
///     and a new one is created beside them. `DRYDOCK_RECORD=1 swift test` writes it.
/// - Throws: ``MigrationsNotVerified`` if there are errors, even if the issues are lost; ``RequestError`` if no report
///   can be made, which is also an issue.
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

/// Returns what ``verifyMigrations(_:snapshots:declaring:configuration:lock:fileID:filePath:line:column:)`` finds, as a
/// value: no issue is recorded.
/// - Throws: ``RequestError`` if no report can be made.
public func migrationReport(
    _ migrator: DatabaseMigrator, snapshots: String = "Snapshots",
    declaring declarations: [String: [Declaration]] = [:],
    configuration: Configuration = Configuration(), lock: String? = "drydock.lock",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
) async throws -> Report {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    var report = try await MigrationTest(
        migrator: migrator, snapshots: snapshots, declarations: declarations, configuration: configuration,
        lock: lock, site: site
    ).report()
    for index in report.findings.indices { report.findings[index].move(to: site) }
    return report
}

extension Finding {
    /// Moves a finding to the test's call, because a closure is in no file that could be named.
    fileprivate mutating func move(to site: CallSite) {
        guard place == nil || place?.file == migration else { return }
        var moved = Place(file: site.path)
        moved.line = Int(site.line)
        moved.column = Int(site.column)
        moved.statement = place?.statement
        place = moved
    }
}
