import Foundation
import GRDB

/// The database of a small app for notes.
public enum NotesDatabase {
    /// Every migration that was ever released, in order.
    public static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1_notes") { db in
            try db.create(table: "folder") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("name", .text).notNull()
            }
            try db.create(table: "note") { table in
                table.primaryKey("id", .integer)
                table.column("folder_id", .integer).references("folder", onDelete: .cascade)
                table.column("title", .text).notNull()
                table.column("body", .text)
                table.column("changed", .integer).notNull().defaults(to: 0)
            }
            try db.create(index: "note_on_folder", on: "note", columns: ["folder_id"])
        }
        migrator.registerMigration("v2_tags") { db in
            try db.create(table: "tag") { table in
                table.column("name", .text).notNull()
                table.column("note_id", .integer).notNull().references("note", onDelete: .cascade)
                table.primaryKey(["name", "note_id"])
            }
            try db.execute(
                sql: """
                    CREATE TRIGGER note_changed AFTER UPDATE OF title, body ON note BEGIN
                        UPDATE note SET changed = changed + 1 WHERE id = new.id;
                    END
                    """)
        }
        migrator.registerMigration("v3_search") { db in
            try db.create(virtualTable: "note_search", using: FTS5()) { table in
                table.synchronize(withTable: "note")
                table.column("title")
                table.column("body")
            }
            try db.execute(sql: "CREATE VIEW recent AS SELECT id, title FROM note ORDER BY changed DESC")
        }
        migrator.registerMigration("v4_slugs") { db in
            try db.alter(table: "note") { table in table.add(column: "slug", .text) }
            try db.execute(sql: "UPDATE note SET slug = slug(title)")
        }
        return migrator
    }

    /// The connections of the app: they have a function of its own.
    public static var configuration: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("slug", argumentCount: 1, pure: true) { values in
                    String.fromDatabaseValue(values[0])?.lowercased().replacingOccurrences(of: " ", with: "-")
                })
        }
        return configuration
    }
}
