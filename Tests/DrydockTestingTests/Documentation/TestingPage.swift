import DrydockTesting
import Testing

/// The code of docs/testing.md, so that it compiles; its app has no snapshots.
@Suite(.disabled("compiled, and not run")) struct TestingPage {
    @Test func everyReleasedDatabaseMigrates() async throws {
        try await verifyMigrations(
            AppDatabase.migrator, snapshots: "Snapshots",
            declaring: ["v8": [.deletes(from: "email", where: "is_spam = 1")]],
            configuration: AppDatabase.configuration)
    }

    @Test func releasedVersionsHaveSnapshots() throws {
        try recordSnapshot(at: "Snapshots/v3.sqlite", of: AppDatabase.migrator, upTo: "v3") { db in
            try db.execute(sql: "INSERT INTO note (title) VALUES ('first')")
        }
    }
}

/// The code of the library's own pages.
@Suite(.disabled("compiled, and not run")) struct TestingArticle {
    @Test func everyReleasedDatabaseMigrates() async throws {
        try await verifyMigrations(AppDatabase.migrator, snapshots: "Snapshots")
    }
}
