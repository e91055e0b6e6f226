import DrydockTesting
import GRDB
import Testing

/// A migration that loses nothing, or says what it loses.
struct GoodClosure: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var checks = DatabaseMigrator.ForeignKeyChecks.deferred
    var declarations: [Declaration] = []
    var body: @Sendable (Database) throws -> Void

    static let all: [GoodClosure] = [
        GoodClosure(testDescription: "a new column") { db in
            try db.alter(table: "note") { $0.add(column: "pinned", .boolean).notNull().defaults(to: false) }
        },
        GoodClosure(testDescription: "a parent is rebuilt, foreign keys checked before the commit") { db in
            try db.execute(
                sql: """
                    CREATE TABLE new_folder (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, color TEXT);
                    INSERT INTO new_folder (id, name) SELECT id, name FROM folder;
                    UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'folder')
                        WHERE name = 'new_folder';
                    DROP TABLE folder;
                    ALTER TABLE new_folder RENAME TO folder;
                    """)
        },
        GoodClosure(testDescription: "a table is rebuilt with all that stands on it") { db in
            try db.execute(sql: rebuildOfNotes())
        },
        GoodClosure(
            testDescription: "declared losses",
            declarations: [
                .deletes(from: "tag", where: "name <> lower(name)"), .drops(column: "changed", of: "note"),
            ]
        ) { db in
            try db.execute(sql: "DELETE FROM tag WHERE name <> lower(name)")
            try db.execute(sql: "DROP VIEW recent; DROP TRIGGER note_changed")
            try db.alter(table: "note") { $0.drop(column: "changed") }
        },
        GoodClosure(
            testDescription: "row by row, with the app's function",
            declarations: [.rewrites(column: "slug", of: "note")]
        ) { db in
            for row in try Row.fetchAll(db, sql: "SELECT id, slug(title) || '-' || id AS slug FROM note") {
                try db.execute(
                    sql: "UPDATE note SET slug = ? WHERE id = ?",
                    arguments: [row["slug"] as String?, row["id"] as Int64])
            }
        },
        GoodClosure(testDescription: "children first, where foreign keys are on", checks: .immediate) { db in
            try db.execute(
                sql: "CREATE TABLE attachment (id INTEGER PRIMARY KEY, note_id INTEGER REFERENCES note)")
        },
        GoodClosure(testDescription: "a column has another name") { db in
            try db.alter(table: "folder") { $0.rename(column: "name", to: "title") }
        },
    ]

    /// SQLite's own way to change a table: with foreign keys off, and all that stands on it made again.
    static func rebuildOfNotes(triggers: Bool = true, index: Bool = true) -> String {
        """
        CREATE TABLE new_note (
            id INTEGER PRIMARY KEY, folder_id INTEGER REFERENCES folder ON DELETE CASCADE, title TEXT NOT NULL,
            body TEXT, changed INTEGER NOT NULL DEFAULT 0, slug TEXT);
        INSERT INTO new_note SELECT * FROM note;
        DROP VIEW recent;
        DROP TABLE note;
        ALTER TABLE new_note RENAME TO note;
        CREATE VIEW recent AS SELECT id, title FROM note ORDER BY changed DESC;
        """ + (triggers ? Self.triggers : "")
            + (index ? "CREATE INDEX note_on_folder ON note(folder_id);" : "")
    }

    private static let triggers = """
        CREATE TRIGGER note_changed AFTER UPDATE OF title, body ON note BEGIN
            UPDATE note SET changed = changed + 1 WHERE id = new.id;
        END;
        CREATE TRIGGER __note_search_ai AFTER INSERT ON note BEGIN
            INSERT INTO note_search (rowid, title, body) VALUES (new.id, new.title, new.body);
        END;
        CREATE TRIGGER __note_search_ad AFTER DELETE ON note BEGIN
            INSERT INTO note_search (note_search, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
        END;
        CREATE TRIGGER __note_search_au AFTER UPDATE ON note BEGIN
            INSERT INTO note_search (note_search, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
            INSERT INTO note_search (rowid, title, body) VALUES (new.id, new.title, new.body);
        END;
        """
}
