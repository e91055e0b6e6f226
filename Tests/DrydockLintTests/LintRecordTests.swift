import DrydockMigrations
import SQLiteSchema
import Testing

@testable import DrydockLint
@testable import DrydockTestSupport

/// Checks that the record names the statement that made a thing, under the name that the thing has now.
@Suite struct LintRecordTests {
    private func record(_ sql: String, occupied: Set<String> = []) -> LintRecord {
        var record = LintRecord()
        record.occupied = occupied
        let statements = SQLSource(name: "v1.sql", sql).statements()
        let migration = Migration(identifier: "v1", path: "v1.sql", statements: statements)
        for statement in statements {
            record.note(
                statement.action, by: .init(migration: migration, statement: statement, isLinted: true))
        }
        return record
    }

    @Test func `names compare as SQLite compares them`() {
        let it = record(
            """
            CREATE TABLE "Person"(id); ALTER TABLE person ADD COLUMN "Born" TEXT; CREATE INDEX I ON person(born);
            CREATE VIEW V AS SELECT 1; CREATE TRIGGER Tr AFTER DELETE ON person BEGIN SELECT 1; END
            """)
        let lines: [LintRecord.Object] = [
            .table("PERSON"), .column("born", of: "pERSON"), .index("i"), .view("v"), .trigger("TR"),
        ]
        for object in lines { #expect(it[object] != nil, "\(object)") }
        #expect(it[.view("i")] == nil && it[.index("v")] == nil && it[.column("id", of: "person")] == nil)
        #expect(it[.table("person")]?.statement.text.hasPrefix("CREATE TABLE") == true)
    }

    @Test func `a renamed table keeps what is known of it`() {
        let it = record(
            "CREATE TABLE a(x); ALTER TABLE a ADD COLUMN y; ALTER TABLE a RENAME TO b; INSERT INTO c SELECT * FROM b",
            occupied: ["a"])
        #expect(it[.table("a")] == nil && it[.column("y", of: "a")] == nil)
        #expect(it[.table("B")] != nil && it[.column("Y", of: "b")] != nil)
        #expect(it.occupied == ["b", "c"])
    }

    @Test func `a table that is made again has only its new columns`() {
        let it = record(
            """
            CREATE TABLE a(x); ALTER TABLE a ADD COLUMN y; CREATE TABLE b(x); ALTER TABLE b ADD COLUMN y;
            DROP TABLE a; CREATE TABLE a(x, y)
            """, occupied: ["a"])
        #expect(it[.column("y", of: "a")] == nil && it[.column("y", of: "b")] != nil)
        #expect(it[.table("a")]?.statement.text.contains("x, y") == true && it.occupied.isEmpty)
    }

    @Test func `temporary tables are not the database's`() {
        let it = record(
            """
            CREATE TEMP TABLE t(x); ALTER TABLE temp.t ADD COLUMN y; DELETE FROM temp.t; DELETE FROM "T";
            CREATE TABLE u AS SELECT * FROM s
            """, occupied: ["s"])
        #expect(it[.column("y", of: "t")] == nil)
        #expect(it.deletes["t"]?.count == 1 && it.occupied == ["s", "u"])
    }
}
