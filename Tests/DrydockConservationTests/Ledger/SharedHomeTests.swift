import Drydock
import Testing

@testable import DrydockTestSupport

/// Where the rows of several tables went to one, over one step or several, each row of each is there.
@Suite struct SharedHomeTests {
    private static let alike = "CREATE TABLE p(a, b); CREATE TABLE q(a, b);"
    private static let rows =
        "INSERT INTO p VALUES ('x', 1), ('y', 2); INSERT INTO q VALUES ('x', 1), ('z', 3)"
    private static let apart = "INSERT INTO p VALUES ('x', 1); INSERT INTO q VALUES ('y', 2)"
    private static let keyed =
        "CREATE TABLE p(id INTEGER PRIMARY KEY, a); CREATE TABLE q(id INTEGER PRIMARY KEY, a);"
    private static let sameKeys = "INSERT INTO p VALUES (1, 'x'); INSERT INTO q VALUES (1, 'y')"
    private static let union = "CREATE TABLE w AS SELECT * FROM p UNION SELECT * FROM q"
    private static let all = "CREATE TABLE w AS SELECT * FROM p UNION ALL SELECT * FROM q"

    @Test(arguments: [
        RuleCase(
            "each in a step of its own", union, "DROP TABLE p", "DROP TABLE q", schema: alike, rows: rows,
            errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "one with the copy", union + "; DROP TABLE p", "DROP TABLE q", schema: alike, rows: rows,
            errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "copied in different steps", "CREATE TABLE w AS SELECT * FROM p; DROP TABLE p",
            "-- drydock: inserts into w\nINSERT INTO w SELECT * FROM q WHERE a NOT IN (SELECT a FROM w)",
            "DROP TABLE q", schema: alike, rows: rows, errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "into one of them",
            "-- drydock: inserts into p\nINSERT INTO p SELECT * FROM q EXCEPT SELECT * FROM p",
            "DROP TABLE q", schema: alike, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "each is split over two",
            "CREATE TABLE w(a, b); CREATE TABLE v(a, b); INSERT INTO w SELECT * FROM p WHERE b < 2 UNION SELECT * FROM q WHERE b < 2; INSERT INTO v SELECT * FROM p WHERE b > 1 UNION SELECT * FROM q WHERE b > 1; DROP TABLE p; DROP TABLE q",
            schema: alike, rows: rows, errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "one is split over two",
            "CREATE TABLE w(a, b); CREATE TABLE v(a, b); INSERT INTO w SELECT * FROM p WHERE b < 2 UNION SELECT * FROM q; INSERT INTO v SELECT * FROM p WHERE b > 1; DROP TABLE p; DROP TABLE q",
            schema: alike, rows: rows, errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "each is split over two, and dropped in a step of its own",
            "CREATE TABLE w(a, b); CREATE TABLE v(a, b); INSERT INTO w SELECT * FROM p WHERE b < 2 UNION SELECT * FROM q WHERE b < 2; INSERT INTO v SELECT * FROM p WHERE b > 1 UNION SELECT * FROM q WHERE b > 1",
            "DROP TABLE p", "DROP TABLE q", schema: alike, rows: rows, errors: [.tableDropped],
            notes: [.tableDropped]),
        RuleCase(
            "each is split over two, and all",
            "CREATE TABLE w(a, b); CREATE TABLE v(a, b); INSERT INTO w SELECT * FROM p WHERE b < 2 UNION ALL SELECT * FROM q WHERE b < 2; INSERT INTO v SELECT * FROM p WHERE b > 1 UNION ALL SELECT * FROM q WHERE b > 1; DROP TABLE p; DROP TABLE q",
            schema: alike, rows: rows, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "each is split over two, and one has a column more",
            "CREATE TABLE w(a, b, c); CREATE TABLE v(a, b, c); INSERT INTO w SELECT a, b, c FROM p WHERE b < 2; INSERT INTO w(a, b) SELECT a, b FROM q WHERE b < 2 EXCEPT SELECT a, b FROM w; INSERT INTO v SELECT * FROM p WHERE b > 1; INSERT INTO v(a, b) SELECT * FROM q WHERE b > 1; DROP TABLE p; DROP TABLE q",
            schema: "CREATE TABLE p(a, b, c); CREATE TABLE q(a, b);",
            rows: "INSERT INTO p VALUES ('x', 1, 5), ('y', 2, 5); INSERT INTO q VALUES ('x', 1), ('z', 3)",
            errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "each is split over two, one has a column more, and all",
            "CREATE TABLE w(a, b, c); CREATE TABLE v(a, b, c); INSERT INTO w SELECT a, b, c FROM p WHERE b < 2; INSERT INTO w(a, b) SELECT a, b FROM q WHERE b < 2; INSERT INTO v SELECT * FROM p WHERE b > 1; INSERT INTO v(a, b) SELECT * FROM q WHERE b > 1; DROP TABLE p; DROP TABLE q",
            schema: "CREATE TABLE p(a, b, c); CREATE TABLE q(a, b);",
            rows: "INSERT INTO p VALUES ('x', 1, 5), ('y', 2, 5); INSERT INTO q VALUES ('x', 1), ('z', 3)",
            notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "split by a column that may go",
            "-- drydock: drops column p.b\nCREATE TABLE w(a); CREATE TABLE v(a); INSERT INTO w SELECT a FROM p WHERE b = 1; INSERT INTO v SELECT a FROM p WHERE b <> 1; DROP TABLE p",
            schema: alike, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "split by a column that may go, without a row",
            "-- drydock: drops column p.b\nCREATE TABLE w(a); CREATE TABLE v(a); INSERT INTO w SELECT a FROM p WHERE b = 1; INSERT INTO v SELECT a FROM p WHERE b > 2; DROP TABLE p",
            schema: alike, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "split with keys that may be rewritten, without one of two equal rows and with the other twice",
            "-- drydock: rewrites p.id\nCREATE TABLE w(id INTEGER PRIMARY KEY, a); CREATE TABLE v(id INTEGER PRIMARY KEY, a); INSERT INTO w SELECT * FROM p WHERE id = 1; INSERT INTO v SELECT * FROM p WHERE id < 3; DROP TABLE p",
            schema: keyed, rows: "INSERT INTO p VALUES (1, 'x'), (2, 'y'), (3, 'x')",
            errors: [.tableDropped]),
        RuleCase(
            "keys that may be rewritten do not make two rows one",
            "-- drydock: rewrites q.id\nCREATE TABLE w(id INTEGER PRIMARY KEY, a); INSERT INTO w SELECT * FROM p; INSERT INTO w SELECT id + 100, a FROM q WHERE a NOT IN (SELECT a FROM w); DROP TABLE p; DROP TABLE q",
            schema: keyed,
            rows: "INSERT INTO p VALUES (1, 'x'), (2, 'y'); INSERT INTO q VALUES (1, 'x'), (2, 'z')",
            errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "keys that are rewritten, and all",
            "-- drydock: rewrites q.id\nCREATE TABLE w(id INTEGER PRIMARY KEY, a); INSERT INTO w SELECT * FROM p; INSERT INTO w SELECT id + 100, a FROM q; DROP TABLE p; DROP TABLE q",
            schema: keyed,
            rows: "INSERT INTO p VALUES (1, 'x'), (2, 'y'); INSERT INTO q VALUES (1, 'x'), (2, 'z')",
            notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "into one of them, of which rows may go",
            "-- drydock: inserts into p\n-- drydock: deletes from p where b = 2\nDELETE FROM p WHERE b = 2; INSERT INTO p SELECT * FROM q EXCEPT SELECT * FROM p; DROP TABLE q",
            schema: alike, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "a table that was there has the same row, and takes a part",
            "-- drydock: inserts into p\nCREATE TABLE w AS SELECT * FROM q WHERE b <> 1; INSERT INTO p SELECT * FROM q WHERE b = 7; DROP TABLE q",
            schema: alike, rows: rows + ", ('v', 7)", errors: [.tableDropped]),
        RuleCase(
            "a table that was there has the same row, and takes a part with it",
            "-- drydock: inserts into p\nCREATE TABLE w AS SELECT * FROM q WHERE b > 1; INSERT INTO p SELECT * FROM q WHERE b = 1; DROP TABLE q",
            schema: alike, rows: rows + ", ('v', 7)", notes: [.tableDropped]),
        RuleCase(
            "each in a step of its own, and all", all, "DROP TABLE p", "DROP TABLE q", schema: alike,
            rows: rows, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "each in a step of its own, declared", union, "DROP TABLE p",
            "-- drydock: drops table q\nDROP TABLE q", schema: alike, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "equal rows are let go later", all, "DROP TABLE p", "DROP TABLE q",
            "-- drydock: deletes from w where b = 1\nDELETE FROM w WHERE b = 1", schema: alike, rows: rows,
            notes: [.tableDropped, .tableDropped]),
    ])
    func `shared rows`(_ it: RuleCase) async throws { try await it.check() }

    @Test func `the finding is that of the last step`() async throws {
        let it = RuleCase("", Self.union, "DROP TABLE p", "DROP TABLE q", schema: Self.alike, rows: Self.rows)
        let report = try await it.scenario.verify()
        let finding = try #require(report.findings.first { $0.severity == .error })
        #expect(
            finding.message == "table q is gone, with 1 row: p had the same, and w does not have both",
            "\(finding.message)")
        #expect(finding.migration == "v4" && finding.place?.line == 1)
    }

    /// Each is whole.
    @Test(arguments: [
        RuleCase(
            "copied before the step of the other", "CREATE TABLE w AS SELECT * FROM p",
            "-- drydock: inserts into w\nINSERT INTO w SELECT * FROM q; DROP TABLE p; DROP TABLE q",
            schema: alike, rows: apart, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "copied before the step of the other, keys of a kind",
            "CREATE TABLE w(kind, id, a, PRIMARY KEY(kind, id)); INSERT INTO w SELECT 'p', * FROM p",
            "-- drydock: inserts into w\nINSERT INTO w SELECT 'q', * FROM q; DROP TABLE p; DROP TABLE q",
            schema: keyed, rows: sameKeys, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "a rebuild takes in another table with the same keys",
            "-- drydock: inserts into p\nCREATE TABLE w(id, a); INSERT INTO w SELECT * FROM p; INSERT INTO w SELECT * FROM q; DROP TABLE p; DROP TABLE q; ALTER TABLE w RENAME TO p",
            schema: keyed, rows: sameKeys, warnings: [.constraintLost], notes: [.tableDropped]),
        RuleCase(
            "a rebuild with a longer key takes in another table",
            "-- drydock: inserts into p\nCREATE TABLE w(kind, id, a, PRIMARY KEY(kind, id)); INSERT INTO w SELECT 'p', * FROM p; INSERT INTO w SELECT 'q', * FROM q; DROP TABLE p; DROP TABLE q; ALTER TABLE w RENAME TO p",
            schema: keyed, rows: sameKeys, warnings: [.constraintLost], notes: [.tableDropped]),
        RuleCase(
            "one is whole in another table as well",
            union + "; CREATE TABLE z AS SELECT * FROM q; DROP TABLE p; DROP TABLE q",
            schema: alike, rows: rows, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "two copies of one table, beside another", "CREATE TABLE c AS SELECT * FROM p",
            all + "; DROP TABLE p; DROP TABLE c; DROP TABLE q", schema: alike, rows: apart,
            notes: [.tableDropped, .tableDropped, .tableDropped]),
    ])
    func `nothing is lost`(_ it: RuleCase) async throws { try await it.check() }

    @Test func aSplitTableThatLacksAColumnIsNotLetGo() async throws {
        let finding = try await Scenario(
            Self.alike, rows: Self.rows,
            steps:
                "CREATE TABLE w(a); CREATE TABLE v(a); INSERT INTO w SELECT a FROM p WHERE b = 1; INSERT INTO v SELECT a FROM p WHERE b > 1; DROP TABLE p"
        ).verify().finding(.tableDropped)
        #expect(
            finding.message
                == "table p is gone, with its 2 rows; v and w have them without column b with 2 values")
        #expect(finding.help.contains("drops column p.b") && !finding.help.contains("drops table"))
    }
}
