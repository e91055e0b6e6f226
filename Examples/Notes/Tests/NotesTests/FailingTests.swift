import DrydockTesting
import Foundation
import GRDB
import Notes
import Testing

/// They fail, each in a process that ``ExitStatusTests`` starts.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["NOTES_FAIL"] != nil)) struct FailingTests {
    @Test func inATest() async throws {
        try await verifyMigrations(
            Self.migrator, configuration: NotesDatabase.configuration, lock: nil)
    }

    /// The error is swallowed: the issue has to be enough.
    @Test func inADetachedTask() async throws {
        let migrator = Self.migrator
        await Task.detached {
            try? await verifyMigrations(
                migrator, configuration: NotesDatabase.configuration, lock: nil)
        }.value
    }

    @Test func inNoTest() async throws {
        try await verifyMigrations(
            NotesDatabase.migrator, configuration: NotesDatabase.configuration, lock: nil)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = NotesDatabase.migrator
        migrator.registerMigration("v5_bad") { try $0.execute(sql: "DELETE FROM note WHERE body IS NULL") }
        return migrator
    }
}
