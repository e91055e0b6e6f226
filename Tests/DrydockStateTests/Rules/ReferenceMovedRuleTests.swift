import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct ReferenceMovedRuleTests {
    private static let schema = """
        CREATE TABLE n(id INTEGER PRIMARY KEY, a); CREATE TABLE child(n REFERENCES n(id)); CREATE TABLE log(x);
        CREATE VIEW names AS SELECT a FROM n; CREATE TRIGGER t AFTER INSERT ON log BEGIN INSERT INTO n(a) VALUES (new.x); END;
        """
    private static let row = "INSERT INTO n VALUES (1, 'x');"
    private static let table = "CREATE TABLE n(id INTEGER PRIMARY KEY, a); "
    private static let away = "ALTER TABLE n RENAME TO old; "
    private static let fill = "INSERT INTO n SELECT * FROM old; "
    private static let all: [Rule] = [.referenceMoved, .referenceMoved, .referenceMoved]

    @Test(arguments: [
        RuleCase("all in one step", away + table + fill, schema: schema, rows: row, warnings: all),
        RuleCase(
            "a step each", away, table, fill, schema: schema, rows: row, warnings: all, notes: [.rowsAdded]),
        RuleCase(
            "a copy that takes the name by renaming",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a); INSERT INTO new SELECT * FROM n;", away,
            "ALTER TABLE new RENAME TO n", schema: schema, rows: row, warnings: all),
        RuleCase(
            "renamed as SQLite did before 3.25", "PRAGMA legacy_alter_table = ON; " + away + table + fill,
            schema: schema, rows: row),
        RuleCase(
            "recreated in the same step",
            """
            DROP VIEW names; DROP TRIGGER t; \(away)\(table)\(fill)
            CREATE VIEW names AS SELECT a FROM n; DROP TABLE child; CREATE TABLE child(n REFERENCES n(id));
            CREATE TRIGGER t AFTER INSERT ON log BEGIN INSERT INTO n(a) VALUES (new.x); END;
            """, schema: schema, rows: row),
        RuleCase(
            "recreated in a later step", away + table + fill,
            "DROP VIEW names; DROP TRIGGER t; CREATE VIEW names AS SELECT a FROM n; DROP TABLE child;",
            schema: schema, rows: row, warnings: [.tableDropped]),
        RuleCase(
            "the old table is dropped in the next step", away + table + fill, "DROP TABLE old",
            schema: schema,
            rows: row, errors: [.referenceMoved, .viewBroken, .viewBroken],
            warnings: [.foreignKeyViolation, .referenceMoved, .referenceMoved], notes: [.tableDropped]),
        RuleCase(
            "the old table is dropped in the next step, declared", away + table + fill,
            "-- drydock: drops table old\nDROP TABLE old", schema: schema,
            rows: row, errors: [.referenceMoved, .viewBroken, .viewBroken],
            warnings: [.foreignKeyViolation, .referenceMoved, .referenceMoved]),
        RuleCase(
            "a view made for the old table", away, "CREATE VIEW before AS SELECT a FROM old", table + fill,
            schema: table, rows: row),
        RuleCase(
            "a new table of the old name without its rows", away, table, schema: schema, rows: row),
        RuleCase(
            "a new table of the old name and columns, made in the same step", away + table, schema: schema,
            rows: row, warnings: all, notes: [.tableDropped]),
        RuleCase(
            "a new table of the old name with more columns",
            away + "CREATE TABLE n(\"A\" TEXT, b, id INTEGER PRIMARY KEY)", schema: schema, rows: row,
            warnings: all, notes: [.tableDropped]),
        RuleCase(
            "a new table of the old name for something else", away + "CREATE TABLE n(k TEXT PRIMARY KEY, w)",
            schema: schema, rows: row, notes: [.tableDropped]),
        RuleCase(
            "a new table of the old name and columns, filled by the next step", away + table, fill,
            schema: schema, rows: row, warnings: all, notes: [.rowsAdded, .tableDropped]),
        RuleCase(
            "a new table of the old name and columns, and the references made again",
            away + table + "DROP VIEW names; DROP TRIGGER t; CREATE VIEW names AS SELECT a FROM n;",
            schema:
                "CREATE TABLE n(id INTEGER PRIMARY KEY, a); CREATE TABLE log(x); CREATE VIEW names AS SELECT a FROM n; "
                + "CREATE TRIGGER t AFTER INSERT ON log BEGIN INSERT INTO n(a) VALUES (new.x); END;",
            rows: row, notes: [.tableDropped]),
        RuleCase("a rename alone", away, schema: schema, rows: row),
        RuleCase(
            "two tables that swap their names",
            "ALTER TABLE n RENAME TO old; ALTER TABLE log RENAME TO n; ALTER TABLE old RENAME TO log",
            schema: schema, rows: row),
        RuleCase(
            "a rebuild that renames last",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a); INSERT INTO new SELECT * FROM n; DROP TABLE n; ALTER TABLE new RENAME TO n",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, a); CREATE TABLE child(n REFERENCES n(id));",
            rows: row),
        RuleCase(
            "a table that references itself", away + table + fill,
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, a REFERENCES n(id));",
            rows: "INSERT INTO n VALUES (1, 1);", warnings: [.constraintLost]),
        RuleCase(
            "quoted names in other cases",
            "ALTER TABLE \"the N\" RENAME TO [The Old]; CREATE TABLE `THE n`(id INTEGER PRIMARY KEY); INSERT INTO `THE n` SELECT * FROM [the old];",
            schema: "CREATE TABLE \"the N\"(id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT * FROM [the n];",
            rows: "INSERT INTO \"the n\" VALUES (1);", warnings: [.referenceMoved]),
    ])
    func references(_ it: RuleCase) async throws { try await it.check() }

    @Test func theRemedyNamesTheNewTable() async throws {
        let schema = Self.schema.replacing("CREATE TABLE child(n REFERENCES n(id));", with: "")
        let broken = Self.away + Self.table + Self.fill
        let report = try await Scenario(schema, rows: Self.row, steps: broken).verify()
        let found = report.findings.filter { $0.rule == .referenceMoved }
        #expect(
            found.map(\.message) == [
                "trigger t now names old instead of n, which has its name and its rows",
                "view names now names old instead of n, which has its name and its rows",
            ])
        let better = broken + found.map(\.proposedSQL).joined()
        try await Scenario(schema, rows: Self.row, steps: better).verify().expect()
        try await Scenario(schema, rows: Self.row, steps: broken, found.map(\.proposedSQL).joined()).verify()
            .expect()
    }

    @Test func theRemedyOfAForeignKeyIsTheOrder() async throws {
        let schema = "CREATE TABLE n(id INTEGER PRIMARY KEY, a); CREATE TABLE child(n REFERENCES n(id));"
        let report = try await Scenario(schema, rows: Self.row, steps: Self.away + Self.table + Self.fill)
            .verify()
        let help = try report.finding(.referenceMoved).help
        #expect(help.contains("rename the new one last"), "\(help)")
        let better =
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a); INSERT INTO new SELECT * FROM n; DROP TABLE n; ALTER TABLE new RENAME TO n"
        try await Scenario(schema, rows: Self.row, steps: better).verify().expect()
    }
}
