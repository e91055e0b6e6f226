import Drydock
import Testing

@testable import DrydockTestSupport

/// A table was dropped, and another table has its name since.
@Suite struct ReplacedTableTests {
    private static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT);

        """
    private static let rows =
        "INSERT INTO t VALUES (1,'x'),(2,NULL); INSERT INTO u VALUES (1,'other'),(9,'y');"

    @Test(arguments: [
        RuleCase(
            "all rows were copied in an earlier step", "CREATE TABLE w AS SELECT * FROM t",
            "DROP TABLE t; ALTER TABLE u RENAME TO t", schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "a row was not copied", "CREATE TABLE w AS SELECT * FROM t WHERE id = 1",
            "DROP TABLE t; ALTER TABLE u RENAME TO t", schema: schema, rows: rows,
            errors: [.rowsLost, .valuesChanged], warnings: [.rowsAdded]),
        RuleCase(
            "a value was changed after it was copied", "CREATE TABLE w AS SELECT * FROM t",
            "UPDATE w SET a = 'z' WHERE id = 1", "DROP TABLE t; ALTER TABLE u RENAME TO t", schema: schema,
            rows: rows, errors: [.valuesChanged, .rowsLost, .valuesChanged], warnings: [.rowsAdded]),
        RuleCase(
            "a copy swaps its columns", "CREATE TABLE w(a, id); INSERT INTO w SELECT id, a FROM t",
            "DROP TABLE t; ALTER TABLE u RENAME TO t", schema: schema, rows: rows,
            errors: [.rowsLost, .valuesChanged], warnings: [.rowsAdded]),
        RuleCase(
            "another copy takes the name", "CREATE TABLE w AS SELECT * FROM t",
            "DROP TABLE t; CREATE TABLE t AS SELECT id AS k FROM u", schema: schema, rows: rows,
            notes: [.tableDropped]),
        RuleCase(
            "a table without rows takes the name", "CREATE TABLE w AS SELECT * FROM t",
            "DROP TABLE t; CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)", schema: schema, rows: rows,
            errors: [.rowsLost]),
        RuleCase(
            "a rebuild loses a row that a backup has",
            "CREATE TABLE w AS SELECT * FROM t; CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO new SELECT * FROM t WHERE id = 1; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: schema, rows: rows, errors: [.rowsLost]),
        RuleCase(
            "a rebuild over two steps loses a row that a backup has",
            "CREATE TABLE w AS SELECT * FROM t; CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO new SELECT * FROM t WHERE id = 1",
            "DROP TABLE t; ALTER TABLE new RENAME TO t", schema: schema, rows: rows, errors: [.rowsLost]),
        RuleCase(
            "names are swapped, and the table goes on under a third",
            "ALTER TABLE t RENAME TO s; ALTER TABLE u RENAME TO t; ALTER TABLE s RENAME TO u; CREATE TABLE v(id INTEGER PRIMARY KEY, b TEXT); INSERT INTO v SELECT * FROM u; DROP TABLE u",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "names are swapped, and a value is lost on the way to a third",
            "ALTER TABLE t RENAME TO s; ALTER TABLE u RENAME TO t; ALTER TABLE s RENAME TO u; CREATE TABLE v(id INTEGER PRIMARY KEY, b TEXT); INSERT INTO v(id) SELECT id FROM u; DROP TABLE u",
            schema: schema, rows: rows, errors: [.rowsLost, .valuesChanged], warnings: [.rowsAdded]),
        RuleCase(
            "the name of a finished rebuild is used for the next",
            "CREATE TABLE tmp(id INTEGER PRIMARY KEY, a TEXT, c); INSERT INTO tmp SELECT id, a, 0 FROM t",
            "DROP TABLE t; ALTER TABLE tmp RENAME TO t; CREATE TABLE tmp(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO tmp SELECT * FROM u",
            schema: schema, rows: rows),
        RuleCase(
            "the name of a finished rebuild is used for the next, and a row is lost",
            "CREATE TABLE tmp(id INTEGER PRIMARY KEY, a TEXT, c); INSERT INTO tmp SELECT id, a, 0 FROM t",
            "DROP TABLE t; ALTER TABLE tmp RENAME TO t; DELETE FROM t WHERE id = 1; CREATE TABLE tmp(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO tmp SELECT * FROM u",
            schema: schema, rows: rows, errors: [.rowsLost, .rowsLost]),
        RuleCase(
            "a copy is renamed to a third name after the swap",
            "CREATE TABLE w AS SELECT id AS k FROM u; ALTER TABLE w RENAME TO s; ALTER TABLE t RENAME TO w; ALTER TABLE s RENAME TO t; ALTER TABLE w RENAME TO v",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "a copy is renamed to a third name after the swap, and a value is changed",
            "CREATE TABLE w AS SELECT id AS k FROM u; ALTER TABLE w RENAME TO s; ALTER TABLE t RENAME TO w; ALTER TABLE s RENAME TO t; ALTER TABLE w RENAME TO v; UPDATE v SET a = 'q'",
            schema: schema, rows: rows, errors: [.valuesChanged], notes: [.tableDropped]),
        RuleCase(
            "an index on the table",
            "CREATE TABLE w AS SELECT * FROM t", "DROP TABLE t; ALTER TABLE u RENAME TO t",
            schema: schema + "CREATE INDEX i ON t(a);", rows: rows, errors: [.objectLost],
            notes: [.tableDropped]),
    ])
    func replacedTables(_ it: RuleCase) async throws { try await it.check() }

    /// Rows and values that a declaration allows to go are not searched for with their table or column.
    @Test(arguments: [
        RuleCase(
            "all rows go as declared, and then the table",
            "-- drydock: deletes from t where id > 0\nDELETE FROM t WHERE id > 0; DROP TABLE t",
            schema: schema,
            rows: rows, errors: [.tableDropped]),
        RuleCase(
            "a row stays when the table goes",
            "-- drydock: deletes from t where id = 1\nDELETE FROM t WHERE id = 1; DROP TABLE t",
            schema: schema,
            rows: rows, errors: [.tableDropped]),
        RuleCase(
            "a condition that is NULL of a row", "-- drydock: deletes from t where a = 'x'\nDROP TABLE t",
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "the other rows are elsewhere",
            "-- drydock: deletes from t where id = 1\nCREATE TABLE w AS SELECT * FROM t WHERE id <> 1; DROP TABLE t",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "one of the other rows is elsewhere",
            "-- drydock: deletes from t where id = 1\nCREATE TABLE w AS SELECT * FROM t WHERE id = 1; DROP TABLE t",
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "all rows may go, and a table that could have had them has none",
            "-- drydock: deletes from t\nCREATE TABLE w AS SELECT * FROM t WHERE 0; DROP TABLE t",
            schema: schema,
            rows: rows, errors: [.tableDropped]),
        RuleCase(
            "a generated column of which the source has another type and values, as declared",
            "-- drydock: rewrites t.a\nCREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT, g AS (a)); INSERT INTO new SELECT id, coalesce(a, 'none') FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, g AS (a));",
            rows: "INSERT INTO t(id, a) VALUES (1, 2), (2, NULL)", warnings: [.valuesChanged]),
        RuleCase(
            "a generated column of which the source was dropped and held nothing",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, c, g AS (typeof(c))); INSERT INTO new SELECT id, coalesce(a, '') FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, g AS (typeof(a)));",
            rows: "INSERT INTO t(id, a) VALUES (1, NULL)", warnings: [.columnDropped, .valuesChanged]),
        RuleCase(
            "values that were rewritten on the way",
            "-- drydock: rewrites t.a\nCREATE TABLE w AS SELECT id, upper(a) AS a FROM t; DROP TABLE t",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "values of another column that were rewritten on the way",
            "-- drydock: rewrites t.a\nCREATE TABLE w AS SELECT id, a, b + 1 AS b FROM t; DROP TABLE t",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);", rows: "INSERT INTO t VALUES (1, 2, 3)",
            errors: [.tableDropped]),
        RuleCase(
            "values of rows that go as declared",
            "-- drydock: deletes from t where a = 'x'\nDELETE FROM t WHERE a = 'x'; ALTER TABLE t DROP COLUMN a",
            schema: schema, rows: rows, warnings: [.columnDropped]),
        RuleCase(
            "values of rows that could go and stay",
            "-- drydock: deletes from t where id > 0\nDELETE FROM t WHERE id = 2; ALTER TABLE t DROP COLUMN a",
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "a generated column whose source was rewritten as declared",
            "-- drydock: rewrites t.a\nCREATE TABLE new(id INTEGER PRIMARY KEY, a); INSERT INTO new SELECT id, upper(a) FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, g AS (a || 'x'));",
            rows: "INSERT INTO t(id, a) VALUES (1, 'a')", errors: [.columnDropped]),
        RuleCase(
            "a generated column whose source was rewritten undeclared",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a); INSERT INTO new SELECT id, upper(a) FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, g AS (a || 'x'));",
            rows: "INSERT INTO t(id, a) VALUES (1, 'a')", errors: [.columnDropped, .valuesChanged]),
        RuleCase(
            "a condition on a table that swaps its name",
            "-- drydock: deletes from t where b = 1\nDELETE FROM t WHERE b = 1; ALTER TABLE t RENAME TO s; ALTER TABLE n RENAME TO t; ALTER TABLE s RENAME TO n",
            schema: "CREATE TABLE t(a, b); CREATE TABLE n(k);",
            rows: "INSERT INTO t VALUES (1, 1), (2, 2); INSERT INTO n VALUES (1), (2)"),
        RuleCase(
            "a condition on a table that swaps its name does not allow the other's rows to go",
            "-- drydock: deletes from t\nDELETE FROM n; ALTER TABLE t RENAME TO s; ALTER TABLE n RENAME TO t; ALTER TABLE s RENAME TO n",
            schema: "CREATE TABLE t(a, b); CREATE TABLE n(k);",
            rows: "INSERT INTO t VALUES (1, 1), (2, 2); INSERT INTO n VALUES (1), (2)", errors: [.rowsLost],
            warnings: [.unusedDeclaration]),
        RuleCase(
            "a finished rebuild loses rows as declared",
            "CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO new SELECT * FROM t",
            "-- drydock: deletes from t where id = 1\nDROP TABLE t; ALTER TABLE new RENAME TO t; DELETE FROM t WHERE id = 1",
            schema: schema, rows: rows),
    ])
    func declaredLosses(_ it: RuleCase) async throws { try await it.check() }

    @Test(arguments: [
        RuleCase(
            "a key that a copy renames, over two steps",
            "CREATE TABLE new(k TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO new SELECT * FROM t",
            "DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: "CREATE TABLE t(a TEXT PRIMARY KEY) WITHOUT ROWID;",
            rows: "INSERT INTO t VALUES ('x'), ('y')", notes: [.columnDropped]),
        RuleCase(
            "a key that a copy renames, over two steps, a row short",
            "CREATE TABLE new(k TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO new SELECT * FROM t WHERE a = 'x'",
            "DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: "CREATE TABLE t(a TEXT PRIMARY KEY) WITHOUT ROWID;",
            rows: "INSERT INTO t VALUES ('x'), ('y')", errors: [.columnDropped, .rowsLost]),
        RuleCase(
            "an empty column of a table without a key is filled and renamed",
            "CREATE TABLE new(a, c); INSERT INTO new SELECT a, coalesce(b, '') FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: "CREATE TABLE t(a, b);", rows: "INSERT INTO t VALUES (1, NULL), (2, NULL)",
            warnings: [.columnDropped]),
        RuleCase(
            "a column of a table without a key is filled and renamed, and values are changed",
            "CREATE TABLE new(a, c); INSERT INTO new SELECT a, b || 'x' FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t",
            schema: "CREATE TABLE t(a, b);", rows: "INSERT INTO t VALUES (1, NULL), (2, 3)",
            errors: [.columnDropped]),
        RuleCase(
            "a column that was filled under another name from one that stays",
            "ALTER TABLE t ADD COLUMN c; UPDATE t SET c = a; ALTER TABLE t RENAME COLUMN c TO d",
            "ALTER TABLE t DROP COLUMN d", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a);",
            rows: "INSERT INTO t VALUES (1, 'x'), (2, 'y')", notes: [.columnDropped]),
        RuleCase(
            "a column that was filled under another name from one that has changed since",
            "ALTER TABLE t ADD COLUMN c; UPDATE t SET c = a; ALTER TABLE t RENAME COLUMN c TO d",
            "-- drydock: rewrites t.a\nUPDATE t SET a = 'z' WHERE id = 1", "ALTER TABLE t DROP COLUMN d",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a);",
            rows: "INSERT INTO t VALUES (1, 'x'), (2, 'y')", errors: [.columnDropped]),
        RuleCase(
            "a column that was filled from a generated one that stays",
            "ALTER TABLE t ADD COLUMN c; UPDATE t SET c = g", "ALTER TABLE t DROP COLUMN c",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, g AS (a));",
            rows: "INSERT INTO t(id, a) VALUES (1, 'x'), (2, 'y')", notes: [.columnDropped]),
        RuleCase(
            "a value goes to a table with its row's new key",
            "CREATE TABLE new(rid INTEGER PRIMARY KEY, p, note); INSERT INTO new(p, note) SELECT p, note FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t; CREATE TABLE side(of, content); INSERT INTO side SELECT rid, note FROM t; ALTER TABLE t DROP COLUMN note",
            schema: "CREATE TABLE t(p, note);", rows: "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (2, NULL)",
            notes: [.columnDropped]),
        RuleCase(
            "a value goes to a table with another row's new key",
            "CREATE TABLE new(rid INTEGER PRIMARY KEY, p, note); INSERT INTO new(p, note) SELECT p, note FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t; CREATE TABLE side(of, content); INSERT INTO side SELECT 3 - rid, note FROM t; ALTER TABLE t DROP COLUMN note",
            schema: "CREATE TABLE t(p, note);", rows: "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
            errors: [.columnDropped]),
    ])
    func columns(_ it: RuleCase) async throws { try await it.check() }
}
