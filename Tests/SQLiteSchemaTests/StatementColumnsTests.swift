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
}
