import SQLiteSchema
import Testing

@Suite struct StatementColumnsTests {
    private func statement(_ sql: String) throws -> SQLStatement {
        try #require(SQLSource(name: "", sql).statements().first)
    }

    @Test(
        arguments: [
            ("CREATE TABLE t(a, \"b c\" TEXT DEFAULT (1, 2), [d] INT)", ["a", "b c", "d"]),
            (
                "CREATE TEMP TABLE t(a PRIMARY KEY, b REFERENCES x(y), PRIMARY KEY(a), CHECK (a > 1))",
                ["a", "b"]
            ),
            ("CREATE TABLE t(a, CONSTRAINT k UNIQUE(a))", ["a"]),
            ("CREATE TABLE t(\"check\", 'primary')", ["check", "primary"]),
            (
                "CREATE TABLE t(a, b AS (a * 2), c INT GENERATED ALWAYS AS (a) STORED, d CHECK (CAST(d AS INT)))",
                ["a", "b*", "c*", "d"]
            ),
            ("CREATE TABLE t(", []), ("CREATE TABLE t AS SELECT 1 AS a", nil), ("SELECT 1", nil),
        ] as [(String, [String]?)])
    func `the columns that CREATE TABLE lists`(sql: String, expected: [String]?) throws {
        let columns = try statement(sql).createdColumns
        #expect(columns?.map { $0.name + ($0.isGenerated ? "*" : "") } == expected)
    }

    @Test(
        arguments: [
            ("CREATE TABLE t AS SELECT id, a AS q, b r, c + 1, o.d, * FROM x AS o", ["x: id q r - d -"]),
            (
                "INSERT INTO t WITH w AS (SELECT * FROM x) SELECT a FROM w UNION ALL SELECT b AS a FROM y",
                // The tables that WITH reads count for every SELECT.
                ["x: a", "x,y: a"]
            ),
            ("INSERT INTO t SELECT a FROM x WHERE b IN (SELECT b FROM z)", ["x: a"]),
            ("INSERT INTO t VALUES (1)", []), ("CREATE TABLE t(a)", []), ("DELETE FROM t", []),
        ] as [(String, [String])])
    func `the rows that fill a table`(sql: String, expected: [String]) throws {
        let rows = try statement(sql).selectedRows
        #expect(
            rows.map { row in
                row.source.tables.joined(separator: ",") + ": "
                    + row.names.map { $0 ?? "-" }.joined(separator: " ")
            } == expected)
    }

    @Test(
        arguments: [
            (
                "UPDATE t SET a = b + 1, c = 'x', e = f WHERE d > 0",
                ["a 0: b, d set t update where", "c 0: , d set t update where", "e 0: f, "]
            ),
            ("UPDATE t SET a = (SELECT b FROM u)", ["a 0: b from select u, set t update"]),
            (
                "WITH w AS (SELECT b) UPDATE t SET a = c FROM w",
                ["a 0: c, as b from select set t update w with"]
            ),
            (
                "INSERT INTO t(\"A\", b) SELECT x, y || z FROM u",
                ["a 0: x, ", "b 1: y z, from select u"]
            ),
            ("INSERT INTO t SELECT a FROM u JOIN v USING (b)", [" 0: a, b from join select u using v"]),
            ("INSERT INTO t SELECT * FROM u", []), ("INSERT INTO t SELECT *, 1 FROM u", nil),
            ("INSERT INTO t VALUES (1)", nil),
            ("INSERT INTO t SELECT a FROM u WHERE true ON CONFLICT DO UPDATE SET b = 1", nil),
            ("CREATE TABLE t AS SELECT a, b AS c FROM u ORDER BY d", [" 0: a, ", " 1: b, "]),
        ] as [(String, [String]?)])
    func `the names that decide a value`(sql: String, expected: [String]?) throws {
        let values = try statement(sql).givenValues
        #expect(
            values?.map { value in
                "\(value.columns.sorted().joined(separator: " ")) \(value.place): "
                    + value.names.sorted().joined(separator: " ") + ", "
                    + value.conditions.sorted().joined(separator: " ")
            } == expected)
    }
}
