import Drydock
import Testing

@testable import DrydockTestSupport

/// A replay follows tables and columns through ALTER, rebuilds and copies in one step.
@Suite struct FollowedTablesTests {
    private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);"
    private static let rows = "INSERT INTO t VALUES (1,'x',10),(2,NULL,20),(3,'z',30);"

    @Test(arguments: [
        RuleCase(
            "rename then rebuild",
            "ALTER TABLE t RENAME TO u;CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM u; DROP TABLE u; ALTER TABLE new RENAME TO u;",
            schema: schema, rows: rows),
        RuleCase(
            "rename then rebuild loses",
            "ALTER TABLE t RENAME TO u;CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM u WHERE id<3; DROP TABLE u; ALTER TABLE new RENAME TO u;",
            schema: schema, rows: rows, errors: [.rowsLost]),
        RuleCase(
            "rebuild then rename",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t; ALTER TABLE t RENAME TO u;",
            schema: schema, rows: rows),
        RuleCase(
            "rebuild then rename, changed",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT id,a,b+1 FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t; ALTER TABLE t RENAME TO u;",
            schema: schema, rows: rows, errors: [.valuesChanged]),
        RuleCase(
            "col renamed then rebuild",
            "ALTER TABLE t RENAME COLUMN a TO c; CREATE TABLE new(id INTEGER PRIMARY KEY, c TEXT, b INTEGER);INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t;",
            schema: schema, rows: rows),
        RuleCase(
            "col renamed then rebuild, drop",
            "ALTER TABLE t RENAME COLUMN a TO c; CREATE TABLE new(id INTEGER PRIMARY KEY, b INTEGER);INSERT INTO new SELECT id,b FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t;",
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "rebuild then col renamed",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t; ALTER TABLE t RENAME COLUMN a TO c",
            schema: schema, rows: rows),
        RuleCase(
            "rebuild (col) then renamed mid",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM t; ALTER TABLE new RENAME COLUMN a TO c; DROP TABLE t; ALTER TABLE new RENAME TO t;",
            schema: schema, rows: rows),
        RuleCase(
            "rename first rebuild then rename",
            "ALTER TABLE t RENAME TO old;CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO t SELECT * FROM old; DROP TABLE old; ALTER TABLE t RENAME TO u;",
            schema: schema, rows: rows),
        RuleCase(
            "two rebuilds",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t;CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t;",
            schema: schema, rows: rows),
        RuleCase(
            "two rebuilds with col rename by copy each",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a1 TEXT, b INTEGER);INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t; CREATE TABLE new(id INTEGER PRIMARY KEY, a2 TEXT, b INTEGER); INSERT INTO new(id,a2,b) SELECT id,a1,b FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t;",
            schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "rename, rebuild, rename back",
            "ALTER TABLE t RENAME TO u;CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM u; DROP TABLE u; ALTER TABLE new RENAME TO t;",
            schema: schema, rows: rows),
        RuleCase(
            "CTAS alias",
            "CREATE TABLE new AS SELECT id, a AS q, b FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: schema, rows: rows, warnings: [.constraintLost], notes: [.columnDropped]),
        RuleCase(
            "CTAS alias, lost",
            "CREATE TABLE new AS SELECT id, upper(a) AS q, b FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: schema, rows: rows, errors: [.columnDropped], warnings: [.constraintLost]),
        RuleCase(
            "savepoint",
            "SAVEPOINT s; ALTER TABLE t RENAME TO zz; ROLLBACK TO s; RELEASE s; ALTER TABLE t RENAME TO u;CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO new SELECT * FROM u; DROP TABLE u; ALTER TABLE new RENAME TO u;",
            schema: schema, rows: rows),
        RuleCase(
            "swap names then rebuild",
            "ALTER TABLE t RENAME COLUMN a TO x; ALTER TABLE t RENAME COLUMN b TO a; ALTER TABLE t RENAME COLUMN x TO b; CREATE TABLE new(id INTEGER PRIMARY KEY, b TEXT, a INT); INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: schema, rows: rows),
        RuleCase(
            "WITHOUT ROWID composite",
            "ALTER TABLE n RENAME TO m; CREATE TABLE \"x y\"(b,a,c,PRIMARY KEY(a,b)) WITHOUT ROWID; INSERT INTO \"x y\"(a,b,c) SELECT a,b,c FROM m; DROP TABLE m; ALTER TABLE \"x y\" RENAME TO m",
            schema: "CREATE TABLE n(a,b,c,PRIMARY KEY(a,b)) WITHOUT ROWID;",
            rows: "INSERT INTO n VALUES (1,2,3),(1,3,x'00'),(2,2,NULL)"),
    ])
    func renamesAndRebuilds(_ it: RuleCase) async throws { try await it.check() }

    @Test(arguments: [
        RuleCase(
            "temp copy",
            "CREATE TEMP TABLE k AS SELECT * FROM t; DROP TABLE t;CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO t SELECT * FROM k; DROP TABLE k;",
            schema: schema, rows: rows),
        RuleCase(
            "temp copy alias",
            "CREATE TEMP TABLE k AS SELECT id, a AS q, b FROM t; DROP TABLE t;CREATE TABLE t(id INTEGER PRIMARY KEY, q TEXT, b INTEGER); INSERT INTO t SELECT * FROM k; DROP TABLE k;",
            schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "temp copy same name",
            "CREATE TEMP TABLE t AS SELECT * FROM main.t; DROP TABLE main.t; CREATE TABLE main.t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO main.t SELECT * FROM t; DROP TABLE t;",
            schema: schema, rows: rows),
        RuleCase(
            "temp copy alias new table",
            "CREATE TEMP TABLE k AS SELECT id, a AS q, b FROM t; DROP TABLE t;CREATE TABLE u(id INTEGER PRIMARY KEY, q TEXT, b INTEGER); INSERT INTO u SELECT * FROM k; DROP TABLE k;",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "temp hides: rename", "CREATE TEMP TABLE t(x); ALTER TABLE t RENAME TO u; DROP TABLE t;",
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "temp hides: drop, main rename",
            "CREATE TEMP TABLE t(x); DROP TABLE t; ALTER TABLE t RENAME TO u;", schema: schema, rows: rows),
        RuleCase(
            "temp hides: alter col",
            "CREATE TEMP TABLE t(a,z); ALTER TABLE t RENAME COLUMN a TO c; ALTER TABLE t DROP COLUMN z; DROP TABLE temp.t",
            schema: schema, rows: rows),
        RuleCase(
            "temp hides delete",
            "CREATE TEMP TABLE t(a,z); DELETE FROM t; DELETE FROM main.t WHERE id=1; DROP TABLE temp.t",
            schema: schema, rows: rows, errors: [.rowsLost]),
        RuleCase(
            "an index of a temporary table", "CREATE TEMP TABLE k(a); CREATE INDEX i ON k(a); DROP INDEX i;",
            schema: schema + "CREATE INDEX i ON t(a);", rows: rows),
        RuleCase(
            "a temporary view hides a table",
            "CREATE TEMP VIEW t AS SELECT 1 AS x; DROP VIEW t; ALTER TABLE t RENAME TO u",
            schema: schema, rows: rows),
        RuleCase(
            "a temporary table of an earlier step", "CREATE TEMP TABLE t(x)",
            "DROP TABLE t; ALTER TABLE t RENAME TO u",
            schema: schema, rows: rows),
        RuleCase(
            "a temporary table of an earlier step, and the real one is dropped", "CREATE TEMP TABLE t(x)",
            "DROP TABLE t; DROP TABLE t", schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "rows that go to a temporary table are not added",
            "CREATE TEMP TABLE t(id, a, b); INSERT INTO t VALUES (7, 8, 9)",
            schema: schema, rows: rows),
    ])
    func temporaryTables(_ it: RuleCase) async throws { try await it.check() }
}
