import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ForeignKeyRuleTests {
    private static let schema = """
        CREATE TABLE parent(id INTEGER PRIMARY KEY, code TEXT, name TEXT);
        CREATE UNIQUE INDEX parent_code ON parent(code);
        CREATE TABLE child(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent(id), code TEXT REFERENCES parent(code));
        """
    private static let rows = """
        INSERT INTO parent VALUES (1, 'a', 'A'), (2, 'b', 'B'); INSERT INTO child VALUES (1, 1, 'a'), (2, 2, NULL);
        """
    private static let orphan = "INSERT INTO child VALUES (3, 99, NULL);"
    private static let immediate = "-- drydock: foreign-keys immediate\n"
    /// Leaves `child` referencing a table that does not exist.
    private static let loseParent = redirect("parent", "person")

    private static func redirect(_ old: String, _ new: String) -> String {
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'REFERENCES \(old)', 'REFERENCES \(new)') WHERE name = 'child';
        """
    }

    @Test(arguments: [
        RuleCase(
            "a violation under the deferred check is a migration that fails",
            "-- drydock: rewrites child\nUPDATE child SET parent_id = 77 WHERE id = 1", schema: schema,
            rows: rows,
            errors: [.migrationFailed]),
        RuleCase(
            "a violation with foreign keys on is one too",
            immediate + "-- drydock: rewrites child\nUPDATE child SET parent_id = 77 WHERE id = 1",
            schema: schema, rows: rows,
            errors: [.migrationFailed]),
        RuleCase(
            "a violation that the same step fixes",
            "-- drydock: rewrites child\nUPDATE child SET parent_id = 77 WHERE id = 1; UPDATE child SET parent_id = 2 WHERE id = 1",
            schema: schema, rows: rows),
        RuleCase(
            "the snapshot's own violation stops the deferred check", "ALTER TABLE parent ADD COLUMN x",
            schema: schema,
            rows: rows + orphan, errors: [.migrationFailed], notes: [.foreignKeyViolation]),
        RuleCase(
            "the snapshot's own violation is its baseline with foreign keys on",
            immediate + "ALTER TABLE parent ADD COLUMN x", schema: schema, rows: rows + orphan,
            notes: [.foreignKeyViolation]),
        RuleCase(
            "the snapshot's own violation is fixed",
            "-- drydock: deletes from child where parent_id = 99\nDELETE FROM child WHERE parent_id = 99",
            schema: schema,
            rows: rows + orphan, notes: [.foreignKeyViolation]),
        RuleCase(
            "a violation that only the state after shows", immediate + loseParent, schema: schema, rows: rows,
            errors: [.foreignKeyViolation, .foreignKeyViolation], warnings: []),
        RuleCase(
            "repaired by a later step, a warning", immediate + loseParent,
            immediate + redirect("person", "parent"), schema: schema, rows: rows,
            warnings: [.foreignKeyViolation, .foreignKeyViolation]),
        RuleCase(
            "a parent without a unique key, under the deferred check", "DROP INDEX parent_code",
            schema: schema, rows: rows,
            errors: [.migrationFailed]),
        RuleCase(
            "a parent without a unique key, with foreign keys on", immediate + "DROP INDEX parent_code",
            schema: schema,
            rows: rows, errors: [.foreignKeyViolation]),
        RuleCase(
            "the baseline follows a renamed table", immediate + "ALTER TABLE child RENAME TO kid",
            schema: schema,
            rows: rows + orphan, notes: [.foreignKeyViolation]),
        RuleCase(
            "the baseline follows a rebuilt table",
            """
            -- drydock: foreign-keys immediate
            -- drydock: rewrites child.parent_id
            UPDATE child SET parent_id = NULL WHERE id = 2;
            """, schema: schema, rows: rows + orphan, notes: [.foreignKeyViolation]),
    ])
    func keys(_ it: RuleCase) async throws { try await it.check() }

    @Test func theDeferredCheckIsTaggedWhenTheSnapshotIsToBlame() async throws {
        let old = try await Scenario(
            Self.schema, rows: Self.rows + Self.orphan, steps: "ALTER TABLE parent ADD COLUMN x"
        )
        .verify().finding(.migrationFailed)
        #expect(old.tags.contains(.preExisting))
        let new = try await Scenario(
            Self.schema, rows: Self.rows + Self.orphan, steps: "UPDATE child SET parent_id = 77 WHERE id = 1"
        ).verify().finding(.migrationFailed)
        #expect(!new.tags.contains(.preExisting))
    }

    @Test func theBaselineIsListedWithItsRows() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows + Self.orphan, steps: Self.immediate + "SELECT 1"
        ).verify()
        let finding = try report.finding(.foreignKeyViolation)
        #expect(finding.severity == .note)
        #expect(finding.tags == [.preExisting])
        #expect(finding.message.hasPrefix("1 row of child (parent_id) references no row of parent"))
        let row = try #require(finding.evidence?.rows.first)
        #expect(row.key.map(\.column) == ["id"] && row.key.map(\.value.literal) == ["3"])
        #expect(row.values?.map(\.column) == ["parent_id"])
    }

    @Test(arguments: [
        ("code TEXT PRIMARY KEY, p REFERENCES parent(id)", "'a', 9", ["code = 'a'", "p = 9"]),
        ("a, b, p REFERENCES parent(id), PRIMARY KEY (b, a)", "'a', 8, 9", ["b = 8", "a = 'a'", "p = 9"]),
        ("rowid TEXT PRIMARY KEY, p REFERENCES parent(id)", "'a', 9", ["rowid = 'a'", "p = 9"]),
        ("p INTEGER PRIMARY KEY REFERENCES parent(id), x", "9, 'a'", ["p = 9"]),
        ("x, p REFERENCES parent(id)", "'a', 9", ["rowid = 1"]),
    ]) func rowsAreShownByTheirKey(_ child: String, _ values: String, _ shown: [String]) async throws {
        let finding = try await Scenario(
            "CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(\(child));",
            rows: "INSERT INTO child VALUES (\(values))", steps: Self.immediate + "SELECT 1"
        ).verify().finding(.foreignKeyViolation)
        let row = try #require(finding.evidence?.rows.first)
        #expect((row.key + (row.values ?? [])).map { "\($0.column) = \($0.value.literal)" } == shown)
    }

    @Test func moreOfTheSameIsANewViolation() async throws {
        // The file is edited directly, since SQLite accepts no violation with foreign keys on.
        let report = try await Scenario(
            Self.schema
                + "CREATE TABLE person(id INTEGER PRIMARY KEY, code TEXT UNIQUE); INSERT INTO person VALUES (1, 'a'), (2, 'b');",
            rows: Self.rows + Self.orphan,
            steps: Self.immediate + "DELETE FROM person WHERE id = 2;" + Self.loseParent
        ).verify()
        #expect(report.rules(.error) == [.foreignKeyViolation, .rowsLost])
        #expect(report.rules(.note) == [.foreignKeyViolation])
    }

    /// The check before the commit finds nothing, although the table with the key is as it was.
    @Test func aParentThatComesLaterHealsItsRows() async throws {
        let report = try await Scenario(
            "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(id INTEGER PRIMARY KEY, p INTEGER REFERENCES p(id));",
            rows: "PRAGMA foreign_keys = OFF; INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 2);",
            steps: "-- drydock: inserts into p\nINSERT INTO p VALUES (2);"
        ).verify()
        #expect(report.rules(.error) == [] && report.steps == ["v2"], "\(report.findings.map(\.line))")
    }
}
