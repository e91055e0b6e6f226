import DrydockTesting
import GRDB
import Notes
import XCTest

/// They fail, each in a process that `ExitStatusTests` starts.
final class FailingXCTests: XCTestCase {
    override func setUpWithError() throws {
        try XCTSkipIf(ProcessInfo.processInfo.environment["NOTES_FAIL"] == nil, "fails on purpose")
    }

    func testInATest() async throws {
        try await verifyMigrations(
            Self.migrator, configuration: NotesDatabase.configuration, lock: nil)
    }

    /// The error is swallowed: the issue has to be enough.
    func testInADetachedTask() async throws {
        let migrator = Self.migrator
        await Task.detached {
            try? await verifyMigrations(
                migrator, configuration: NotesDatabase.configuration, lock: nil)
        }.value
    }

    func testInNoTest() async throws {
        try await verifyMigrations(
            NotesDatabase.migrator, configuration: NotesDatabase.configuration, lock: nil)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = NotesDatabase.migrator
        migrator.registerMigration("v5_bad") { try $0.execute(sql: "DELETE FROM note WHERE body IS NULL") }
        return migrator
    }
}
