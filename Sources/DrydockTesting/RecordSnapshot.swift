import Drydock
import Foundation
import GRDB

/// Makes a snapshot where there is none yet: a new database that the app's migrator brings to a version, with rows.
///
///     @Test func releasedVersionsHaveSnapshots() throws {
///         try recordSnapshot(at: "Snapshots/v3.sqlite", of: AppDatabase.migrator, upTo: "v3") { db in
///             try db.execute(sql: "INSERT INTO note (title) VALUES ('first')")
///         }
///     }
///
/// A file that is there is never touched: the call may stay in the tests. Commit what it makes; where `CI` is set it
/// makes nothing, since what is made anew each time is no database that users have.
///
/// - `path`: a relative one is looked for as in `verifyMigrations`; its folder is made where there is none.
/// - `identifier`: the last migration to run; nil for all.
/// - `rows`: fills the database.
///
/// - Returns: whether it was made.
/// - Throws: ``RequestError`` when it cannot be made, and what the migrator or `rows` throws.
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
        throw RequestError("there is no snapshot '\(path)': make it by running the tests, and commit it")
    }
    guard let target = identifier ?? migrator.migrations.last, migrator.migrations.contains(target) else {
        throw RequestError("the migrator has no migration '\(identifier ?? "")'")
    }
    let place = files.place(path)
    let folder = URL(fileURLWithPath: place).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let temporary = place + ".\(getpid()).tmp"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(temporary + suffix) } }
    var configuration = configuration
    configuration.readonly = false
    let queue = try DatabaseQueue(path: temporary, configuration: configuration)
    try migrator.migrate(queue, upTo: target)
    try queue.write(rows)
    // One file is easier to keep than three.
    try queue.inDatabase { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
    try queue.close()
    // Unlike a rename, a link takes no other's place.
    guard link(temporary, place) == 0 else {
        guard errno != EEXIST else { return false }
        throw RequestError("the snapshot '\(place)' cannot be made: \(String(cString: strerror(errno)))")
    }
    return true
}
