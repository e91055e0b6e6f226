import DrydockTesting
import GRDB
import Notes
import Testing

/// The first two migrations as one, for those who begin now.
@Suite struct MergedMigrationTests {
    private static func merged(losing: Bool = false) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1+2", merging: ["v1", "v2"]) { db, applied in
            if !applied.contains("v1") {
                try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
            }
            if !applied.contains("v2") {
                try db.execute(sql: "ALTER TABLE note ADD COLUMN length INTEGER")
                if !losing { try db.execute(sql: "UPDATE note SET length = length(title)") }
            }
        }
        return migrator
    }

    private static var old: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
        }
        migrator.registerMigration("v2") { db in
            try db.execute(sql: "ALTER TABLE note ADD COLUMN length INTEGER")
            try db.execute(sql: "UPDATE note SET length = length(title)")
        }
        return migrator
    }

    @Test func mergedMigrationsDoTheSame() async throws {
        try await provesEquivalent(Self.old, Self.merged()) { db, _ in
            try db.execute(sql: "INSERT INTO note (title) VALUES ('one'), ('three')")
        }
    }

    @Test func whatAMergedOneForgetsIsFound() async throws {
        try await withKnownIssue {
            try await provesEquivalent(Self.old, Self.merged(losing: true)) { db, _ in
                try db.execute(sql: "INSERT INTO note (title) VALUES ('one')")
            }
        } matching: { issue in
            issue.error is MigrationsNotVerified
                || issue.comments.contains {
                    $0.rawValue.contains("from v1, the new migrator leaves 1 different value")
                }
        }
    }
}
