import DatabaseEngine
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// CHECKs that only solving satisfies, and conditions of statements.
@Suite struct RowSolverTests {
    /// Each is the definition of columns; SQLite has accepted every row.
    static let definitions = [
        "ts TEXT NOT NULL CHECK (strftime('%Y-%m-%dT%H:%M:%SZ', ts) = ts)",
        "ts TEXT NOT NULL CHECK (ts IS strftime('%Y-%m-%dT%H:%M:%fZ', ts))",
        "ts TEXT NOT NULL CHECK (ts = strftime('%Y-%m-%d %H:%M:%f', ts))",
        "a TEXT NOT NULL CHECK (time(a) = a), b TEXT NOT NULL CHECK (strftime('%H:%M', b) = b)",
        "m TEXT NOT NULL CHECK (m = strftime('%Y-%m', m || '-01'))",
        "d TEXT NOT NULL CHECK (strftime('%w', d) = '1' AND strftime('%d', d) <> '01')",
        "d INTEGER NOT NULL CHECK (strftime('%H:%M', d, 'unixepoch') = '00:00' AND d > 1000000000)",
        "d INTEGER NOT NULL CHECK (d BETWEEN 946684800 AND 4102444800 AND d % 86400 = 0)",
        "lo TEXT NOT NULL CHECK (date(lo) = lo), hi TEXT NOT NULL CHECK (date(hi) = hi), CHECK (julianday(hi) - julianday(lo) BETWEEN 1 AND 30)",
        "isbn TEXT NOT NULL CHECK (length(replace(isbn, '-', '')) = 13)",
        "n TEXT NOT NULL CHECK (typeof(n) = 'text' AND CAST(n AS INTEGER) > 0)",
        "n TEXT NOT NULL CHECK (printf('%08d', n) = n)",
        "tags TEXT NOT NULL CHECK (',' || tags || ',' LIKE '%,main,%')",
        "p TEXT NOT NULL CHECK (p LIKE '100\\%%' ESCAPE '\\' AND length(p) > 6)",
        "p TEXT NOT NULL CHECK (substr(p, 3, 2) = 'zz' AND substr(p, -1) = '/' AND instr(p, 'q') = 0)",
        "h TEXT NOT NULL CHECK (length(h) = 7 AND h = upper(h) AND h GLOB '[A-C]*[0-9]')",
        "j TEXT NOT NULL CHECK (json_valid(j) AND json_type(j, '$.items') = 'array' AND json_extract(j, '$.name') IS NOT NULL)",
        "j TEXT NOT NULL CHECK (j ->> '$.a.b' = 'x' AND json_array_length(j, '$.list') = 2)",
        "x REAL NOT NULL, y REAL NOT NULL, CHECK (x + y = 1.0 AND x BETWEEN 0 AND 1)",
        "a INTEGER NOT NULL, b INTEGER NOT NULL, c INTEGER NOT NULL, CHECK (a * 2 + b = c AND c > b AND b > 10)",
        "w INTEGER NOT NULL CHECK (w & 7 = 5 AND w > 64)",
        "a INTEGER NOT NULL, g INTEGER AS (a * 3) STORED CHECK (g % 7 = 0 AND g > 50)",
        "a TEXT, b TEXT, CHECK (CASE WHEN a = 'x' THEN length(b) = 4 ELSE b = upper(a) || '!' END)",
        "a INTEGER NOT NULL, b INTEGER NOT NULL, CHECK (max(a, b) = 100 AND min(a, b) = -5)",
        "a TEXT NOT NULL COLLATE NOCASE CHECK (a = 'HELLO' OR a || 'x' = 'wordx')",
        "a TEXT NOT NULL, b TEXT NOT NULL, CHECK ((a, b) = ('p', 'q') OR coalesce(nullif(a, b), '') = '')",
        "a, CHECK (typeof(a) = 'blob' AND length(a) = 5 AND hex(a) LIKE '41%')",
    ]

    @Test(arguments: definitions)
    func `a CHECK of functions is satisfied`(columns: String) async throws {
        let outcome = try await RowCase("CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns));").run()
        #expect(outcome.faults.isEmpty && outcome.result.empty.isEmpty, "\(outcome.result.empty)")
        #expect(outcome.dump["t"]?.count ?? 0 >= 3)
    }

    @Test func `what cannot be solved is reported with the constraint`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT NOT NULL CHECK (length(a) = 3 AND length(a) = 4), b INTEGER CHECK (b * b = -1));"
        ).run()
        #expect(outcome.reason("t")?.hasPrefix("CHECK") == true)
    }

    @Test func `a CHECK that a later migration adds is satisfied too`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, at TEXT NOT NULL, n INTEGER NOT NULL);",
            later:
                "CREATE TABLE t2(id INTEGER PRIMARY KEY, at TEXT NOT NULL CHECK (strftime('%Y-%m-%dT%H:%M:%SZ', at) = at), n INTEGER NOT NULL CHECK (n % 7 = 3)); INSERT INTO t2 SELECT * FROM t; DROP TABLE t; ALTER TABLE t2 RENAME TO t;"
        ).run(asking: ["SELECT count(*) FROM t WHERE strftime('%Y-%m-%dT%H:%M:%SZ', at) <> at OR n % 7 <> 3"])
        #expect(outcome.answers == [["0"]])
    }

    /// A statement, and a query for how many rows meet its condition and how many do not.
    static let conditions: [(statement: String, condition: String)] = [
        ("DELETE FROM t WHERE n = 5 AND a <> 'keep'", "n = 5 AND a <> 'keep'"),
        ("DELETE FROM t WHERE a LIKE '%spam%' AND n > 3", "a LIKE '%spam%' AND n > 3"),
        (
            "DELETE FROM t AS x WHERE x.a GLOB '*.tmp' AND length(x.b) > 10",
            "a GLOB '*.tmp' AND length(b) > 10"
        ),
        ("DELETE FROM t WHERE instr(a, 'DRAFT:') = 1", "instr(a, 'DRAFT:') = 1"),
        ("UPDATE t SET n = 0 WHERE strftime('%Y', d) = '2019'", "strftime('%Y', d) = '2019'"),
        ("DELETE FROM t WHERE a = b", "a = b"),
        ("DELETE FROM t WHERE round(r, 1) = 2.5", "round(r, 1) = 2.5"),
        ("DELETE FROM t WHERE (a, n) = ('p', 7)", "a = 'p' AND n = 7"),
        ("DELETE FROM t WHERE n = 0 OR a GLOB '*.tmp'", "n <> 0 AND a GLOB '*.tmp'"),
        (
            "UPDATE t SET n = CASE WHEN n > 900 AND a = 'x' THEN 1 WHEN b = 'y' THEN 2 ELSE 3 END",
            "n > 900 AND a = 'x'"
        ),
        (
            "INSERT INTO u SELECT id, a FROM t WHERE upper(substr(a, 1, 3)) = 'TMP'",
            "upper(substr(a, 1, 3)) = 'TMP'"
        ),
        (
            "DELETE FROM t WHERE a IN (SELECT name FROM u WHERE name LIKE 'gone%') AND n < 0",
            "a IN (SELECT name FROM u) AND n < 0"
        ),
        (
            "DELETE FROM t WHERE json_extract(j, '$.user.archived') = 1",
            "json_extract(j, '$.user.archived') = 1"
        ),
        ("UPDATE t SET n = 1 FROM u WHERE u.id = t.u_id AND t.a = 'q' AND u.name = 'z'", "a = 'q'"),
        (
            "CREATE VIEW v AS SELECT * FROM t WHERE n % 100 = 99 AND d < '2001-01-01'",
            "n % 100 = 99 AND d < '2001-01-01'"
        ),
    ]

    @Test(arguments: conditions)
    func `some rows meet a condition and others do not`(statement: String, condition: String) async throws {
        let outcome = try await RowCase(
            "CREATE TABLE u(id INTEGER PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE t(id INTEGER PRIMARY KEY, u_id INTEGER NOT NULL REFERENCES u(id), a TEXT NOT NULL, b TEXT NOT NULL, n INTEGER NOT NULL, r REAL NOT NULL, d TEXT NOT NULL, j TEXT NOT NULL CHECK (json_valid(j)));",
            later: statement
        ).run(asking: [
            "SELECT count(*) > 0 FROM t WHERE \(condition)",
            "SELECT count(*) > 0 FROM t WHERE NOT (\(condition))",
        ])
        #expect(outcome.faults.isEmpty && outcome.result.empty.isEmpty)
        #expect(outcome.answers == [["1"], ["1"]], "\(outcome.dump)")
    }

    @Test(arguments: [
        ("a = trim(a)", "a <> trim(a)"), ("r = round(r, 2)", "r <> round(r, 2)"),
        ("a = replace(a, '_', '-')", "instr(a, '_')"), ("n = max(n, 0)", "n < 0"),
        ("a = NULLIF(a, 'none')", "a = 'none'"),
    ])
    func `edge rows change by what is assigned`(assignment: String, condition: String) async throws {
        let outcome = try await RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT NOT NULL, n INTEGER NOT NULL, r REAL NOT NULL) STRICT;",
            later: "UPDATE t SET \(assignment)"
        ).run(edges: true, asking: ["SELECT count(*) > 0 FROM t WHERE \(condition)"])
        #expect(outcome.answers == [["1"]])
    }

    @Test func `rows do not depend on the clock`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE s(id INTEGER PRIMARY KEY, at TEXT NOT NULL, e INTEGER NOT NULL);",
            later:
                "DELETE FROM s WHERE at < date('now', '-1 year') OR e < unixepoch() OR at > CURRENT_TIMESTAMP"
        ).run()
        let texts = outcome.texts("s", "at")
        #expect(texts.contains { $0 < "2023-06-15" } && texts.contains { $0 > "2024-06-15" })
    }

    @Test func `a renamed column is found under its present name`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, old TEXT NOT NULL, n INTEGER NOT NULL);",
            later: "ALTER TABLE t RENAME COLUMN old TO \"new name\"; ALTER TABLE t RENAME TO u;",
            "DELETE FROM u WHERE length(\"new name\") = 2 AND n BETWEEN 70 AND 80;"
        ).run(asking: ["SELECT count(*) FROM t WHERE length(old) = 2 AND n BETWEEN 70 AND 80"])
        #expect(outcome.answers == [["1"]])
    }
}
