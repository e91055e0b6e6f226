import Drydock
import Foundation
import GRDB

/// Makes a snapshot if it does not exist yet: a new database that the app's migrator migrates to a version, with rows.
///
///     @Test func releasedVersionsHaveSnapshots() throws {
///         try recordSnapshot(at: "Snapshots/v3.sqlite", of: AppDatabase.migrator, upTo: "v3") { db in
///             try db.execute(sql: "INSERT INTO note (title) VALUES ('first')")
///         }
///     }
///
/// An existing file is never touched, so the call can stay in the tests. Commit the file that it makes. If `CI` is set
/// it makes nothing: a snapshot that is made again for each run is not a database that users have.
///
/// - Parameters:
///   - path: A relative path is found as in `verifyMigrations`; its folder is created if it does not exist.
///   - migrator: The app's own.
///   - identifier: The last migration to run; nil for all.
///   - configuration: The app's own, if its connections have functions, collations or pragmas.
///   - rows: Fills the database.
/// - Returns: Whether the snapshot was made.
/// - Throws: ``RequestError`` if it cannot be made, and what the migrator or `rows` throws.
@discardableResult
public func recordSnapshot(
    at path: String, of migrator: DatabaseMigrator, upTo identifier: String? = nil,
    configuration: Configuration = Configuration(),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, rows: (Database) throws -> Void
) throws -> Bool {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let files = TestFiles(site: site)
    guard files.find(path) == nil else { return false }
    guard ProcessInfo.processInfo.environment["CI"] == nil else {
        throw RequestError(
            .notFound, "there is no snapshot '\(path)': create it by running the tests, and commit it")
    }
    guard let target = identifier ?? migrator.migrations.last, migrator.migrations.contains(target) else {
        throw RequestError(.notFound, "the migrator has no migration '\(identifier ?? "")'")
    }
    let place = files.place(path)
    let folder = URL(fileURLWithPath: place).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let temporary = place + ".\(getpid()).tmp"
    defer { for file in SnapshotFile.family(of: temporary) { unlink(file) } }
    var configuration = configuration
    configuration.readonly = false
    let queue = try DatabaseQueue(path: temporary, configuration: configuration)
    try migrator.migrate(queue, upTo: target)
    try queue.write(rows)
    // One file is easier to keep than three.
    try queue.inDatabase { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
    try queue.close()
    // Unlike a rename, a link never replaces an existing file.
    guard link(temporary, place) == 0 else {
        guard errno != EEXIST else { return false }
        throw RequestError(
            .writing(errno), "the snapshot '\(place)' cannot be made: \(String(cString: strerror(errno)))")
    }
    return true
}
