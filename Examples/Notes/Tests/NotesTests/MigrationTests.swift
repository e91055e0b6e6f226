import DrydockTesting
import Notes
import Testing

@Suite struct MigrationTests {
    @Test func everyReleasedDatabaseMigrates() async throws {
        try await verifyMigrations(
            NotesDatabase.migrator, snapshots: "Snapshots", configuration: NotesDatabase.configuration)
    }

    /// Makes the snapshot of a new version once; after that the file stands as it was released.
    @Test func releasedVersionsHaveSnapshots() throws {
        for version in ["v1_notes", "v3_search"] {
            try recordSnapshot(
                at: "Snapshots/\(version).sqlite", of: NotesDatabase.migrator, upTo: version,
                configuration: NotesDatabase.configuration
            ) { db in
                try db.execute(
                    sql: """
                        INSERT INTO folder (name) VALUES ('Work'), ('Home'), ('Old');
                        INSERT INTO note (id, folder_id, title, body, changed) VALUES
                            (1, 1, 'Call Ada', 'about the engine', 3), (2, 1, 'call ada', NULL, 0),
                            (3, 2, 'Milk', 'and bread', 1), (4, NULL, 'Loose', 'in no folder', 0);
                        DELETE FROM folder WHERE name = 'Old';
                        """)
                guard version != "v1_notes" else { return }
                try db.execute(
                    sql: """
                        INSERT INTO tag (name, note_id) VALUES ('Urgent', 1), ('urgent', 1), ('food', 3)
                        """)
            }
        }
    }
}
