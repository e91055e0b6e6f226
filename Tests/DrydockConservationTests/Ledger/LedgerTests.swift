import Drydock
import Testing

@testable import DrydockTestSupport

/// Rows of a dropped table and values of a dropped column that are found elsewhere are not lost.
@Suite struct LedgerTests {
    private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);"
    private static let generated = "CREATE TABLE g(id INTEGER PRIMARY KEY, p INT, q INT, t INT AS (p * q));"
    private static let computed = "INSERT INTO g(id, p, q) VALUES (1, 2, 3), (2, 5, 7), (3, NULL, 1)"
    private static let merged = "CREATE TABLE m(id INTEGER PRIMARY KEY, p, q);"
    private static let apart = "INSERT INTO m VALUES (1, 'x', NULL), (2, NULL, 'y'), (3, NULL, NULL)"
    private static let merge = "ALTER TABLE m ADD COLUMN k; UPDATE m SET k = coalesce(p, q); "
    private static let alike = "CREATE TABLE p(a, b); CREATE TABLE q(a, b);"
    private static let alikeRows =
        "INSERT INTO p VALUES ('x', 1), ('y', 2); INSERT INTO q VALUES ('x', 1), ('z', 3)"
    private static let rows = "INSERT INTO t VALUES (1,'x',10),(2,NULL,20),(3,'z',30);"

    @Test(arguments: [
        RuleCase(
            "other name",
            "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO u SELECT * FROM t; DROP TABLE t;",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "other name, lost",
            "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO u SELECT * FROM t WHERE id<>2; DROP TABLE t;",
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "other name, changed",
            "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);INSERT INTO u SELECT id,a,CAST(b AS TEXT)||'' FROM t; UPDATE u SET b=b+1 WHERE id=1; DROP TABLE t;",
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "other name, class changed",
            "CREATE TABLE u(id INTEGER PRIMARY KEY,a,b); INSERT INTO u SELECT id,a,CAST(b AS TEXT) FROM t; DROP TABLE t;",
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "CTAS other name", "CREATE TABLE u AS SELECT id AS uid, a AS q, b AS r FROM t; DROP TABLE t;",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "compound",
            "CREATE TABLE w AS SELECT * FROM t UNION ALL SELECT * FROM t2; DROP TABLE t; DROP TABLE t2",
            schema:
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);CREATE TABLE t2(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: "INSERT INTO t VALUES (1,'x',10),(2,NULL,20),(3,'z',30);INSERT INTO t2 VALUES (7,'q',1)",
            notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "compound, lost",
            "CREATE TABLE w AS SELECT * FROM t UNION ALL SELECT * FROM t2 WHERE id>7; DROP TABLE t; DROP TABLE t2",
            schema:
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);CREATE TABLE t2(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: "INSERT INTO t VALUES (1,'x',10),(2,NULL,20),(3,'z',30);INSERT INTO t2 VALUES (7,'q',1)",
            errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "declared new keys",
            "-- drydock: rewrites t.id\nCREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO u(a, b) SELECT a, b FROM t; DROP TABLE t",
            schema: schema, rows: "INSERT INTO t VALUES (2,'x',10),(3,NULL,20),(30,'z',30);",
            notes: [.tableDropped]),
        RuleCase(
            "declared to have no key",
            "-- drydock: drops column t.id\nCREATE TABLE u(a TEXT, b INTEGER); INSERT INTO u(a, b) SELECT a, b FROM t; DROP TABLE t",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "new keys",
            "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO u(a, b) SELECT a, b FROM t; DROP TABLE t",
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "declared new keys, one row lost and another doubled",
            """
            -- drydock: rewrites t.id
            CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);
            INSERT INTO u(a, b) SELECT a, b FROM t WHERE id > 1; INSERT INTO u(a, b) SELECT a, b FROM t WHERE id = 2;
            DROP TABLE t
            """, schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "declared new keys, beside rows that were there",
            """
            -- drydock: rewrites t.id
            -- drydock: inserts into u
            INSERT INTO u(a, b) SELECT a, b FROM t; DROP TABLE t
            """, schema: schema + "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: rows + "INSERT INTO u VALUES (7, 'x', 10)", notes: [.tableDropped]),
        RuleCase(
            "declared new keys, and an equal row that was there before",
            """
            -- drydock: rewrites t.id
            -- drydock: inserts into u
            INSERT INTO u(a, b) SELECT a, b FROM t WHERE id > 1; DROP TABLE t
            """, schema: schema + "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: rows + "INSERT INTO u VALUES (7, 'x', 10)", errors: [.tableDropped]),
        RuleCase(
            "a table that was filled from one that stays",
            "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO u(a) SELECT DISTINCT a FROM t ORDER BY a DESC",
            "DROP TABLE u", schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "declared new keys, and another column that may go",
            "-- drydock: rewrites t.id\n-- drydock: drops column t.b\nCREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO u(a) SELECT a FROM t; DROP TABLE t",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "declared new keys, and rows of a table that stays in place of its own",
            """
            -- drydock: rewrites t.id
            CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO u(a, b) SELECT a, b FROM other;
            INSERT INTO u(a, b) SELECT a, b FROM t WHERE id > 1; DROP TABLE t
            """, schema: schema + "CREATE TABLE other(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: rows + "INSERT INTO other VALUES (7, 'x', 10)", errors: [.tableDropped]),
        RuleCase(
            "declared new keys, and a row written out in place of its own",
            """
            -- drydock: rewrites t.id
            CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO u(a, b) VALUES ('x', 10), ('y', 1);
            INSERT INTO u(a, b) SELECT a, b FROM t WHERE id > 1; DROP TABLE t
            """, schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "declared new values of a key that the new table does not have",
            "-- drydock: rewrites t.name\nCREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO u(a) SELECT a FROM t; DROP TABLE t",
            schema: "CREATE TABLE t(name TEXT PRIMARY KEY, a TEXT);",
            rows: "INSERT INTO t VALUES ('p', 'x'), ('q', 'y')", errors: [.tableDropped]),
        RuleCase(
            "two tables into one with declared new keys",
            """
            -- drydock: rewrites t.id
            -- drydock: rewrites t2.id
            CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);
            INSERT INTO u(a, b) SELECT a, b FROM t; INSERT INTO u(a, b) SELECT a, b FROM t2;
            DROP TABLE t; DROP TABLE t2
            """, schema: schema + "CREATE TABLE t2(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: rows + "INSERT INTO t2 VALUES (1,'x',10),(4,'w',1)", notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "two tables into one with declared new keys, of two equal rows one",
            """
            -- drydock: rewrites t.id
            -- drydock: rewrites t2.id
            CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);
            INSERT INTO u(a, b) SELECT a, b FROM t UNION SELECT a, b FROM t2;
            DROP TABLE t; DROP TABLE t2
            """, schema: schema + "CREATE TABLE t2(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: rows + "INSERT INTO t2 VALUES (1,'x',10),(4,'w',1)", errors: [.tableDropped],
            notes: [.tableDropped]),
        RuleCase(
            "to another table, with a column looked up",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO kind(name) SELECT DISTINCT a FROM t;
            CREATE TABLE u(id INTEGER PRIMARY KEY, kind_id INTEGER REFERENCES kind(id), b INTEGER);
            INSERT INTO u SELECT id, (SELECT id FROM kind WHERE name = t.a), b FROM t; DROP TABLE t
            """, schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: "INSERT INTO t VALUES (1,'x',10),(2,'y',20),(3,'x',30)", notes: [.tableDropped]),
        RuleCase(
            "without a key, to another table, with a column looked up",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO kind(name) SELECT DISTINCT a FROM t;
            CREATE TABLE u(kind_id INTEGER REFERENCES kind(id), b INTEGER);
            INSERT INTO u SELECT (SELECT id FROM kind WHERE name = t.a), b FROM t; DROP TABLE t
            """, schema: "CREATE TABLE t(a TEXT, b INTEGER);",
            rows: "INSERT INTO t VALUES ('x',10),('y',20),('x',30)", notes: [.tableDropped]),
        RuleCase(
            "two to one, each with what the other looked up",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            INSERT INTO kind(name) SELECT a FROM p UNION SELECT a FROM q;
            CREATE TABLE u(origin TEXT, id INTEGER, b TEXT, kind_id INTEGER REFERENCES kind(id));
            INSERT INTO u SELECT 'p', id, b, (SELECT id FROM kind WHERE name = (SELECT a FROM q WHERE q.id = p.id)) FROM p;
            INSERT INTO u SELECT 'q', id, b, (SELECT id FROM kind WHERE name = (SELECT a FROM p WHERE q.id = p.id)) FROM q;
            DROP TABLE p; DROP TABLE q
            """,
            schema:
                "CREATE TABLE p(id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE TABLE q(id INTEGER PRIMARY KEY, a TEXT, b TEXT);",
            rows:
                "INSERT INTO p VALUES (1,'x','ann'),(2,'y','bob'); INSERT INTO q VALUES (1,'v','cy'),(2,'w','dan')",
            errors: [.tableDropped, .tableDropped]),
        RuleCase(
            "two tables change places",
            "CREATE TABLE p2 AS SELECT * FROM q; CREATE TABLE q2 AS SELECT * FROM p; DROP TABLE p; DROP TABLE q; ALTER TABLE p2 RENAME TO p; ALTER TABLE q2 RENAME TO q",
            schema: alike, rows: alikeRows, errors: [.tableDropped, .tableDropped]),
        RuleCase(
            "two tables change places, and are renamed a file later",
            "CREATE TABLE p2 AS SELECT * FROM q; CREATE TABLE q2 AS SELECT * FROM p; DROP TABLE p; DROP TABLE q",
            "ALTER TABLE p2 RENAME TO p; ALTER TABLE q2 RENAME TO q",
            schema: alike, rows: alikeRows, errors: [.tableDropped, .tableDropped]),
        RuleCase(
            "two tables change places, and another one's rows may go",
            "CREATE TABLE p2 AS SELECT * FROM q; CREATE TABLE q2 AS SELECT * FROM p; DROP TABLE p; DROP TABLE q",
            "-- drydock: deletes from r\nDELETE FROM r; ALTER TABLE p2 RENAME TO p; ALTER TABLE q2 RENAME TO q",
            schema: alike + "CREATE TABLE r(a);", rows: alikeRows + "; INSERT INTO r VALUES (1)",
            errors: [.tableDropped, .tableDropped]),
        RuleCase(
            "two tables change places, and are renamed a file later, declared",
            "CREATE TABLE p2 AS SELECT * FROM q; CREATE TABLE q2 AS SELECT * FROM p; DROP TABLE p; DROP TABLE q",
            "-- drydock: renames table p to q\n-- drydock: renames table q to p\nALTER TABLE p2 RENAME TO p; ALTER TABLE q2 RENAME TO q",
            schema: alike, rows: alikeRows, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "a table goes as declared, and another one's rows get its name a file later",
            "-- drydock: drops table p\nCREATE TABLE p2 AS SELECT * FROM q; CREATE TABLE q2 AS SELECT * FROM p; DROP TABLE p; DROP TABLE q",
            "-- drydock: renames table q to p\nALTER TABLE p2 RENAME TO p; ALTER TABLE q2 RENAME TO q",
            schema: alike, rows: alikeRows, notes: [.tableDropped]),
        RuleCase(
            "an empty table and another change places",
            "CREATE TABLE p2 AS SELECT * FROM q; CREATE TABLE q2 AS SELECT * FROM p; DROP TABLE p; DROP TABLE q; ALTER TABLE p2 RENAME TO p; ALTER TABLE q2 RENAME TO q",
            schema: alike, rows: "INSERT INTO q VALUES ('x', 1)", errors: [.tableDropped],
            warnings: [.rowsAdded]),
        RuleCase(
            "a table goes to an empty one, and its name to a third",
            "CREATE TABLE p2 AS SELECT * FROM q; DROP TABLE p; DROP TABLE q; ALTER TABLE p2 RENAME TO p; CREATE TABLE q AS SELECT * FROM r",
            schema: alike + "CREATE TABLE r(a, b);",
            rows: "INSERT INTO q VALUES ('x', 1); INSERT INTO r VALUES ('w', 4)", warnings: [.rowsAdded],
            notes: [.tableDropped]),
        RuleCase(
            "three tables change places",
            "CREATE TABLE p2 AS SELECT * FROM q; CREATE TABLE q2 AS SELECT * FROM r; CREATE TABLE r2 AS SELECT * FROM p; DROP TABLE p; DROP TABLE q; DROP TABLE r; ALTER TABLE p2 RENAME TO p; ALTER TABLE q2 RENAME TO q; ALTER TABLE r2 RENAME TO r",
            schema: alike + "CREATE TABLE r(a, b);", rows: alikeRows + "; INSERT INTO r VALUES ('w', 4)",
            errors: [.tableDropped, .tableDropped, .tableDropped]),
        RuleCase(
            "two tables change places, declared",
            "-- drydock: renames table p to q\n-- drydock: renames table q to p\nCREATE TABLE p2 AS SELECT * FROM q; CREATE TABLE q2 AS SELECT * FROM p; DROP TABLE p; DROP TABLE q; ALTER TABLE p2 RENAME TO p; ALTER TABLE q2 RENAME TO q",
            schema: alike, rows: alikeRows, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "compound, equal rows are kept once",
            "CREATE TABLE w AS SELECT * FROM p UNION SELECT * FROM q; DROP TABLE p; DROP TABLE q",
            schema: alike,
            rows: alikeRows, errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "compound, a row that the other has too is left out",
            "CREATE TABLE w(kind, b, a); INSERT INTO w SELECT 'p', b, a FROM p; INSERT INTO w SELECT 'q', b, a FROM q WHERE b <> 1; DROP TABLE p; DROP TABLE q",
            schema: alike, rows: alikeRows, errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "compound of three, equal rows are kept once",
            "CREATE TABLE w AS SELECT a FROM p UNION SELECT a FROM q UNION SELECT a FROM r; DROP TABLE p; DROP TABLE q; DROP TABLE r",
            schema: "CREATE TABLE p(a); CREATE TABLE q(a); CREATE TABLE r(a);",
            rows: "INSERT INTO p VALUES (1); INSERT INTO q VALUES (1); INSERT INTO r VALUES (1)",
            errors: [.tableDropped, .tableDropped], notes: [.tableDropped]),
        RuleCase(
            "compound, behind a table with other columns",
            "CREATE TABLE w(z, a, b); INSERT INTO w(z) SELECT z FROM n; INSERT INTO w(a, b) SELECT a, b FROM p UNION SELECT a, b FROM q; DROP TABLE n; DROP TABLE p; DROP TABLE q",
            schema: "CREATE TABLE n(z);" + alike, rows: "INSERT INTO n VALUES (5);" + alikeRows,
            errors: [.tableDropped], notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "compound, a table with one column less",
            "CREATE TABLE w(a, b); INSERT INTO w SELECT a, b FROM p; INSERT INTO w(a) SELECT a FROM n WHERE a <> 'x'; DROP TABLE n; DROP TABLE p",
            schema: "CREATE TABLE n(a); CREATE TABLE p(a, b);",
            rows: "INSERT INTO n VALUES ('x'), ('w'); INSERT INTO p VALUES ('x', 1), ('y', 2)",
            errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "compound, equal rows with NULL in a UNIQUE column",
            "CREATE TABLE w(a UNIQUE, b); INSERT INTO w SELECT a, b FROM p UNION SELECT a, b FROM q; DROP TABLE p; DROP TABLE q",
            schema: alike,
            rows: "INSERT INTO p VALUES (NULL, 1), ('x', 2); INSERT INTO q VALUES (NULL, 1), ('x', 2)",
            errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "compound in a table between",
            "CREATE TABLE s AS SELECT * FROM p UNION SELECT * FROM q; CREATE TABLE w AS SELECT * FROM s; DROP TABLE p; DROP TABLE q; DROP TABLE s",
            schema: alike, rows: alikeRows, errors: [.tableDropped], notes: [.tableDropped]),
        RuleCase(
            "into a table with a key and a new column that has the same row",
            "-- drydock: inserts into p\nALTER TABLE p ADD COLUMN b; INSERT INTO p(a, b) SELECT a, b FROM q EXCEPT SELECT a, b FROM p; DROP TABLE q",
            schema: "CREATE TABLE p(id INTEGER PRIMARY KEY, a); CREATE TABLE q(a, b);",
            rows: "INSERT INTO p(a) VALUES ('x'), ('y'); INSERT INTO q VALUES ('x', NULL), ('z', 3)",
            errors: [.tableDropped]),
        RuleCase(
            "into a table with a key of which rows may go",
            "-- drydock: inserts into p\n-- drydock: deletes from p where a = 'y'\nDELETE FROM p WHERE a = 'y'; INSERT INTO p(a, b) SELECT a, b FROM q WHERE b <> 1; DROP TABLE q",
            schema: "CREATE TABLE p(id INTEGER PRIMARY KEY, a, b); CREATE TABLE q(a, b);",
            rows: "INSERT INTO p(a, b) VALUES ('y', 2), ('x', 1); INSERT INTO q VALUES ('x', 1), ('z', 3)",
            errors: [.tableDropped]),
        RuleCase(
            "into a table with a key of which rows may go, and all",
            "-- drydock: inserts into p\n-- drydock: deletes from p where a = 'y'\nDELETE FROM p WHERE a = 'y'; INSERT INTO p(a, b) SELECT a, b FROM q; DROP TABLE q",
            schema: "CREATE TABLE p(id INTEGER PRIMARY KEY, a, b); CREATE TABLE q(a, b);",
            rows: "INSERT INTO p(a, b) VALUES ('y', 2), ('x', 1); INSERT INTO q VALUES ('x', 1), ('z', 3)",
            notes: [.tableDropped]),
        RuleCase(
            "into a table that has the same row",
            "-- drydock: inserts into p\nINSERT INTO p SELECT * FROM q WHERE b <> 1; DROP TABLE q",
            schema: alike,
            rows: alikeRows, errors: [.tableDropped]),
        RuleCase(
            "into a rebuilt table that has the same row",
            "-- drydock: inserts into p\nCREATE TABLE n(a, b, c); INSERT INTO n(a, b) SELECT * FROM p UNION SELECT * FROM q; DROP TABLE p; DROP TABLE q; ALTER TABLE n RENAME TO p",
            schema: alike, rows: alikeRows, errors: [.tableDropped]),
        RuleCase(
            "into a table with a key of its own that has the same row",
            "-- drydock: inserts into p\nINSERT INTO p(a, b) SELECT a, b FROM q WHERE b <> 1; DROP TABLE q",
            schema: "CREATE TABLE p(id INTEGER PRIMARY KEY, a, b); CREATE TABLE q(a, b);",
            rows: "INSERT INTO p(a, b) VALUES ('x', 1), ('y', 2); INSERT INTO q VALUES ('x', 1), ('z', 3)",
            errors: [.tableDropped]),
        RuleCase(
            "compound, equal rows and all",
            "CREATE TABLE w AS SELECT * FROM p UNION ALL SELECT * FROM q; DROP TABLE p; DROP TABLE q",
            schema: alike,
            rows: alikeRows, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "compound, the equal row is let go",
            "-- drydock: deletes from q where b = 1\nCREATE TABLE w AS SELECT * FROM p UNION SELECT * FROM q; DROP TABLE p; DROP TABLE q",
            schema: alike, rows: alikeRows, notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "into a table that has the same row, and all",
            "-- drydock: inserts into p\nINSERT INTO p SELECT * FROM q; DROP TABLE q", schema: alike,
            rows: alikeRows,
            notes: [.tableDropped]),
        RuleCase(
            "rows with the same key are one",
            "-- drydock: inserts into p\nINSERT OR IGNORE INTO p SELECT * FROM q; DROP TABLE q",
            schema: "CREATE TABLE p(id INTEGER PRIMARY KEY, a); CREATE TABLE q(id INTEGER PRIMARY KEY, a);",
            rows: "INSERT INTO p VALUES (1, 'x'), (2, 'y'); INSERT INTO q VALUES (1, 'x'), (3, 'z')",
            notes: [.tableDropped]),
        RuleCase(
            "rows with the same value of a UNIQUE column are one",
            "-- drydock: inserts into p\nINSERT OR IGNORE INTO p SELECT * FROM q; DROP TABLE q",
            schema: "CREATE TABLE p(a UNIQUE, b); CREATE TABLE q(a, b);", rows: alikeRows,
            notes: [.tableDropped]),
        RuleCase(
            "a backup of an earlier step holds no rows of its own",
            "CREATE TABLE w AS SELECT * FROM p; DROP TABLE p; DROP TABLE bak",
            schema: "CREATE TABLE p(a, b); CREATE TABLE bak AS SELECT * FROM p;",
            rows: "INSERT INTO p VALUES ('x', 1); INSERT INTO bak SELECT * FROM p",
            notes: [.tableDropped, .tableDropped]),
        RuleCase(
            "equal ids, and a table without other values",
            "INSERT INTO u SELECT count(*) + 9 FROM t; DROP TABLE t",
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);CREATE TABLE u(id INTEGER PRIMARY KEY);",
            rows: "INSERT INTO t(id) VALUES (1), (2); INSERT INTO u VALUES (1), (2)", errors: [.tableDropped],
            warnings: [.rowsAdded]),
        RuleCase(
            "unrelated table with the same rows", "DROP TABLE t",
            schema:
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);CREATE TABLE t2(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: "INSERT INTO t VALUES (1,'x',10),(2,NULL,20),(3,'z',30);INSERT INTO t2 SELECT * FROM t",
            errors: [.tableDropped]),
        RuleCase(
            "a copy that swaps two columns, split over files",
            "CREATE TABLE _t(id INTEGER PRIMARY KEY, a, b); INSERT INTO _t SELECT id, b, a FROM t",
            "DROP TABLE t", "ALTER TABLE _t RENAME TO t", schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "two tables that swap their names, one of them rebuilt",
            """
            CREATE TABLE _n(k TEXT PRIMARY KEY); INSERT INTO _n SELECT k FROM n; DROP TABLE n; ALTER TABLE _n RENAME TO n;
            ALTER TABLE n RENAME TO swapped; ALTER TABLE t RENAME TO n; ALTER TABLE swapped RENAME TO t
            """, schema: schema + "CREATE TABLE n(k TEXT);", rows: rows + "INSERT INTO n VALUES ('k')"),
        RuleCase(
            "two tables that swap their names, both rebuilt",
            """
            ALTER TABLE n RENAME TO swapped; ALTER TABLE t RENAME TO n; ALTER TABLE swapped RENAME TO t;
            CREATE TABLE _n(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO _n SELECT * FROM n; DROP TABLE n;
            ALTER TABLE _n RENAME TO n; CREATE TABLE _t(k TEXT PRIMARY KEY); INSERT INTO _t SELECT k FROM t; DROP TABLE t;
            ALTER TABLE _t RENAME TO t
            """, schema: schema + "CREATE TABLE n(k TEXT);", rows: rows + "INSERT INTO n VALUES ('k')"),
        RuleCase(
            "two tables that swap their names, both rebuilt, one a row short",
            """
            ALTER TABLE n RENAME TO swapped; ALTER TABLE t RENAME TO n; ALTER TABLE swapped RENAME TO t;
            CREATE TABLE _n(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO _n SELECT * FROM n WHERE id < 3; DROP TABLE n;
            ALTER TABLE _n RENAME TO n; CREATE TABLE _t(k TEXT PRIMARY KEY); INSERT INTO _t SELECT k FROM t; DROP TABLE t;
            ALTER TABLE _t RENAME TO t
            """, schema: schema + "CREATE TABLE n(k TEXT);", rows: rows + "INSERT INTO n VALUES ('k')",
            errors: [.rowsLost]),
        RuleCase(
            "two tables that swap their names, both rebuilt, one changed",
            """
            ALTER TABLE n RENAME TO swapped; ALTER TABLE t RENAME TO n; ALTER TABLE swapped RENAME TO t;
            CREATE TABLE _n(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO _n SELECT id, a, b + 1 FROM n; DROP TABLE n;
            ALTER TABLE _n RENAME TO n; CREATE TABLE _t(k TEXT PRIMARY KEY); INSERT INTO _t SELECT k FROM t; DROP TABLE t;
            ALTER TABLE _t RENAME TO t
            """, schema: schema + "CREATE TABLE n(k TEXT);", rows: rows + "INSERT INTO n VALUES ('k')",
            errors: [.valuesChanged]),
        RuleCase(
            "a table that swaps its name with a copy of another",
            """
            CREATE TABLE tmp(k TEXT); INSERT INTO tmp SELECT k FROM n;
            ALTER TABLE t RENAME TO swapped; ALTER TABLE tmp RENAME TO t; ALTER TABLE swapped RENAME TO tmp
            """, schema: schema + "CREATE TABLE n(k TEXT);", rows: rows + "INSERT INTO n VALUES ('k')",
            notes: [.tableDropped]),
        RuleCase(
            "a table that swaps its name with a copy of another, and loses a row",
            """
            CREATE TABLE tmp(k TEXT); INSERT INTO tmp SELECT k FROM n;
            ALTER TABLE t RENAME TO swapped; ALTER TABLE tmp RENAME TO t; ALTER TABLE swapped RENAME TO tmp;
            DELETE FROM tmp WHERE id = 2
            """, schema: schema + "CREATE TABLE n(k TEXT);", rows: rows + "INSERT INTO n VALUES ('k')",
            errors: [.rowsLost], notes: [.tableDropped]),
        RuleCase(
            "a table that swaps its name with a rebuilt self that is a row short",
            """
            CREATE TABLE tmp(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO tmp SELECT * FROM t WHERE id < 3;
            ALTER TABLE t RENAME TO swapped; ALTER TABLE tmp RENAME TO t; ALTER TABLE swapped RENAME TO tmp
            """, schema: schema, rows: rows, errors: [.rowsLost]),
        RuleCase(
            "a table that swaps its name with one that nothing filled",
            """
            CREATE TABLE tmp(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);
            ALTER TABLE t RENAME TO swapped; ALTER TABLE tmp RENAME TO t; ALTER TABLE swapped RENAME TO tmp
            """, schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "a backup is kept, and the table filled from another",
            """
            ALTER TABLE t RENAME TO t_old; CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);
            INSERT INTO t SELECT * FROM n
            """, schema: schema + "CREATE TABLE n(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            rows: rows + "INSERT INTO n VALUES (9, 'k', 1)", notes: [.tableDropped]),
        RuleCase(
            "split in two by a condition",
            """
            CREATE TABLE t0(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); CREATE TABLE t1(i INTEGER PRIMARY KEY, "The A" TEXT, c);
            INSERT INTO t0 SELECT * FROM t WHERE id < 2; INSERT INTO t1 SELECT * FROM t WHERE id >= 2; DROP TABLE t
            """, schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "split in two by a condition that is NULL for a row",
            """
            CREATE TABLE t0 AS SELECT * FROM t WHERE a = 'x'; CREATE TABLE t1 AS SELECT * FROM t WHERE a <> 'x';
            DROP TABLE t
            """, schema: schema, rows: rows + ";INSERT INTO t VALUES (77, NULL, 1)", errors: [.tableDropped]),
        RuleCase(
            "split in two by a condition, over files", "CREATE TABLE t0 AS SELECT * FROM t WHERE id < 2",
            "CREATE TABLE t1 AS SELECT * FROM t WHERE id >= 2", "DROP TABLE t", schema: schema, rows: rows,
            notes: [.tableDropped]),
        RuleCase(
            "split in two, and a value is changed in one",
            """
            CREATE TABLE t0 AS SELECT * FROM t WHERE id < 2; CREATE TABLE t1 AS SELECT * FROM t WHERE id >= 2;
            UPDATE t1 SET a = a || '!'; DROP TABLE t
            """, schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "split in two, and a column is left out of one",
            """
            CREATE TABLE t0 AS SELECT * FROM t WHERE id < 2; CREATE TABLE t1 AS SELECT id, a FROM t WHERE id >= 2;
            DROP TABLE t
            """, schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "split in two but for rows that may go",
            """
            -- drydock: deletes from t where id = 2
            CREATE TABLE t0 AS SELECT * FROM t WHERE id < 2; CREATE TABLE t1 AS SELECT * FROM t WHERE id > 2;
            DROP TABLE t
            """, schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "rows without a key, split in three",
            """
            CREATE TABLE a AS SELECT * FROM n WHERE k = 'x'; CREATE TABLE b AS SELECT * FROM n WHERE k = 'y';
            CREATE TABLE c AS SELECT * FROM n WHERE k IS NULL; DROP TABLE n
            """, schema: "CREATE TABLE n(k COLLATE NOCASE, v);",
            rows: "INSERT INTO n VALUES ('x', 1), ('x', 1), ('y', 1.0), (NULL, x'00')", notes: [.tableDropped]
        ),
        RuleCase(
            "rows without a key, split in two, one of two equal rows lost",
            """
            CREATE TABLE a AS SELECT DISTINCT * FROM n WHERE k = 'x'; CREATE TABLE b AS SELECT * FROM n WHERE k = 'y';
            DROP TABLE n
            """, schema: "CREATE TABLE n(k, v);",
            rows: "INSERT INTO n VALUES ('x', 1), ('x', 1), ('y', 1)", errors: [.tableDropped]),
        RuleCase(
            "split in two, where an affinity changes a value",
            """
            CREATE TABLE a(k, v REAL); CREATE TABLE b(k, v); INSERT INTO a SELECT * FROM n WHERE k = 'x';
            INSERT INTO b SELECT * FROM n WHERE k = 'y'; DROP TABLE n
            """, schema: "CREATE TABLE n(k, v);", rows: "INSERT INTO n VALUES ('x', 1), ('y', 2)",
            errors: [.tableDropped]),
        RuleCase(
            "a generated column copied to another table",
            "CREATE TABLE s(id INTEGER PRIMARY KEY, total INT); INSERT INTO s SELECT id, t FROM g; ALTER TABLE g DROP COLUMN t",
            schema: generated, rows: computed, notes: [.columnDropped]),
        RuleCase(
            "a generated column copied to another table, its source dropped",
            "-- drydock: drops column g.q\nCREATE TABLE s(id INTEGER PRIMARY KEY, total INT); INSERT INTO s SELECT id, t FROM g; ALTER TABLE g DROP COLUMN t; ALTER TABLE g DROP COLUMN q",
            schema: generated, rows: computed, notes: [.columnDropped]),
        RuleCase(
            "a generated column brought to another table by UPDATE",
            "-- drydock: drops column g.q\nALTER TABLE k ADD COLUMN v INT; UPDATE k SET v = (SELECT t FROM g WHERE g.id = k.g); ALTER TABLE g DROP COLUMN t; ALTER TABLE g DROP COLUMN q",
            schema: generated + "CREATE TABLE k(id INTEGER PRIMARY KEY, g INT);",
            rows: computed + ";INSERT INTO k SELECT id + 5, id FROM g", notes: [.columnDropped]),
        RuleCase(
            "a generated column brought to another table by UPDATE, a value changed",
            "-- drydock: drops column g.q\nALTER TABLE k ADD COLUMN v INT; UPDATE k SET v = (SELECT t FROM g WHERE g.id = k.g); UPDATE k SET v = 1 WHERE g = 2; ALTER TABLE g DROP COLUMN t; ALTER TABLE g DROP COLUMN q",
            schema: generated + "CREATE TABLE k(id INTEGER PRIMARY KEY, g INT);",
            rows: computed + ";INSERT INTO k SELECT id + 5, id FROM g", errors: [.columnDropped]),
        RuleCase(
            "a column brought to one of another name by UPDATE FROM",
            "UPDATE k SET v = x.b FROM t AS x WHERE x.id = k.tid; ALTER TABLE t DROP COLUMN b",
            schema: schema + "CREATE TABLE k(tid INTEGER PRIMARY KEY, v INT);",
            rows: rows + "INSERT INTO k(tid) SELECT id FROM t", errors: [.valuesChanged],
            notes: [.columnDropped]),
        RuleCase(
            "a generated column dropped beside an UPDATE of another",
            "UPDATE k SET v = 0 WHERE g IN (SELECT id FROM g WHERE t > 0); ALTER TABLE g DROP COLUMN t",
            schema: generated + "CREATE TABLE k(id INTEGER PRIMARY KEY, g INT, v INT DEFAULT 0);",
            rows: computed + ";INSERT INTO k(id, g) SELECT id + 5, id FROM g", warnings: [.columnDropped]),
        RuleCase(
            "two columns merged into a new one",
            merge + "ALTER TABLE m DROP COLUMN p; ALTER TABLE m DROP COLUMN q",
            schema: merged, rows: apart, notes: [.columnDropped, .columnDropped]),
        RuleCase(
            "two columns merged in a rebuild",
            "CREATE TABLE x(id INTEGER PRIMARY KEY, k); INSERT INTO x SELECT id, coalesce(q, p) FROM m; DROP TABLE m; ALTER TABLE x RENAME TO m",
            schema: merged, rows: apart, notes: [.columnDropped, .columnDropped]),
        RuleCase(
            "three columns merged",
            "CREATE TABLE x AS SELECT id, coalesce(p, q, r) AS k FROM m; DROP TABLE m; ALTER TABLE x RENAME TO m",
            schema: "CREATE TABLE m(id INTEGER PRIMARY KEY, p, q, r);",
            rows: "INSERT INTO m VALUES (1, 'x', NULL, NULL), (2, NULL, 'y', NULL), (3, NULL, NULL, 'z')",
            warnings: [.constraintLost], notes: [.columnDropped, .columnDropped, .columnDropped]),
        RuleCase(
            "two columns merged, one value lost",
            merge + "ALTER TABLE m DROP COLUMN p; ALTER TABLE m DROP COLUMN q", schema: merged,
            rows: apart + "; INSERT INTO m VALUES (4, 'a', 'b')", errors: [.columnDropped, .valuesChanged],
            notes: [.columnDropped]),
        RuleCase(
            "two columns merged over files", merge,
            "ALTER TABLE m DROP COLUMN p; ALTER TABLE m DROP COLUMN q",
            schema: merged, rows: apart, notes: [.columnDropped, .columnDropped]),
        RuleCase(
            "a column whose NULLs are filled with a constant is no merge",
            "ALTER TABLE m ADD COLUMN k; UPDATE m SET k = coalesce(p, 'none'); ALTER TABLE m DROP COLUMN p",
            schema: merged, rows: apart, errors: [.valuesChanged], notes: [.columnDropped]),
        RuleCase(
            "a column that a copy renames by its position, split over files",
            "CREATE TABLE _n(id2 REAL, k TEXT); INSERT INTO _n SELECT * FROM n",
            "DROP TABLE n; ALTER TABLE _n RENAME TO n",
            schema: "CREATE TABLE n(size REAL, k TEXT);",
            rows: "INSERT INTO n VALUES (1.5, 'a'), (NULL, 'b'), (2.5, 'b')", notes: [.columnDropped]),
        RuleCase(
            "a column that a copy renames by its position, and a value is changed in between",
            "CREATE TABLE _n(id2 REAL, k TEXT); INSERT INTO _n SELECT * FROM n",
            "UPDATE _n SET id2 = 9.5 WHERE id2 = 1.5", "DROP TABLE n; ALTER TABLE _n RENAME TO n",
            schema: "CREATE TABLE n(size REAL, k TEXT);",
            rows: "INSERT INTO n VALUES (1.5, 'a'), (NULL, 'b'), (2.5, 'b')",
            errors: [.valuesChanged, .columnDropped]),
        RuleCase(
            "a column that no statement says was copied, though another has its values",
            "ALTER TABLE t DROP COLUMN a", schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, c TEXT);",
            rows: "INSERT INTO t VALUES (1, 'x', 'x')", errors: [.columnDropped]),
        RuleCase(
            "a column that moves to another table with half of its row's key",
            "CREATE TABLE side(of, content); INSERT INTO side SELECT x, c FROM n WHERE c IS NOT NULL; ALTER TABLE n DROP COLUMN c",
            schema: "CREATE TABLE n(x, y, c, PRIMARY KEY (x, y)) WITHOUT ROWID;",
            rows: "INSERT INTO n VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 1, NULL), (3, 2, NULL)",
            notes: [.columnDropped]),
        RuleCase(
            "a column that moves to another table with half of a key that two rows share",
            "CREATE TABLE side(of, content); INSERT INTO side SELECT x, c FROM n WHERE c IS NOT NULL; ALTER TABLE n DROP COLUMN c",
            schema: "CREATE TABLE n(x, y, c, PRIMARY KEY (x, y)) WITHOUT ROWID;",
            rows: "INSERT INTO n VALUES (1, 1, 'a'), (1, 2, 'b')", errors: [.columnDropped]),
        RuleCase(
            "a column that moves to another table with half of its row's key, and one value differs",
            "CREATE TABLE side(of, content); INSERT INTO side SELECT x, c FROM n; UPDATE side SET content = 'z' WHERE of = 2; ALTER TABLE n DROP COLUMN c",
            schema: "CREATE TABLE n(x, y, c, PRIMARY KEY (x, y)) WITHOUT ROWID;",
            rows: "INSERT INTO n VALUES (1, 1, 'a'), (2, 1, 'b')", errors: [.columnDropped]),
        RuleCase(
            "a generated column's values move to another table, and its source is dropped",
            "CREATE TABLE side(of, content); INSERT INTO side SELECT id, g FROM n; ALTER TABLE n DROP COLUMN g; ALTER TABLE n DROP COLUMN a",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, a, g AS (a || 'x'));",
            rows: "INSERT INTO n(id, a) VALUES (1, 'a'), (2, 'b')", errors: [.columnDropped],
            notes: [.columnDropped]),
        RuleCase(
            "a generated column's values move to another table, and its source as declared",
            "-- drydock: drops column n.a\nCREATE TABLE side(of, content); INSERT INTO side SELECT id, g FROM n; ALTER TABLE n DROP COLUMN g; ALTER TABLE n DROP COLUMN a",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, a, g AS (a || 'x') STORED);",
            rows: "INSERT INTO n(id, a) VALUES (1, 'a'), (2, 'b')", notes: [.columnDropped]),
        RuleCase(
            "a generated column's values move to another table with the wrong rows",
            "-- drydock: drops column n.a\nCREATE TABLE side(of, content); INSERT INTO side SELECT 3 - id, g FROM n; ALTER TABLE n DROP COLUMN g; ALTER TABLE n DROP COLUMN a",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, a, g AS (a || 'x'));",
            rows: "INSERT INTO n(id, a) VALUES (1, 'a'), (2, 'b')", errors: [.columnDropped]),
        RuleCase(
            "a generated column's values move to another table, one value short",
            "-- drydock: drops column n.a\nCREATE TABLE side(of, content); INSERT INTO side SELECT id, g FROM n WHERE id = 1; ALTER TABLE n DROP COLUMN g; ALTER TABLE n DROP COLUMN a",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, a, g AS (a || 'x'));",
            rows: "INSERT INTO n(id, a) VALUES (1, 'a'), (2, 'b')", errors: [.columnDropped]),
        RuleCase(
            "a table that is split in two",
            "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE v(id INTEGER PRIMARY KEY, b INTEGER); INSERT INTO u SELECT id, a FROM t; INSERT INTO v SELECT id, b FROM t; DROP TABLE t",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "a table that is split in two, and a value is lost",
            "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE v(id INTEGER PRIMARY KEY, b INTEGER); INSERT INTO u SELECT id, a FROM t; INSERT INTO v SELECT id, b FROM t WHERE id <> 3; DROP TABLE t",
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "two tables that swap their names, and a row that is lost",
            """
            CREATE TABLE _n(k TEXT PRIMARY KEY); DROP TABLE n; ALTER TABLE _n RENAME TO n;
            ALTER TABLE n RENAME TO swapped; ALTER TABLE t RENAME TO n; ALTER TABLE swapped RENAME TO t
            """, schema: schema + "CREATE TABLE n(k TEXT);", rows: rows + "INSERT INTO n VALUES ('k')",
            errors: [.rowsLost]),
        RuleCase(
            "a copy of generated values", "CREATE TABLE n_copy AS SELECT a, g FROM n", "DROP TABLE n_copy",
            schema: "CREATE TABLE n(a, g INT AS (a + 1));", rows: "INSERT INTO n(a) VALUES (1), (2)",
            notes: [.tableDropped]),
        RuleCase(
            "multiset", "CREATE TABLE w AS SELECT DISTINCT * FROM n; DROP TABLE n",
            schema: "CREATE TABLE n(a,b);", rows: "INSERT INTO n VALUES (1,2),(1,2)", errors: [.tableDropped]),
        RuleCase(
            "multiset ok", "CREATE TABLE w AS SELECT * FROM n; DROP TABLE n", schema: "CREATE TABLE n(a,b);",
            rows: "INSERT INTO n VALUES (1,2),(1,2)", notes: [.tableDropped]),
        RuleCase(
            "moved column by key",
            "CREATE TABLE p(tid INTEGER PRIMARY KEY, bio TEXT); INSERT INTO p SELECT id, a FROM t WHERE a IS NOT NULL; ALTER TABLE t DROP COLUMN a",
            schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "moved column wrong rows",
            "CREATE TABLE p(tid INTEGER PRIMARY KEY, bio TEXT); INSERT INTO p SELECT id+1, a FROM t WHERE a IS NOT NULL; ALTER TABLE t DROP COLUMN a",
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "moved column by update",
            "UPDATE p SET a=(SELECT a FROM t WHERE t.id=p.tid); ALTER TABLE t DROP COLUMN a",
            schema:
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);CREATE TABLE p(pid INTEGER PRIMARY KEY, tid, a TEXT);",
            rows:
                "INSERT INTO t VALUES (1,'x',10),(2,NULL,20),(3,'z',30);INSERT INTO p(pid,tid) VALUES(11,1),(12,2),(13,3)",
            errors: [.valuesChanged], notes: [.columnDropped]),
        RuleCase(
            "split over files", "CREATE TABLE _t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            "INSERT INTO _t SELECT * FROM t", "DROP TABLE t", "ALTER TABLE _t RENAME TO t", schema: schema,
            rows: rows, notes: [.tableDropped, .rowsAdded]),
        RuleCase(
            "split over files, lost", "CREATE TABLE _t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            "INSERT INTO _t SELECT * FROM t WHERE id>1", "DROP TABLE t", "ALTER TABLE _t RENAME TO t",
            schema: schema, rows: rows, errors: [.tableDropped], notes: [.rowsAdded]),
        RuleCase(
            "split over files, lost between", "CREATE TABLE _t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            "INSERT INTO _t SELECT * FROM t", "DELETE FROM _t WHERE id=1", "DROP TABLE t",
            "ALTER TABLE _t RENAME TO t", schema: schema, rows: rows, errors: [.tableDropped, .rowsLost],
            notes: [.rowsAdded]),
        RuleCase(
            "split over files, column missing",
            "CREATE TABLE _t(id INTEGER PRIMARY KEY,b); INSERT INTO _t SELECT id,b FROM t", "DROP TABLE t",
            "ALTER TABLE _t RENAME TO t", schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "split over files, column missing declared",
            "CREATE TABLE _t(id INTEGER PRIMARY KEY,b); INSERT INTO _t SELECT id,b FROM t",
            "-- drydock: drops column t.a\nDROP TABLE t", "ALTER TABLE _t RENAME TO t", schema: schema,
            rows: rows, notes: [.tableDropped]),
        RuleCase(
            "backup dropped later", "CREATE TABLE bak AS SELECT * FROM t", "DROP TABLE bak", schema: schema,
            rows: rows, notes: [.tableDropped]),
        RuleCase(
            "backup restored wrong", "CREATE TABLE bak AS SELECT * FROM t", "DELETE FROM t WHERE id=2",
            "DROP TABLE bak", schema: schema, rows: rows, errors: [.tableDropped, .rowsLost]),
        RuleCase(
            "renamed over files", "CREATE TABLE _t AS SELECT id AS i, a AS x, b AS y FROM t", "DROP TABLE t",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "trigger moved",
            "CREATE TABLE w(id INTEGER PRIMARY KEY,a,b); CREATE TRIGGER tr AFTER UPDATE ON t BEGIN INSERT INTO w VALUES(new.id,new.a,new.b); END; UPDATE t SET a=a; DROP TABLE t;",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "view moved",
            "CREATE TEMP VIEW v AS SELECT * FROM t; CREATE TABLE w(id INTEGER PRIMARY KEY,a,b); INSERT INTO w SELECT * FROM v; DROP VIEW v; DROP TABLE t;",
            schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "another dropped column of a rebuild over several steps is not covered",
            "CREATE TABLE _t(id INTEGER PRIMARY KEY); INSERT INTO _t SELECT id FROM t",
            "-- drydock: drops column t.a\nDROP TABLE t", schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "a table that a statement only reads",
            "UPDATE t SET b = 0 WHERE id IN (SELECT id FROM star); DROP TABLE star",
            schema: schema + "CREATE TABLE star(id INTEGER PRIMARY KEY);",
            rows: rows + "INSERT INTO star VALUES (2), (3)", errors: [.tableDropped, .valuesChanged]),
        RuleCase(
            "a table that an INSERT only reads",
            "INSERT INTO t(b) SELECT 1 FROM other WHERE x NOT IN (SELECT id FROM star); DROP TABLE star",
            schema: schema + "CREATE TABLE star(id INTEGER PRIMARY KEY); CREATE TABLE other(x);",
            rows: rows + "INSERT INTO star VALUES (2), (3)", errors: [.tableDropped]),
        RuleCase(
            "a declaration allows the table to go wherever its rows are",
            "CREATE TABLE _t AS SELECT * FROM t", "-- drydock: drops table t\nDROP TABLE t", schema: schema,
            rows: rows),
        RuleCase(
            "a trigger that only deletes links no tables",
            "ALTER TABLE t RENAME TO s; ALTER TABLE n RENAME TO t; ALTER TABLE s RENAME TO n; CREATE TABLE w AS SELECT * FROM n; DROP TRIGGER g; DROP TABLE n",
            schema: schema
                + "CREATE TABLE n(k TEXT); CREATE TRIGGER g AFTER DELETE ON t BEGIN DELETE FROM n; END;",
            rows: rows + "INSERT INTO n VALUES ('k')", notes: [.tableDropped]),
    ])
    func moves(_ it: RuleCase) async throws { try await it.check() }

    /// The migrations that made the copy were applied before the snapshot was taken.
    @Test func rowsCopiedInAnEarlierReleaseAreFound() async throws {
        for (copy, severity) in [
            ("SELECT * FROM t", Finding.Severity.note), ("SELECT * FROM t WHERE id > 1", .error),
        ] {
            let scenario = Scenario(
                migrations: [
                    ("v1", Self.schema), ("v2", "CREATE TABLE u(id INTEGER PRIMARY KEY, x TEXT, y INTEGER)"),
                    ("v3", "INSERT INTO u \(copy)"), ("v4", "DROP TABLE t"),
                ], at: 3, rows: Self.rows + "INSERT INTO u \(copy)")
            let finding = try await scenario.verify().finding(.tableDropped)
            #expect(finding.severity == severity)
        }
    }

    /// Keys count from 1 in every table: equal keys prove nothing about the rows.
    @Test(arguments: [
        "INSERT INTO u(id) SELECT id + 10 FROM t; DROP TABLE t",
        "INSERT INTO u(id, x) SELECT id + 10, 'n' FROM t; DROP TABLE t",
        "INSERT INTO u(id) SELECT id FROM t WHERE id > 3; DROP TABLE t",
    ]) func equalIDsDoNotIdentifyRows(_ step: String) async throws {
        let finding = try await Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE u(id INTEGER PRIMARY KEY, x TEXT);",
            rows:
                "INSERT INTO t VALUES (1, 'p'), (2, 'q'), (3, 'r'); INSERT INTO u VALUES (1, 'k'), (2, 'l'), (3, 'm');",
            steps: step
        ).verify().finding(.tableDropped)
        #expect(finding.message == "table t is gone, with its 3 rows", "\(finding.message)")
    }

    @Test func missingPartsOfCopiedRowsAreReported() async throws {
        let finding = try await Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b TEXT);",
            rows: "INSERT INTO t VALUES (1, 'p', 'x'), (2, 'q', NULL);",
            steps: "CREATE TABLE u AS SELECT id, a FROM t; DROP TABLE t"
        ).verify().finding(.tableDropped)
        #expect(finding.message.hasSuffix("; u has them without column b with 1 value"), "\(finding.message)")
    }

    /// The proposed declaration lets the keys change, and no row go: with it, the migration passes.
    @Test func newKeysAreProposed() async throws {
        let copy =
            "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO u(a, b) SELECT a, b FROM t; DROP TABLE t"
        func verify(_ step: String) async throws -> Finding {
            try await Scenario(Self.schema, rows: Self.rows, steps: [step]).write().verify().finding(
                .tableDropped)
        }
        let finding = try await verify(copy)
        #expect(finding.help.contains("-- drydock: rewrites t.id") && !finding.help.contains("drops"))
        #expect(try await verify("-- drydock: rewrites t.id\n" + copy).severity == .note)
    }

    @Test func theNoteSaysWhereTheRowsAre() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows, steps: "CREATE TABLE u AS SELECT * FROM t;\nDROP TABLE t;"
        ).verify()
        let finding = try report.finding(.tableDropped)
        #expect(finding.message == "table t is gone; all its rows are in u")
        #expect(report.replays.first?.rowsCompared == 3)
        #expect(finding.place?.line == 2)
    }
}
