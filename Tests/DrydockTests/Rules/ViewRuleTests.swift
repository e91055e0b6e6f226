import Drydock
import Testing

@Suite struct ViewRuleTests {
    private static let schema = """
        CREATE TABLE n(id INTEGER PRIMARY KEY, a, b);
        CREATE TABLE m(x);
        CREATE VIEW both AS SELECT n.a, m.x FROM n, m;
        CREATE TRIGGER n_log AFTER INSERT ON n BEGIN INSERT INTO m VALUES (new.a); END;
        """

    private static let dropM = "-- drydock: drops table m\nDROP TABLE m;"

    @Test(arguments: [
        RuleCase("its table went", dropM, schema: schema, errors: [.viewBroken, .viewBroken]),
        RuleCase(
            "the view and trigger went first", "DROP VIEW both; DROP TRIGGER n_log; DROP TABLE m",
            schema: schema,
            warnings: [.tableDropped]),
        RuleCase(
            "its column went in a rebuild",
            """
            CREATE TABLE new(y); INSERT INTO new SELECT x FROM m; DROP TABLE m;
            PRAGMA legacy_alter_table = ON; ALTER TABLE new RENAME TO m; PRAGMA legacy_alter_table = OFF
            """, schema: schema, rows: "INSERT INTO m VALUES (1);", errors: [.viewBroken],
            notes: [.columnDropped]),
        RuleCase(
            "made again before the step ends",
            "DROP VIEW both; ALTER TABLE m RENAME TO k; CREATE VIEW both AS SELECT n.a, k.x FROM n, k",
            schema: schema),
        RuleCase("renamed with its table", "ALTER TABLE m RENAME TO k", schema: schema),
        RuleCase("renamed with its column", "ALTER TABLE m RENAME x TO y", schema: schema),
        RuleCase(
            "the table comes back in a later step, a warning", "DROP TABLE m", "CREATE TABLE m(x)",
            schema: schema,
            warnings: [.tableDropped, .viewBroken, .viewBroken]),
        RuleCase(
            "dropped in a later step, a warning", "DROP TABLE m", "DROP VIEW both; DROP TRIGGER n_log",
            schema: schema,
            warnings: [.tableDropped, .viewBroken, .viewBroken]),
        RuleCase(
            "broken before already, a note", "ALTER TABLE n ADD COLUMN c",
            schema: "CREATE TABLE n(a); CREATE VIEW v AS SELECT x FROM nowhere;", notes: [.viewBroken]),
        RuleCase(
            "made broken", "CREATE VIEW v AS SELECT missing FROM n", schema: schema, errors: [.viewBroken]),
        RuleCase(
            "a trigger that was made broken",
            "CREATE TRIGGER t AFTER DELETE ON n BEGIN INSERT INTO nowhere VALUES (1); END", schema: schema,
            errors: [.viewBroken]),
        RuleCase(
            "one of two triggers of a table",
            """
            CREATE TRIGGER good AFTER DELETE ON n BEGIN SELECT 1; END;
            CREATE TRIGGER bad AFTER DELETE ON n BEGIN INSERT INTO nowhere VALUES (1); END
            """, schema: schema, errors: [.viewBroken]),
        RuleCase(
            "a trigger of a view", "DROP TABLE k",
            schema: """
                CREATE TABLE n(a); CREATE TABLE k(x); CREATE VIEW v AS SELECT a FROM n;
                CREATE TRIGGER v_insert INSTEAD OF INSERT ON v BEGIN INSERT INTO k VALUES (new.a); END;
                """, errors: [.viewBroken], warnings: [.tableDropped]),
        RuleCase(
            "a view that never ends is not run",
            "CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
            schema: schema),
        RuleCase(
            "a trigger that always fails is not run",
            "CREATE TRIGGER t BEFORE DELETE ON n BEGIN SELECT raise(ABORT, 'never'); END", schema: schema),
        RuleCase(
            "a trigger of a table whose columns are all generated but one",
            "CREATE TRIGGER t AFTER UPDATE OF x ON g BEGIN INSERT INTO nowhere VALUES (1); END",
            schema: "CREATE TABLE g(x, y AS (x + 1), z AS (x + 2) STORED);", errors: [.viewBroken]),
        RuleCase(
            "a trigger on a column of a quoted table",
            "CREATE TRIGGER t AFTER UPDATE OF \"a b\" ON \"t \"\"1\" BEGIN INSERT INTO nowhere VALUES (1); END",
            schema: "CREATE TABLE \"t \"\"1\"(\"a b\");", errors: [.viewBroken]),
    ])
    func views(_ it: RuleCase) async throws { try await it.check() }

    @Test func theFindingNamesTheViewAndWhatSQLiteSays() async throws {
        let report = try await Scenario(
            Self.schema, steps: "-- drydock: drops table m\nDROP TRIGGER n_log; DROP TABLE m"
        ).verify()
        let finding = try report.finding(.viewBroken)
        #expect(finding.message == "view both does not compile: no such table: main.m")
        #expect(finding.migration == "v2")
    }
}
