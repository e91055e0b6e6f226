import DrydockTesting
import Foundation
import GRDB
import Testing

/// A migration with a fault that integrity_check and an empty database do not show.
struct BadClosure: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The rule that it breaks.
    var rule: String
    var checks = DatabaseMigrator.ForeignKeyChecks.deferred
    /// Whether the migrator is configured to check no foreign keys.
    var isUnchecked = false
    var declarations: [Declaration] = []
    var body: @Sendable (Database) throws -> Void

    func register(_ migrator: inout DatabaseMigrator) {
        if isUnchecked { migrator = migrator.disablingDeferredForeignKeyChecks() }
        migrator.registerMigration("v5_bad", foreignKeyChecks: checks, migrate: body)
    }

    static func sql(
        _ name: String, _ rule: String, checks: DatabaseMigrator.ForeignKeyChecks = .deferred,
        isUnchecked: Bool = false, declaring declarations: [Declaration] = [], _ sql: String
    ) -> BadClosure {
        BadClosure(
            testDescription: name, rule: rule, checks: checks, isUnchecked: isUnchecked,
            declarations: declarations
        ) { try $0.execute(sql: sql) }
    }

    static let all: [BadClosure] = [
        .sql(
            "a rebuilt parent cascades where foreign keys are on", "rows-lost", checks: .immediate,
            GoodClosure.rebuildOfNotes()),
        .sql("an UPDATE without WHERE", "values-changed", "UPDATE note SET folder_id = 1"),
        .sql(
            "a rebuild drops a column", "column-dropped",
            """
            CREATE TABLE new_folder (id INTEGER PRIMARY KEY AUTOINCREMENT);
            INSERT INTO new_folder SELECT id FROM folder;
            DROP TABLE folder;
            ALTER TABLE new_folder RENAME TO folder;
            """),
        .sql("a rebuild forgets a trigger", "object-lost", GoodClosure.rebuildOfNotes(triggers: false)),
        .sql("a rebuild forgets an index", "object-lost", GoodClosure.rebuildOfNotes(index: false)),
        .sql(
            "a key without case takes rows for copies", "rows-lost",
            """
            CREATE TABLE new_tag (
                name TEXT NOT NULL COLLATE NOCASE, note_id INTEGER NOT NULL REFERENCES note ON DELETE CASCADE,
                PRIMARY KEY (name, note_id));
            INSERT OR IGNORE INTO new_tag SELECT name, note_id FROM tag;
            DROP TABLE tag;
            ALTER TABLE new_tag RENAME TO tag;
            """),
        .sql(
            "a join loses rows whose key is NULL", "rows-lost",
            """
            CREATE TEMP TABLE kept AS SELECT note.id FROM note JOIN folder ON folder.id = folder_id;
            DELETE FROM note WHERE id NOT IN (SELECT id FROM kept);
            DROP TABLE kept;
            """),
        .sql(
            "a rename takes the wrong column", "values-changed",
            "UPDATE note SET title = coalesce(body, ''), body = title"),
        BadClosure(testDescription: "a full-text index is no longer told", rule: "search-index-stale") { db in
            try db.dropFTS5SynchronizationTriggers(forTable: "note_search")
            try db.execute(sql: "INSERT INTO note (title, body) VALUES ('Welcome', 'to version 5')")
        },
        .sql(
            "ids are given out again", "autoincrement-reset",
            """
            CREATE TABLE new_folder (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
            INSERT INTO new_folder SELECT * FROM folder;
            DROP TABLE folder;
            ALTER TABLE new_folder RENAME TO folder;
            """),
        .sql(
            "a row refers to nothing", "migration-failed",
            "UPDATE note SET folder_id = 99 WHERE folder_id IS NULL"),
        .sql(
            "a row refers to nothing, unchecked", "foreign-key-violation", isUnchecked: true,
            "UPDATE note SET folder_id = 99 WHERE folder_id IS NULL"),
        BadClosure(testDescription: "another schema each time", rule: "migration-varies") { db in
            try db.execute(
                sql: "CREATE TABLE device (id TEXT NOT NULL DEFAULT '\(UUID().uuidString)')")
        },
        .sql(
            "it runs at every launch", "not-idempotent",
            "DELETE FROM grdb_migrations WHERE identifier = 'v4_slugs'"),
        .sql(
            "a value for every row but one", "migration-failed",
            """
            CREATE TABLE new_note (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
            INSERT INTO new_note SELECT id, body FROM note;
            """),
        .sql("a table goes", "table-dropped", "DROP TABLE tag"),
        .sql(
            "a view asks for a table that is gone", "view-broken",
            "ALTER TABLE folder RENAME TO old_folder; CREATE VIEW folders AS SELECT * FROM folder"),
        .sql(
            "a number becomes a text", "values-changed",
            "UPDATE note SET changed = CAST(changed AS TEXT) || ''; UPDATE note SET changed = changed || 'x'"),
        .sql("it ends its transaction", "transaction-ended", "COMMIT"),
        .sql(
            "it needs a row", "migration-failed",
            "INSERT INTO tag (name, note_id) VALUES ('new', (SELECT min(id) FROM note))"),
        .sql(
            "a declared sum is another", "invariant-broken",
            declaring: [
                .preserves("SELECT sum(changed) FROM note"), .rewrites(column: "changed", of: "note"),
            ], "UPDATE note SET changed = 0"),
    ]
}
