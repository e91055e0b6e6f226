import DrydockTesting
import Notes
import XCTest

/// The same in XCTest.
final class MigrationXCTests: XCTestCase {
    func testEveryReleasedDatabaseMigrates() async throws {
        try await verifyMigrations(
            NotesDatabase.migrator, snapshots: "Snapshots", configuration: NotesDatabase.configuration)
    }
}
