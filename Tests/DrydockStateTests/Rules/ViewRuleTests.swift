import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ViewRuleTests {
    private static let schema = """
        CREATE TABLE n(id INTEGER PRIMARY KEY, a, b);
        CREATE TABLE m(x);
        CREATE VIEW both AS SELECT n.a, m.x FROM n, m;
        CREATE TRIGGER n_log AFTER INSERT ON n BEGIN INSERT INTO m VALUES (new.a); END;
        """

    private static let words = """
        CREATE VIRTUAL TABLE f USING fts5(a); CREATE VIRTUAL TABLE fv USING fts5vocab(f, row);
        CREATE VIRTUAL TABLE g USING fts4(a); CREATE VIRTUAL TABLE gv USING fts4aux(g);
        """
    private static let dropM = "-- drydock: drops table m\nDROP TABLE m;"

    @Test(arguments: [
        RuleCase("its table was dropped", dropM, schema: schema, errors: [.viewBroken, .viewBroken]),
        RuleCase(
            "the view and trigger were dropped first", "DROP VIEW both; DROP TRIGGER n_log; DROP TABLE m",
            schema: schema,
            warnings: [.tableDropped]),
        RuleCase(
            "its column was dropped in a rebuild",
            """
            CREATE TABLE new(y); INSERT INTO new SELECT x FROM m; DROP TABLE m;
            PRAGMA legacy_alter_table = ON; ALTER TABLE new RENAME TO m; PRAGMA legacy_alter_table = OFF
            """, schema: schema, rows: "INSERT INTO m VALUES (1);", errors: [.viewBroken],
            notes: [.columnDropped]),
        RuleCase(
            "created again before the step ends",
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
        RuleCase(
            "the words of an index that is gone", "-- drydock: drops table f\nDROP TABLE f", schema: words,
            rows: "INSERT INTO f VALUES ('q');", errors: [.viewBroken]),
        RuleCase(
            "the words of an FTS4 index that is gone", "-- drydock: drops table g\nDROP TABLE g",
            schema: words,
            rows: "INSERT INTO g VALUES ('q');", errors: [.viewBroken]),
        RuleCase(
            "the words of an index that was renamed", "ALTER TABLE f RENAME TO h", schema: words,
            errors: [.viewBroken]),
        RuleCase(
            "the words of an index that was rebuilt",
            "CREATE VIRTUAL TABLE h USING fts5(a); INSERT INTO h(rowid, a) SELECT rowid, a FROM f; DROP TABLE f; ALTER TABLE h RENAME TO f",
            schema: words, rows: "INSERT INTO f VALUES ('q');"),
        RuleCase(
            "the words of an index that a later step creates again",
            "CREATE VIRTUAL TABLE h USING fts5(a); INSERT INTO h(rowid, a) SELECT rowid, a FROM f; DROP TABLE f",
            "ALTER TABLE h RENAME TO f", schema: words, rows: "INSERT INTO f VALUES ('q');",
            warnings: [.viewBroken],
            notes: [.tableDropped]),
        RuleCase(
            "the words of an index dropped with it",
            "-- drydock: drops table f\nDROP TABLE f; DROP TABLE fv", schema: words),
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

    struct Cause: Sendable, CustomTestStringConvertible {
        var step: String
        var message: String
        var help: String
        /// The step that follows the advice.
        var better: String
        var testDescription: String { step }
    }

    private static let rebuildRenamed = """
        CREATE TABLE new(id INTEGER PRIMARY KEY, c, b); INSERT INTO new SELECT * FROM n; DROP TABLE n;
        PRAGMA legacy_alter_table = ON; ALTER TABLE new RENAME TO n; PRAGMA legacy_alter_table = OFF;
        """

    private static let rebuildSmaller = """
        CREATE TABLE new(id INTEGER PRIMARY KEY, c); INSERT INTO new(id) SELECT id FROM n; DROP TABLE n;
        PRAGMA legacy_alter_table = ON; ALTER TABLE new RENAME TO n; PRAGMA legacy_alter_table = OFF;
        """

    static let causes = [
        Cause(
            step: "DROP VIEW w;" + dropM, message: "no such table: main.m",
            help:
                "m is gone. If the view is still needed, recreate it after the change without m. It is now:",
            better:
                "DROP VIEW w; DROP VIEW v; DROP TABLE m; CREATE VIEW v AS SELECT a FROM n; CREATE VIEW w AS SELECT 1"
        ),
        Cause(
            step: "DROP VIEW w; CREATE TABLE k(x, y); INSERT INTO k(x) SELECT x FROM m; \(dropM)",
            message: "no such table: main.m", help: "k is new and has its columns",
            better:
                "DROP VIEW w; CREATE TABLE k(x, y); INSERT INTO k(x) SELECT x FROM m; DROP VIEW v; \(dropM) CREATE VIEW v AS SELECT n.a, k.x FROM n, k; CREATE VIEW w AS SELECT 1"
        ),
        Cause(
            step: "CREATE VIEW z AS SELECT * FROM mm", message: "no such table: main.mm",
            help: "Create mm, or recreate the view",
            better: "CREATE TABLE mm(a); CREATE VIEW z AS SELECT * FROM mm"),
        Cause(
            step: "CREATE VIEW z AS SELECT * FROM settin", message: "no such table: main.settin",
            help: "Did you mean 'setting'?", better: "CREATE VIEW z AS SELECT * FROM setting"),
        Cause(
            step: "-- drydock: renames column n.a to n.c\nDROP VIEW w; \(rebuildRenamed)",
            message: "no such column: n.a",
            help: "c takes its place. Recreate the view after the change with c",
            better:
                "-- drydock: renames column n.a to n.c\nDROP VIEW w; DROP VIEW v; \(rebuildRenamed) CREATE VIEW v AS SELECT n.c AS a, m.x FROM n, m; CREATE VIEW w AS SELECT 1"
        ),
        Cause(
            step: "-- drydock: drops column n.a, n.b\nDROP VIEW w; \(rebuildSmaller)",
            message: "no such column: n.a",
            help: "n has no column a any more. Recreate the view after the change without the column",
            better:
                "-- drydock: drops column n.a, n.b\nDROP VIEW w; DROP VIEW v; \(rebuildSmaller) CREATE VIEW v AS SELECT x FROM m; CREATE VIEW w AS SELECT 1"
        ),
        Cause(
            step: "CREATE VIEW z AS SELECT vaule FROM setting", message: "no such column: vaule",
            help: "Did you mean 'value'?", better: "CREATE VIEW z AS SELECT value FROM setting"),
        Cause(
            step: "ALTER TABLE setting ADD COLUMN a", message: "ambiguous column name: a",
            help:
                "n and setting have it: recreate the view with the table before the column, as in n.a",
            better:
                "DROP VIEW w; ALTER TABLE setting ADD COLUMN a; CREATE VIEW w AS SELECT n.a FROM n, setting"),
        Cause(
            step: "CREATE VIEW z AS SELECT slug(a) FROM n", message: "no such function: slug",
            help: "slug: {returns: null}", better: "CREATE VIEW z AS SELECT a FROM n"),
        Cause(
            step: "CREATE VIEW y AS SELECT * FROM z; CREATE VIEW z AS SELECT * FROM y",
            message: "view y is circularly defined",
            help: "It reads itself",
            better: "CREATE VIEW y AS SELECT * FROM n; CREATE VIEW z AS SELECT * FROM y"),
        Cause(
            step: "CREATE VIEW z(p, q) AS SELECT a FROM n", message: "expected 2 columns for 'z' but got 1",
            help: "one name for each column", better: "CREATE VIEW z(p) AS SELECT a FROM n"),
        Cause(
            step: "CREATE TRIGGER t AFTER INSERT ON n BEGIN INSERT INTO m VALUES (new.aa); END",
            message: "no such column: new.aa",
            help: "Recreate the trigger with a column that exists",
            better: "CREATE TRIGGER t AFTER INSERT ON n BEGIN INSERT INTO m VALUES (new.a); END"),
        Cause(
            step: "CREATE TRIGGER t AFTER INSERT ON n BEGIN INSERT INTO m VALUES (1, 2); END",
            message: "table m has 1 columns but 2 values were supplied",
            help: "Recreate it with SQL that compiles. It is now:\n  CREATE TRIGGER t AFTER",
            better: "CREATE TRIGGER t AFTER INSERT ON n BEGIN INSERT INTO m VALUES (1); END"),
    ]

    /// The remedy depends on the cause.
    @Test(arguments: causes) func eachCauseHasItsRemedy(_ it: Cause) async throws {
        let schema = """
            CREATE TABLE n(id INTEGER PRIMARY KEY, a, b); CREATE TABLE m(x); CREATE TABLE setting(name, value);
            CREATE VIEW v AS SELECT n.a, m.x FROM n, m; CREATE VIEW w AS SELECT a FROM n, setting;
            """
        let findings = try await Scenario(schema, steps: it.step).verify().findings
        let finding = try #require(findings.first { $0.rule == .viewBroken })
        #expect(finding.message.hasSuffix("does not compile: \(it.message)"), "\(finding.message)")
        #expect(finding.help.contains(it.help), "\(finding.help)")
        #expect(!finding.help.contains("DROP ") || finding.help.contains("CREATE "), "\(finding.help)")
        let report = try await Scenario(schema, steps: it.better).verify()
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    /// What is proposed has compiled, and a view keeps its triggers.
    @Test(arguments: [
        (
            "CREATE VIEW v AS SELECT x FROM m; CREATE TRIGGER v_in INSTEAD OF INSERT ON v BEGIN SELECT new.x; END;",
            "CREATE TABLE k(x, y);\nINSERT INTO k(x) SELECT x FROM m;\n-- drydock: drops table m\nDROP TABLE m;"
        ),
        (
            "CREATE VIEW v AS SELECT x FROM m;",
            "ALTER TABLE m RENAME TO m_old; CREATE TABLE m(x); INSERT INTO m SELECT x FROM m_old; DROP TABLE m_old;"
        ),
        (
            "CREATE TRIGGER t AFTER UPDATE ON m BEGIN SELECT new.x; END;",
            "-- drydock: renames column m.x to m.z\nCREATE TABLE new(z); INSERT INTO new SELECT x FROM m; DROP TABLE m; PRAGMA legacy_alter_table = ON; ALTER TABLE new RENAME TO m; CREATE TRIGGER t AFTER UPDATE ON m BEGIN SELECT new.x; END;"
        ),
    ]) func theStatementsOfTheHelpCanBeRun(_ object: String, _ step: String) async throws {
        let schema = "CREATE TABLE m(x); "
        let broken = try await Scenario(
            schema + object, rows: "INSERT INTO m VALUES (1);", steps: step
        ).verify()
        let finding = try #require(
            broken.findings.first { $0.rule == .viewBroken && $0.help.contains("DROP ") },
            "\(broken.findings.map(\.help))")
        let report = try await Scenario(
            schema + object, rows: "INSERT INTO m VALUES (1);", steps: step + "\n" + finding.proposedSQL
        ).verify()
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test func aRenameThatLeavesTheOldNameIsNamed() async throws {
        let finding = try await Scenario(
            "CREATE TABLE m(x); CREATE VIEW v AS SELECT x FROM m;",
            steps: "PRAGMA legacy_alter_table = ON;\nSELECT 1;\nALTER TABLE m RENAME TO k;"
        ).verify().finding(.viewBroken)
        #expect(
            finding.message.hasSuffix(
                "the rename in line 3 leaves the name m there, since PRAGMA legacy_alter_table in line 1 is on"
            ),
            "\(finding.message)")
        #expect(finding.place?.line == 3)
        #expect(finding.help.contains("CREATE VIEW v AS SELECT x FROM k;"), "\(finding.help)")
    }
}
