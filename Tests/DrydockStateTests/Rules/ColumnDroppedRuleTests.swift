import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ColumnDroppedRuleTests {
    private static let schema = "CREATE TABLE n(id INTEGER PRIMARY KEY, a TEXT, b TEXT);"
    private static let rows = "INSERT INTO n VALUES (1, 'x', NULL), (2, NULL, NULL), (3, 'z', NULL);"

    private static func rebuild(_ columns: String, _ copy: String) -> String {
        "CREATE TABLE new(\(columns)); \(copy); DROP TABLE n; ALTER TABLE new RENAME TO n;"
    }

    @Test(arguments: [
        RuleCase(
            "with values", "ALTER TABLE n DROP COLUMN a", schema: schema, rows: rows, errors: [.columnDropped]
        ),
        RuleCase(
            "of NULLs alone, a warning", "ALTER TABLE n DROP COLUMN b", schema: schema, rows: rows,
            warnings: [.columnDropped]),
        RuleCase(
            "declared", "-- drydock: drops column n.a\nALTER TABLE n DROP COLUMN a", schema: schema,
            rows: rows),
        RuleCase(
            "a list is declared",
            "-- drydock: drops columns n.a, n.b\nALTER TABLE n DROP COLUMN a; ALTER TABLE n DROP COLUMN b",
            schema: schema, rows: rows),
        RuleCase(
            "a declaration does not cover another column",
            "-- drydock: drops column n.b\nALTER TABLE n DROP COLUMN a", schema: schema, rows: rows,
            errors: [.columnDropped], warnings: [.unusedDeclaration]),
        RuleCase(
            "left out of a rebuild",
            rebuild("id INTEGER PRIMARY KEY, b TEXT", "INSERT INTO new SELECT id, b FROM n"),
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "left out of a rebuild, declared",
            "-- drydock: drops column n.a\n"
                + rebuild("id INTEGER PRIMARY KEY, b TEXT", "INSERT INTO new SELECT id, b FROM n"),
            schema: schema, rows: rows),
        RuleCase(
            "dropped and added again, empty", "ALTER TABLE n DROP COLUMN a; ALTER TABLE n ADD COLUMN a TEXT",
            schema: schema, rows: rows, errors: [.valuesChanged]),
        RuleCase("renamed by ALTER", "ALTER TABLE n RENAME COLUMN a TO c", schema: schema, rows: rows),
        RuleCase(
            "renamed in a rebuild by the copy's column list",
            rebuild(
                "id INTEGER PRIMARY KEY, c TEXT, b TEXT", "INSERT INTO new(id, c, b) SELECT id, a, b FROM n"),
            schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "renamed in a rebuild by the copy's positions",
            rebuild("id INTEGER PRIMARY KEY, c TEXT, b TEXT", "INSERT INTO new SELECT id, a, b FROM n"),
            schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "the copying statement says a renaming, the values do not",
            rebuild(
                "id INTEGER PRIMARY KEY, c TEXT, b TEXT",
                "INSERT INTO new(id, c, b) SELECT id, a, b FROM n; UPDATE new SET c = 'y' WHERE id = 3"),
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "the values say a renaming, and an UPDATE does",
            "ALTER TABLE n ADD COLUMN c TEXT; UPDATE n SET c = a; ALTER TABLE n DROP COLUMN a",
            schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "the values say a renaming, no statement does",
            "ALTER TABLE n ADD COLUMN c TEXT; UPDATE n SET c = iif(id = 1, 'x', iif(id = 3, 'z', NULL)); ALTER TABLE n DROP COLUMN a",
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "an UPDATE copies some values",
            "ALTER TABLE n ADD COLUMN c TEXT; UPDATE n SET c = a WHERE id < 3; ALTER TABLE n DROP COLUMN a",
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "copied over several steps, to a column that was there",
            "ALTER TABLE n ADD COLUMN c TEXT", "-- drydock: rewrites n.c\nUPDATE n SET c = a",
            "ALTER TABLE n DROP COLUMN a", schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "copied over several steps, and a value was lost in between",
            "ALTER TABLE n ADD COLUMN c TEXT", "-- drydock: rewrites n.c\nUPDATE n SET c = a",
            "-- drydock: rewrites n.c\nUPDATE n SET c = 'y' WHERE id = 3",
            "ALTER TABLE n DROP COLUMN a", schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "renamed in a rebuild that fills NULLs",
            rebuild(
                "id INTEGER PRIMARY KEY, c TEXT NOT NULL, b TEXT",
                "INSERT INTO new SELECT id, coalesce(a, ''), b FROM n"),
            schema: schema, rows: rows, errors: [.valuesChanged], notes: [.columnDropped]),
        RuleCase(
            "renamed in a rebuild that fills NULLs and loses a value",
            rebuild(
                "id INTEGER PRIMARY KEY, c TEXT NOT NULL, b TEXT",
                "INSERT INTO new SELECT id, coalesce(nullif(a, 'z'), ''), b FROM n"),
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "a column of NULLs alone that a rebuild fills",
            rebuild(
                "id INTEGER PRIMARY KEY, a TEXT, c TEXT",
                "INSERT INTO new SELECT id, a, coalesce(b, '') FROM n"),
            schema: schema, rows: rows, warnings: [.columnDropped]),
        RuleCase(
            "the second column that is filled from it has the values",
            rebuild(
                "id INTEGER PRIMARY KEY, up TEXT, c TEXT, b TEXT",
                "INSERT INTO new SELECT id, upper(a), a, b FROM n"),
            schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "moved to another table, beside its key",
            "CREATE TABLE m(owner INTEGER PRIMARY KEY, text TEXT); INSERT INTO m SELECT id, a FROM n WHERE a NOT NULL; ALTER TABLE n DROP COLUMN a",
            schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "moved to another table, beside another key",
            "CREATE TABLE m(owner INTEGER PRIMARY KEY, text TEXT); INSERT INTO m SELECT id + 1, a FROM n WHERE a NOT NULL; ALTER TABLE n DROP COLUMN a",
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "the same, declared",
            """
            -- drydock: renames column n.a to n.c
            ALTER TABLE n ADD COLUMN c TEXT; UPDATE n SET c = a; ALTER TABLE n DROP COLUMN a
            """, schema: schema, rows: rows),
        RuleCase(
            "a declared rename must keep its values",
            """
            -- drydock: renames column n.a to c
            ALTER TABLE n ADD COLUMN c TEXT; UPDATE n SET c = upper(a); ALTER TABLE n DROP COLUMN a
            """, schema: schema, rows: rows, errors: [.valuesChanged]),
        RuleCase(
            "renamed in a rebuild and rewritten, declared",
            """
            -- drydock: renames column n.a to n.c
            -- drydock: rewrites n.c
            """ + "\n"
                + rebuild(
                    "id INTEGER PRIMARY KEY, c TEXT, b TEXT",
                    "INSERT INTO new(id, c, b) SELECT id, upper(a), b FROM n"),
            schema: schema, rows: rows),
        RuleCase(
            "a generated column alone, whose values can be computed again, a warning",
            "ALTER TABLE stamp DROP COLUMN twice", warnings: [.columnDropped]),
        RuleCase(
            "a stored column becomes a generated one with the same values",
            rebuild(
                "id INTEGER PRIMARY KEY, a TEXT AS (iif(id = 1, 'x', iif(id = 3, 'z', NULL))), b TEXT",
                "INSERT INTO new(id, b) SELECT id, b FROM n"),
            schema: schema, rows: rows),
        RuleCase(
            "a stored column becomes a generated one with other values",
            rebuild(
                "id INTEGER PRIMARY KEY, a TEXT AS (iif(id = 1, 'x', NULL)), b TEXT",
                "INSERT INTO new(id, b) SELECT id, b FROM n"),
            schema: schema, rows: rows, errors: [.valuesChanged]),
        RuleCase(
            "two columns swapped in a rebuild are not two renames",
            rebuild(
                "id INTEGER PRIMARY KEY, a TEXT, b TEXT", "INSERT INTO new(id, b, a) SELECT id, a, b FROM n"),
            schema: schema, rows: rows, errors: [.valuesChanged, .valuesChanged]),
    ])
    func columns(_ it: RuleCase) async throws { try await it.check() }

    @Test func theFindingCountsValuesAndProposesARename() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows,
            steps:
                "ALTER TABLE n ADD COLUMN c TEXT;\nUPDATE n SET c = iif(id = 1, 'x', iif(id = 3, 'z', NULL));\nALTER TABLE n DROP COLUMN a;"
        ).verify()
        let finding = try report.finding(.columnDropped)
        #expect(finding.message == "column n.a is gone, with 2 values")
        #expect((finding.table, finding.column) == ("n", "a"))
        #expect(finding.place?.line == 3)
        #expect(finding.evidence?.rowCount == 2)
        #expect(finding.help.contains("-- drydock: drops column n.a"))
        #expect(finding.help.contains("renames column n.a to n.c"))
    }

    @Test func theFindingSaysWhereTheValuesAre() async throws {
        let steps = """
            CREATE TABLE moved(id INTEGER PRIMARY KEY, text TEXT, other TEXT);
            INSERT INTO moved SELECT id + 1, a, 'x' FROM n;
            ALTER TABLE n DROP COLUMN a;
            """
        let scenario = Scenario(
            "CREATE TABLE n(id INTEGER PRIMARY KEY, a TEXT)",
            rows: "INSERT INTO n VALUES (1, 'one'), (2, 'two'), (3, NULL);", steps: steps)
        let help = try await scenario.verify().finding(.columnDropped).help
        #expect(help.contains("All its values are in moved.text: "))
        var partial = scenario
        partial.migrations[1].sql = steps.replacing("FROM n;", with: "FROM n WHERE id = 1;")
        #expect(try await !partial.verify().finding(.columnDropped).help.contains("ll its values are in"))
    }

    /// The new column's affinity or collation makes other values of some.
    @Test(arguments: [
        ("city NUMERIC", "'007', 'york', 'rome'", false), ("city INT", "'12', 'york', 'rome'", false),
        ("city REAL", "'1e3', 'york', 'rome'", false), ("city TEXT", "'007', 'york', 'rome'", true),
        ("city BLOB", "'007', 'york', 'rome'", true),
        ("city TEXT COLLATE NOCASE", "'007', 'york', 'Rome'", true),
        ("\"city\" ANY", "'york', 'rome', 'oslo'", true),
    ]) func onlyEqualValuesAreSaidToBeElsewhere(_ column: String, _ values: String, _ isThere: Bool)
        async throws
    {
        let rows = values.split(separator: ", ").map { "(NULL, \($0))" }.joined(separator: ", ")
        let help = try await Scenario(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, city TEXT);", rows: "INSERT INTO a VALUES \(rows);",
            steps: """
                CREATE TABLE p(id INTEGER PRIMARY KEY, \(column)); INSERT INTO p SELECT id + 1, city FROM a;
                ALTER TABLE a DROP COLUMN city;
                """
        ).verify().finding(.columnDropped).help
        #expect(help.contains("All its values are in p.city") == isThere, "\(help)")
    }

    @Test func equalButForCaseIsNotEqual() async throws {
        let help = try await Scenario(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, city TEXT);", rows: "INSERT INTO a VALUES (1, 'York');",
            steps: """
                CREATE TABLE p(id INTEGER PRIMARY KEY, city TEXT COLLATE NOCASE); INSERT INTO p SELECT id + 1, lower(city) FROM a;
                ALTER TABLE a DROP COLUMN city;
                """
        ).verify().finding(.columnDropped).help
        #expect(!help.contains("ll its values are in"), "\(help)")
    }
}
