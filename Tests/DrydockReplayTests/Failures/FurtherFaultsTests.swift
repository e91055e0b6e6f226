import Drydock
import Testing

@testable import DrydockTestSupport

/// SQLite reports the first constraint that a row breaks; the others would stop the corrected statement again.
struct FurtherFaultsTests {
    private static let old = "CREATE TABLE old(id INTEGER PRIMARY KEY, a, b, c);"
    private static let rows = """
        INSERT INTO old VALUES (1, 'x', 1, 'u'), (2, NULL, 2, 'v'), (3, 'y', 'many', 'w'), (4, 'z', -4, NULL), (5, 'z', 5, 'q');
        """

    private func finding(_ table: String, _ copy: String = "INSERT INTO new SELECT * FROM old") async throws
        -> Finding
    {
        try await Scenario(
            Self.old, rows: Self.rows, steps: "CREATE TABLE new\(table);\n\(copy);"
        ).verify().finding(.migrationFailed)
    }

    @Test func `a type that STRICT refuses is behind a NULL`() async throws {
        let finding = try await finding("(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INT, c TEXT) STRICT")
        #expect(
            finding.message
                == "v2 fails: NOT NULL constraint failed: new.a: row 2 of old has a = NULL; it would then fail "
                + "again: cannot store TEXT value in INT column new.b: row 3 of old has b = 'many'")
        #expect(finding.help.contains("coalesce(a, '')") && finding.help.contains("Declare b as ANY"))
        #expect(!finding.sentence.withoutValues.contains("many"))
    }

    @Test func `all kinds are named, and each once`() async throws {
        let finding = try await finding(
            "(id INTEGER PRIMARY KEY, a TEXT NOT NULL UNIQUE, b INTEGER CHECK (b > 0), c TEXT NOT NULL)")
        for text in [
            "NOT NULL constraint failed: new.a: row 2", "NOT NULL constraint failed: new.c: row 4",
            "CHECK constraint failed: b > 0: row 4", "UNIQUE constraint failed: new.a: rows 4 and 5",
        ] {
            #expect(finding.message.components(separatedBy: text).count == 2, "\(text): \(finding.message)")
        }
    }

    /// SQLite's message has the name alone.
    @Test func `a CHECK that begins with a quoted name is one fault`() async throws {
        let finding = try await finding("(id INTEGER PRIMARY KEY, a, \"b\" INTEGER CHECK (\"b\" > 0), c)")
        #expect(finding.message.components(separatedBy: "CHECK").count == 2, "\(finding.message)")
    }

    @Test(arguments: [
        ("(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b, c)", "INSERT INTO new SELECT * FROM old"),
        // What the statement passes over would not stop it.
        (
            "(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INT, c TEXT NOT NULL) STRICT",
            "INSERT OR IGNORE INTO new SELECT * FROM old"
        ),
    ]) func `what would not stop it is not named`(_ table: String, _ copy: String) async throws {
        #expect(try await finding(table, copy).message.contains("fail again") == false)
    }

    /// SQLite looks at foreign keys last: the row is there already, and its key is no fault.
    @Test func `a reference is the last fault`() async throws {
        let schema =
            "CREATE TABLE person(id INTEGER PRIMARY KEY); "
            + "CREATE TABLE pet(id INTEGER PRIMARY KEY, who REFERENCES person(id));"
        let finding = try await Scenario(
            schema, steps: "-- drydock: foreign-keys immediate\nINSERT INTO pet VALUES (9, 99)"
        ).verify().finding(.migrationFailed)
        #expect(finding.message.contains("references no row of person"), "\(finding.message)")
        #expect(!finding.message.contains("fail again"), "\(finding.message)")
    }

    @Test func `an UPDATE`() async throws {
        let finding = try await finding(
            "(id INTEGER PRIMARY KEY, a, b NOT NULL, c CHECK (c <> 'w'))",
            "INSERT INTO new SELECT id, a, 0, '' FROM old;\nUPDATE new SET b = (SELECT a FROM old WHERE old.id = new.id), "
                + "c = (SELECT c FROM old WHERE old.id = new.id)")
        #expect(finding.message.contains("NOT NULL constraint failed: new.b: row 2 of new"))
        #expect(
            finding.message.contains("CHECK constraint failed: c <> 'w': row 3 of new"), "\(finding.message)")
    }
}
