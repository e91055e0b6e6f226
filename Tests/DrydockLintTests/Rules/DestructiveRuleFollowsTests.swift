import Drydock
import Testing

@testable import DrydockTestSupport

/// Effects of a statement beyond its own table, and statements that only look like a copy.
@Suite struct DestructiveRuleFollowsTests {
    private static let plain = "CREATE TABLE e(id INTEGER PRIMARY KEY, s TEXT, n INTEGER);"
    private static let keep = "CREATE TABLE keep(id INTEGER PRIMARY KEY, s TEXT, n INTEGER);"
    private static let copy = "INSERT INTO keep SELECT * FROM e;"

    @Test(arguments: [
        LintCase(
            "temporary", schema: plain, "CREATE TEMP TABLE keep AS SELECT * FROM e; DROP TABLE e",
            says: [.error]),
        LintCase("dropped", schema: plain, keep + copy + "DROP TABLE e; DROP TABLE keep", says: [.error]),
        LintCase("emptied", schema: plain, keep + copy + "DROP TABLE e; DELETE FROM keep", says: [.error]),
        LintCase(
            "some rows", schema: plain, keep + "INSERT INTO keep SELECT * FROM e WHERE id > 5; DROP TABLE e",
            says: [.error]),
        LintCase(
            "some rows, declared", schema: plain,
            "-- drydock: deletes from e where id <= 5\n" + keep
                + "INSERT INTO keep SELECT * FROM e WHERE id > 5; DROP TABLE e"),
        LintCase(
            "in two halves", schema: plain,
            keep
                + "INSERT INTO keep SELECT * FROM e WHERE id > 5; INSERT INTO keep SELECT * FROM e WHERE id <= 5; DROP TABLE e"
        ),
        LintCase(
            "renamed first, and copied on", schema: plain,
            "ALTER TABLE e RENAME TO o;" + plain
                + "INSERT INTO e SELECT * FROM o;" + keep
                + "INSERT INTO keep SELECT * FROM e WHERE n = 1; DROP TABLE o"),
        LintCase("copied", schema: plain, keep + copy + "DROP TABLE e"),
        LintCase(
            "copied and renamed", schema: plain, keep + copy + "DROP TABLE e; ALTER TABLE keep RENAME TO kept"
        ),
        LintCase(
            "there and back", schema: plain,
            "CREATE TEMP TABLE t AS SELECT * FROM e; DROP TABLE e;"
                + plain + "INSERT INTO e(id, s, n) SELECT id, s, n FROM t; DROP TABLE t"),
        // A rebuild over several files: rows that came in between are not in the copy.
        LintCase(
            "copied in an earlier file", schema: plain + keep + copy,
            "DROP TABLE e; ALTER TABLE keep RENAME TO e", says: [.warning]),
        LintCase(
            "copied in an earlier file, under other names", schema: plain + keep + copy,
            "ALTER TABLE e RENAME TO old; ALTER TABLE keep RENAME TO e; DROP TABLE old", says: [.warning]),
        LintCase(
            "created from it in an earlier file", schema: plain + "CREATE TABLE keep AS SELECT * FROM e",
            "DROP TABLE e", says: [.warning]),
        LintCase(
            "some rows in an earlier file", schema: plain + keep + "INSERT INTO keep SELECT * FROM e WHERE n",
            "DROP TABLE e", says: [.error]),
        LintCase(
            "copied in an earlier file and emptied", schema: plain + keep + copy,
            "DELETE FROM keep; DROP TABLE e", says: [.error, .error]),
        LintCase("renamed before", schema: plain, keep + copy + "ALTER TABLE e RENAME TO o; DROP TABLE o"),
    ]) func whetherACopyIsKept(_ it: LintCase) async throws { try await it.check(.destructiveUndeclared) }

    private static func family(_ action: String) -> String {
        "CREATE TABLE p(id INTEGER PRIMARY KEY, k); CREATE TABLE c(id INTEGER PRIMARY KEY, pa REFERENCES p(id) \(action));"
    }

    @Test(arguments: [
        LintCase(
            "CASCADE", schema: family("ON DELETE CASCADE"), "-- drydock: deletes from p\nDELETE FROM p",
            says: [.error], tool: .d1),
        LintCase(
            "SET NULL", schema: family("ON DELETE SET NULL"), "-- drydock: deletes from p\nDELETE FROM p",
            says: [.warning], tool: .d1),
        LintCase(
            "no action", schema: family(""), "-- drydock: deletes from p\nDELETE FROM p", says: [.error],
            tool: .d1),
        LintCase(
            "some rows", schema: family(""), "-- drydock: deletes from p\nDELETE FROM p WHERE k = 1",
            says: [.warning], tool: .d1),
        LintCase(
            "a key", schema: family(""), "-- drydock: rewrites p.id\nUPDATE p SET id = id + 1000",
            says: [.error],
            tool: .d1),
        LintCase(
            "a key by another name", schema: family("ON UPDATE CASCADE"),
            "-- drydock: rewrites p.id\nUPDATE p SET rowid = id + 1000", says: [.warning], tool: .d1),
        LintCase(
            "no key", schema: family(""), "-- drydock: rewrites p.k\nUPDATE p SET k = 1", tool: .d1),
        LintCase(
            "declared", schema: family("ON DELETE CASCADE"),
            "-- drydock: deletes from p\n-- drydock: deletes from c\nDELETE FROM p", tool: .d1),
        LintCase(
            "those without children", schema: family("ON DELETE CASCADE"),
            "-- drydock: deletes from p\nDELETE FROM p WHERE id NOT IN (SELECT pa FROM c)", tool: .d1),
        LintCase(
            "checked before the commit", schema: family("ON DELETE CASCADE"),
            "-- drydock: deletes from p\nDELETE FROM p", says: [.error]),
        LintCase(
            "checked before the commit, and fixed", schema: family("ON DELETE CASCADE"),
            "-- drydock: deletes from p\n-- drydock: deletes from c\nDELETE FROM p; DELETE FROM c"),
    ]) func children(_ it: LintCase) async throws {
        let findings = try await it.check(.destructiveUndeclared)
        guard it.tool == .d1, !findings.isEmpty else { return }
        let database = try PlainDatabase()
        try database.execute(
            it.steps[0]
                + "INSERT INTO p VALUES (1, 1); INSERT INTO c VALUES (1, 1); PRAGMA foreign_keys = ON;")
        do {
            try database.execute(it.steps[1])
            #expect(try database.rows("SELECT * FROM c WHERE pa = 1") { $0.integer(0) }.isEmpty)
        } catch let failure as PlainDatabase.Failure {
            #expect(failure.description.contains("FOREIGN KEY"))
        }
    }

    @Test(arguments: [
        LintCase(
            "made by the migration", schema: plain,
            "CREATE TRIGGER tr AFTER INSERT ON e BEGIN DELETE FROM e WHERE id < new.id; END; INSERT INTO e(s) VALUES ('x')",
            says: [.warning]),
        LintCase(
            "there before",
            schema: plain
                + "CREATE TABLE l(x); CREATE TRIGGER tr AFTER INSERT ON l BEGIN DELETE FROM e; END;",
            "INSERT INTO l VALUES (1)", says: [.warning]),
        LintCase(
            "declared",
            schema: plain
                + "CREATE TABLE l(x); CREATE TRIGGER tr AFTER INSERT ON l BEGIN DELETE FROM e; END;",
            "-- drydock: deletes from e\nINSERT INTO l VALUES (1)"),
        LintCase(
            "of another event",
            schema: plain
                + "CREATE TABLE l(x); CREATE TRIGGER tr AFTER UPDATE ON l BEGIN DELETE FROM e; END;",
            "INSERT INTO l VALUES (1)"),
        LintCase(
            "RAISE(IGNORE)", schema: plain,
            keep + "CREATE TRIGGER tr BEFORE INSERT ON keep WHEN new.n < 0 BEGIN SELECT raise(IGNORE); END;"
                + copy
                + "DROP TABLE e; ALTER TABLE keep RENAME TO e", says: [.warning]),
        LintCase(
            "RAISE(IGNORE) after the copy", schema: plain,
            keep + copy
                + "CREATE TRIGGER tr BEFORE INSERT ON keep WHEN new.n < 0 BEGIN SELECT raise(IGNORE); END;"
                + "DROP TABLE e; ALTER TABLE keep RENAME TO e"),
    ]) func triggers(_ it: LintCase) async throws { try await it.check(.destructiveUndeclared) }

    @Test(arguments: [
        LintCase("rowid", schema: plain, "UPDATE e SET rowid = id + 100", says: [.warning]),
        LintCase(
            "rowid, declared", schema: plain, "-- drydock: rewrites e.id\nUPDATE e SET rowid = id + 100"),
        LintCase(
            "UPDATE OR REPLACE", schema: plain, "-- drydock: rewrites e.id\nUPDATE OR REPLACE e SET id = 1",
            says: [.warning]),
        LintCase(
            "UPDATE OR REPLACE, declared", schema: plain,
            "-- drydock: rewrites e.id\n-- drydock: deletes from e\nUPDATE OR REPLACE e SET id = 1"),
        LintCase(
            "UPDATE OR REPLACE of no key", schema: plain,
            "-- drydock: rewrites e.n\nUPDATE OR REPLACE e SET n = 1"),
        LintCase(
            "the key says REPLACE", schema: "CREATE TABLE e(id INTEGER PRIMARY KEY ON CONFLICT REPLACE, s);",
            "INSERT INTO e(id, s) VALUES (1, 1)", says: [.warning]),
        LintCase(
            "the statement says otherwise",
            schema: "CREATE TABLE e(id INTEGER PRIMARY KEY ON CONFLICT REPLACE, s);",
            "INSERT OR IGNORE INTO e(id, s) VALUES (1, 1)"),
        LintCase("no row", schema: plain, "DELETE FROM e WHERE 0; DELETE FROM e WHERE 1 = 2"),
        LintCase("a row", schema: plain, "DELETE FROM e WHERE 1", says: [.error]),
        LintCase(
            "as others say", schema: plain + keep, "DELETE FROM e WHERE (SELECT 1 FROM keep)", says: [.error]),
    ]) func keys(_ it: LintCase) async throws { try await it.check(.destructiveUndeclared) }
}
