import Drydock
import Testing

@testable import DrydockTestSupport

/// Values that moved to a table which their rows now reference are not lost.
@Suite struct ColumnAccountTests {
    private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, kind TEXT, b INTEGER);"
    private static let rows = "INSERT INTO t VALUES (1,'x',10),(2,NULL,20),(3,'z',30),(4,'x',40);"
    private static let lookup = """
        CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        INSERT INTO kind(name) SELECT DISTINCT kind FROM t WHERE kind IS NOT NULL;

        """
    private static let column = """
        ALTER TABLE t ADD COLUMN kind_id INTEGER REFERENCES kind(id);
        UPDATE t SET kind_id = (SELECT id FROM kind WHERE name = t.kind);

        """
    private static let drop = "ALTER TABLE t DROP COLUMN kind"

    @Test(arguments: [
        RuleCase("by ALTER", lookup + column + drop, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "split over files", lookup, column, drop, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "a reference that is not declared",
            lookup
                + "ALTER TABLE t ADD COLUMN kind_id INTEGER; UPDATE t SET kind_id = (SELECT id FROM kind WHERE name = t.kind);"
                + drop, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "by a rebuild",
            lookup + """
                CREATE TABLE new(id INTEGER PRIMARY KEY, kind_id INTEGER REFERENCES kind, b INTEGER);
                INSERT INTO new SELECT t.id, kind.id, t.b FROM t LEFT JOIN kind ON kind.name = t.kind;
                DROP TABLE t; ALTER TABLE new RENAME TO t
                """, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "by a rebuild under another name",
            lookup + """
                CREATE TABLE u(id INTEGER PRIMARY KEY, kind_id INTEGER REFERENCES kind, b INTEGER);
                INSERT INTO u SELECT t.id, kind.id, t.b FROM t LEFT JOIN kind ON kind.name = t.kind; DROP TABLE t
                """, schema: schema, rows: rows, notes: [.tableDropped]),
        RuleCase(
            "by a rebuild under another name, with the wrong keys",
            lookup + """
                CREATE TABLE u(id INTEGER PRIMARY KEY, kind_id INTEGER REFERENCES kind, b INTEGER);
                INSERT INTO u SELECT t.id, 3 - kind.id, t.b FROM t LEFT JOIN kind ON kind.name = t.kind; DROP TABLE t
                """, schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "names that were written out",
            """
            CREATE TABLE "a kind"("the key" INTEGER PRIMARY KEY, "the ""name" TEXT);
            INSERT INTO "a kind" VALUES (7, 'x'), (9, 'z');
            ALTER TABLE t ADD COLUMN "k d" INTEGER REFERENCES "a kind"("the key");
            UPDATE t SET "k d" = CASE kind WHEN 'x' THEN 7 WHEN 'z' THEN 9 END;
            """ + drop, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "names that were written out, and a reference that is not declared",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT, colour TEXT);
            INSERT INTO kind VALUES (7, 'x', 'x'), (9, 'z', 'z');
            ALTER TABLE t ADD COLUMN kind_id INTEGER; UPDATE t SET kind_id = (SELECT id FROM kind WHERE name = t.kind);

            """ + drop, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "names whose column gets another name",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO kind VALUES (7, 'x'), (9, 'z');
            ALTER TABLE t ADD COLUMN kind_id INTEGER; UPDATE t SET kind_id = (SELECT id FROM kind WHERE name = t.kind);
            ALTER TABLE kind RENAME COLUMN name TO title;

            """ + drop, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "a table of names that was there before",
            """
            ALTER TABLE t ADD COLUMN kind_id INTEGER;
            UPDATE t SET kind_id = known.id FROM known WHERE known.name = t.kind;

            """ + drop,
            schema: schema + "CREATE TABLE known(id INTEGER PRIMARY KEY, name TEXT UNIQUE);",
            rows: rows + "INSERT INTO known VALUES (3, 'x'), (4, 'y'), (5, 'z')", notes: [.columnDropped]),
        RuleCase(
            "a table that links rows with names",
            lookup + """
                CREATE TABLE link(t_id INTEGER REFERENCES t(id), kind_id INTEGER REFERENCES kind(id), PRIMARY KEY (t_id, kind_id));
                INSERT INTO link SELECT t.id, kind.id FROM t JOIN kind ON kind.name = t.kind;

                """ + drop, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "a table that links rows with names, in a rebuild",
            lookup + """
                CREATE TABLE link(t_id INTEGER, kind_id INTEGER);
                INSERT INTO link(kind_id, t_id) SELECT (SELECT id FROM kind WHERE name = t.kind), id FROM t;
                CREATE TABLE new(id INTEGER PRIMARY KEY, b INTEGER); INSERT INTO new SELECT id, b FROM t;
                DROP TABLE t; ALTER TABLE new RENAME TO t
                """, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "a key of two columns",
            """
            CREATE TABLE kind(a, b, name TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
            INSERT INTO kind VALUES (1, 1, 'x'), (1, 2, 'z');
            CREATE TABLE new(id INTEGER PRIMARY KEY, b INTEGER, k1, k2, FOREIGN KEY (k1, k2) REFERENCES kind);
            INSERT INTO new SELECT id, b, 1, CASE kind WHEN 'x' THEN 1 WHEN 'z' THEN 2 END FROM t;
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "rows without a key", lookup + column + drop, schema: "CREATE TABLE t(kind TEXT, b INTEGER);",
            rows: "INSERT INTO t VALUES ('x',10),(NULL,20),('z',30),('x',10);", notes: [.columnDropped]),
        RuleCase(
            "a composite key without a rowid", lookup + column + drop,
            schema: "CREATE TABLE t(x, y, kind TEXT, PRIMARY KEY (y, x)) WITHOUT ROWID;",
            rows: "INSERT INTO t VALUES (1,1,'x'),(1,2,NULL),(2,1,'z'),(3,1,'x');", notes: [.columnDropped]),
        RuleCase(
            "a value with a NUL, a blob and a number",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name UNIQUE);
            INSERT INTO kind(name) SELECT DISTINCT kind FROM t WHERE kind IS NOT NULL;

            """ + column + drop, schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, kind);",
            rows:
                "INSERT INTO t VALUES (1,'x' || char(0) || 'y'),(2,x'00'),(3,1.5),(4,'x' || char(0) || 'z');",
            notes: [.columnDropped]),
        RuleCase(
            "rows that go as declared",
            "-- drydock: deletes from t where id = 1\nDELETE FROM t WHERE id = 1;"
                + lookup + column + drop, schema: schema, rows: rows, notes: [.columnDropped]),
        RuleCase(
            "two columns",
            lookup + column + """
                ALTER TABLE kind ADD COLUMN extra; UPDATE kind SET extra = (SELECT u FROM t WHERE t.kind_id = kind.id);
                ALTER TABLE t DROP COLUMN u;
                """ + drop, schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, kind TEXT, u TEXT);",
            rows: "INSERT INTO t VALUES (1,'x','X'),(2,NULL,NULL),(3,'z','Z'),(4,'x','X');",
            notes: [.columnDropped, .columnDropped]),
    ])
    func valuesFoundByReference(_ it: RuleCase) async throws { try await it.check() }

    @Test(arguments: [
        RuleCase(
            "references are swapped", lookup + column + "UPDATE t SET kind_id = 3 - kind_id;" + drop,
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "one reference is wrong", lookup + column + "UPDATE t SET kind_id = 1 WHERE id = 3;" + drop,
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "a row without its reference",
            lookup + column + "UPDATE t SET kind_id = NULL WHERE id = 4;" + drop,
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "references that nothing filled",
            lookup
                + "ALTER TABLE t ADD COLUMN kind_id INTEGER REFERENCES kind(id);" + drop, schema: schema,
            rows: rows, errors: [.columnDropped]),
        RuleCase(
            "a value was changed", lookup + column + "UPDATE kind SET name = 'y' WHERE name = 'z';" + drop,
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "the case of letters changed",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE);
            INSERT OR IGNORE INTO kind(name) SELECT kind FROM t WHERE kind IS NOT NULL;

            """ + column + drop, schema: schema,
            rows: "INSERT INTO t VALUES (1,'x',10),(2,'X',20);", errors: [.columnDropped]),
        RuleCase(
            "another storage class",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name INTEGER UNIQUE);
            INSERT INTO kind(name) SELECT DISTINCT kind FROM t;

            """ + column + drop, schema: schema,
            rows: "INSERT INTO t VALUES (1,'1',10),(2,'2',20);", errors: [.columnDropped]),
        RuleCase(
            "a key that leads to two",
            """
            CREATE TABLE kind(id INTEGER, name TEXT); INSERT INTO kind VALUES (1, 'x'), (1, 'z');
            ALTER TABLE t ADD COLUMN kind_id INTEGER; UPDATE t SET kind_id = (SELECT id FROM kind WHERE name = t.kind);

            """ + drop, schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "links that were there before",
            "INSERT OR IGNORE INTO link SELECT t.id, 1 FROM t WHERE t.kind = 'x';" + drop,
            schema: schema
                + "CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE link(t_id REFERENCES t(id), kind_id REFERENCES kind(id), PRIMARY KEY (t_id, kind_id));",
            rows:
                "INSERT INTO t VALUES (1,'x',10),(2,'z',20); INSERT INTO kind VALUES (1,'x'),(2,'z'); INSERT INTO link VALUES (1,1),(2,2);",
            errors: [.columnDropped]),
        RuleCase(
            "links of another table's rows with the same keys",
            lookup + """
                CREATE TABLE link(of_id INTEGER, kind_id INTEGER REFERENCES kind(id));
                INSERT INTO link SELECT u.id, kind.id FROM u JOIN kind ON kind.name = u.kind;
                INSERT INTO link SELECT t.id, kind.id FROM t JOIN kind ON kind.name = t.kind WHERE t.id > 2;

                """ + drop,
            schema: schema + "CREATE TABLE u(id INTEGER PRIMARY KEY, kind TEXT);",
            rows:
                "INSERT INTO t VALUES (1,'x',10),(2,'z',20),(3,'z',30); INSERT INTO u VALUES (1,'x'),(2,'z');",
            errors: [.columnDropped]),
        RuleCase(
            "references that were there before, and a condition that no row meets",
            "UPDATE t SET kind_id = 2 WHERE kind = 'none';" + drop,
            schema:
                "CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE t(id INTEGER PRIMARY KEY, kind TEXT, kind_id REFERENCES kind);",
            rows: "INSERT INTO kind VALUES (1, 'x'), (2, 'z'); INSERT INTO t VALUES (1, 'x', 1), (2, 'z', 2)",
            errors: [.columnDropped]),
        RuleCase(
            "one reference does not pay for two columns",
            """
            CREATE TABLE name(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO name(name) SELECT DISTINCT bill FROM t;
            CREATE TABLE new(id INTEGER PRIMARY KEY, bill_id INTEGER);
            INSERT INTO new SELECT t.id, name.id FROM t JOIN name ON name.name = t.bill WHERE t.ship IS NOT NULL;
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """, schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, bill TEXT, ship TEXT);",
            rows: "INSERT INTO t VALUES (1, 'a', 'a'), (2, 'b', 'b'), (3, 'a', 'a')",
            errors: [.columnDropped], notes: [.columnDropped]),
        RuleCase(
            "a link that leads elsewhere",
            lookup + """
                CREATE TABLE link(t_id INTEGER, kind_id INTEGER);
                INSERT INTO link SELECT t.id, kind.id FROM t JOIN kind ON kind.name <> t.kind;

                """ + drop, schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "a row without a link",
            lookup + """
                CREATE TABLE link(t_id INTEGER, kind_id INTEGER);
                INSERT INTO link SELECT t.id, kind.id FROM t JOIN kind ON kind.name = t.kind WHERE t.id <> 3;

                """ + drop, schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "a reference that is not declared, to a table that is not named for it",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO kind VALUES (1, 'x'), (2, 'y'), (3, 'z');
            ALTER TABLE t ADD COLUMN kind_id INTEGER; UPDATE t SET kind_id = CASE kind WHEN 'x' THEN 1 WHEN 'z' THEN 3 END;

            """ + drop, schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "a reference that was there before, and that no statement filled from the column",
            "ALTER TABLE t DROP COLUMN kind",
            schema:
                "CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE t(id INTEGER PRIMARY KEY, kind TEXT, kind_id REFERENCES kind);",
            rows: "INSERT INTO kind VALUES (1, 'x'), (2, 'z'); INSERT INTO t VALUES (1, 'x', 1), (2, 'z', 2)",
            errors: [.columnDropped]),
        RuleCase(
            "rows without a key, one of two is wrong",
            lookup + column
                + "UPDATE t SET kind_id = 3 - kind_id WHERE rowid = 1;" + drop,
            schema: "CREATE TABLE t(kind TEXT, b INTEGER);",
            rows: "INSERT INTO t VALUES ('x',10),(NULL,20),('z',30),('x',10);", errors: [.columnDropped]),
        RuleCase(
            "a row is lost, and the others lead there",
            lookup + column + "DELETE FROM t WHERE id = 1;" + drop,
            schema: schema, rows: rows, errors: [.rowsLost], notes: [.columnDropped]),
        RuleCase(
            "all rows are lost", lookup + column + "DELETE FROM t;" + drop, schema: schema, rows: rows,
            errors: [.rowsLost, .columnDropped]),
    ])
    func lostValues(_ it: RuleCase) async throws { try await it.check() }

    private static let client = "CREATE TABLE t(client TEXT PRIMARY KEY NOT NULL, quota INTEGER NOT NULL);"
    private static let clients =
        "CREATE TABLE client(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE); INSERT INTO client(name) SELECT client FROM t ORDER BY quota;"

    private static func rekeyed(_ join: String) -> String {
        clients + """
            CREATE TABLE u(client_id INTEGER PRIMARY KEY NOT NULL REFERENCES client(id), quota INTEGER NOT NULL);
            INSERT INTO u SELECT client.id, t.quota FROM t JOIN client ON \(join);
            DROP TABLE t; ALTER TABLE u RENAME TO t;
            """
    }

    @Test(arguments: [
        RuleCase(
            "the key is now in another table", rekeyed("client.name = t.client"), schema: client,
            rows: "INSERT INTO t VALUES ('a', 9), ('b', 5)", notes: [.columnDropped]),
        RuleCase(
            "keys that lead to other rows", rekeyed("client.name <> t.client"), schema: client,
            rows: "INSERT INTO t VALUES ('a', 9), ('b', 5)", errors: [.columnDropped]),
        RuleCase(
            "a row without its new key", rekeyed("client.name = t.client AND t.quota > 5"), schema: client,
            rows: "INSERT INTO t VALUES ('a', 9), ('b', 5)", errors: [.rowsLost, .columnDropped]),
    ])
    func keysThatAreReferences(_ it: RuleCase) async throws { try await it.check() }

    @Test(arguments: [
        RuleCase(
            "rows that look alike change their values",
            """
            CREATE TABLE who(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO who(name) SELECT who FROM v;
            CREATE TABLE what(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            INSERT INTO what(name) SELECT DISTINCT what FROM v;
            CREATE TABLE w(who_id INTEGER PRIMARY KEY REFERENCES who(id), poll INTEGER, what_id INTEGER REFERENCES what(id));
            INSERT INTO w SELECT who.id, a.poll, what.id FROM v AS a JOIN v AS b ON b.poll = a.poll AND b.who <> a.who
                JOIN who ON who.name = a.who JOIN what ON what.name = b.what;
            DROP TABLE v; ALTER TABLE w RENAME TO v
            """, schema: "CREATE TABLE v(who TEXT PRIMARY KEY, poll INTEGER, what TEXT);",
            rows: "INSERT INTO v VALUES ('a', 9, 'yes'), ('b', 9, 'no'), ('c', 8, 'no'), ('d', 8, 'yes')",
            errors: [.columnDropped], notes: [.columnDropped]),
        RuleCase(
            "a deleted row's value does not pay for another's",
            """
            -- drydock: deletes from t
            CREATE TABLE kept(t_id INTEGER PRIMARY KEY, kind TEXT);
            INSERT INTO kept SELECT id, kind FROM t WHERE id <> 3;
            DELETE FROM t WHERE id = 1;
            """ + drop, schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "rows whose keys are NULL change their values",
            lookup + """
                ALTER TABLE t ADD COLUMN kind_id INTEGER REFERENCES kind(id);
                UPDATE t SET kind_id = (SELECT kind.id FROM kind, t AS x WHERE kind.name = x.kind AND x.n <> t.n);
                """ + drop, schema: "CREATE TABLE t(id TEXT PRIMARY KEY, kind TEXT, n INTEGER);",
            rows: "INSERT INTO t VALUES (NULL, 'x', 10), (NULL, 'z', 20)", errors: [.columnDropped]),
        RuleCase(
            "rows that keep their keys, beside one with a declared new key, change their values",
            "-- drydock: rewrites t.id\nUPDATE t SET id = 100 WHERE id = 4;" + lookup + """
                ALTER TABLE t ADD COLUMN kind_id INTEGER REFERENCES kind(id);
                UPDATE t SET kind_id = (SELECT kind.id FROM kind, t AS x WHERE kind.name = x.kind AND x.b = t.b AND x.id <> t.id);
                UPDATE t SET kind_id = (SELECT id FROM kind WHERE name = t.kind) WHERE id = 100;
                """ + drop, schema: schema, rows: "INSERT INTO t VALUES (1,'x',10),(2,'z',10),(4,'x',40);",
            errors: [.columnDropped]),
        RuleCase(
            "keys of the lookup that are equal by chance",
            "CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO kind(name) SELECT kind FROM t;"
                + "ALTER TABLE t ADD COLUMN kind_id INTEGER REFERENCES kind(id);" + drop, schema: schema,
            rows: "INSERT INTO t VALUES (1,'x',10),(2,'y',20),(3,'z',30)", errors: [.columnDropped]),
        RuleCase(
            "values beside keys that are NULL",
            "CREATE TABLE side(id TEXT, kind TEXT); INSERT INTO side SELECT id, kind FROM t;" + drop,
            schema: "CREATE TABLE t(id TEXT PRIMARY KEY, kind TEXT, n INTEGER);",
            rows: "INSERT INTO t VALUES ('a', 'y', 5), (NULL, 'x', 10), (NULL, 'z', 20)",
            errors: [.columnDropped]),
        RuleCase(
            "values of rows with a declared new key",
            "-- drydock: rewrites t.id\n" + lookup + column
                + "UPDATE t SET kind_id = NULL, id = id + 100 WHERE id > 2;" + drop,
            schema: schema, rows: rows, errors: [.columnDropped]),
        RuleCase(
            "a row that may go remains, without its value",
            """
            -- drydock: deletes from t where kind = 'x'
            CREATE TABLE u(id INTEGER PRIMARY KEY, b INTEGER); INSERT INTO u SELECT id, b FROM t WHERE id <> 1;
            CREATE TABLE k(u_id INTEGER PRIMARY KEY, kind TEXT); INSERT INTO k SELECT id, kind FROM t WHERE kind <> 'x';
            DROP TABLE t
            """, schema: schema, rows: rows, errors: [.tableDropped]),
    ])
    func valuesOfOtherRowsDoNotCount(_ it: RuleCase) async throws { try await it.check() }

    private static let flags =
        "CREATE TABLE t(id INTEGER PRIMARY KEY, active INTEGER, verified INTEGER, note TEXT);"
    private static let equalFlags = "INSERT INTO t VALUES (1, 0, 0, 'a'), (2, 1, 1, NULL), (3, 1, 1, 'c')"
    private static let dropActive = ";ALTER TABLE t DROP COLUMN active"
    private static let profiles =
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, at INTEGER); CREATE TABLE p(t_id INTEGER PRIMARY KEY, name TEXT, at INTEGER);"
    private static let sameTimes =
        "INSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20); INSERT INTO p VALUES (1, NULL, 10), (2, NULL, 20)"

    @Test(arguments: [
        RuleCase(
            "copied in the same statement",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, verified INTEGER, note TEXT);
            INSERT INTO new SELECT id, verified, note FROM t WHERE active IN (0, 1) ORDER BY active;
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """, schema: flags, rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "copied by CREATE TABLE AS with a condition",
            """
            CREATE TABLE new AS SELECT id, verified, note FROM t WHERE active IN (0, 1) ORDER BY active;
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """, schema: "CREATE TABLE t(id INTEGER, active INTEGER, verified INTEGER, note TEXT);",
            rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "the other side of one value",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, verified INTEGER, note TEXT, state TEXT);
            INSERT INTO new SELECT id, verified, note, CASE WHEN active > verified THEN 'x' END FROM t;
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """, schema: flags, rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "given to another column in the same statement",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, verified INTEGER, note TEXT);
            INSERT INTO new SELECT id, verified, coalesce(note, CASE active WHEN 1 THEN 'x' END) FROM t;
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """, schema: flags, rows: equalFlags, errors: [.columnDropped, .valuesChanged]),
        RuleCase(
            "assigned beside it",
            "UPDATE t SET verified = coalesce(verified, 0), note = coalesce(note, 'is ' || active)"
                + dropActive,
            schema: flags, rows: equalFlags, errors: [.columnDropped, .valuesChanged]),
        RuleCase(
            "assigned from it", "UPDATE t SET verified = coalesce(active, verified)" + dropActive,
            schema: flags,
            rows: equalFlags, notes: [.columnDropped]),
        RuleCase(
            "a new column, by a condition",
            "ALTER TABLE t ADD COLUMN state INTEGER NOT NULL DEFAULT 0; UPDATE t SET state = 1 WHERE active = 1"
                + dropActive, schema: flags, rows: equalFlags, notes: [.columnDropped]),
        RuleCase(
            "of another table that was there and is filled from the table",
            "UPDATE p SET name = (SELECT name FROM t WHERE t.id = p.t_id); ALTER TABLE t DROP COLUMN at",
            schema: profiles, rows: sameTimes, errors: [.columnDropped, .valuesChanged]),
        RuleCase(
            "of another table that got them",
            "UPDATE p SET at = (SELECT at FROM t WHERE t.id = p.t_id); ALTER TABLE t DROP COLUMN at",
            schema: profiles, rows: sameTimes, notes: [.columnDropped]),
        RuleCase(
            "of another table that has each twice",
            "-- drydock: inserts into p\nINSERT INTO p SELECT id + 10, name, 5 FROM t; ALTER TABLE t DROP COLUMN at",
            schema: profiles, rows: sameTimes, errors: [.columnDropped]),
        RuleCase(
            "of a row to which the row leads for another reason",
            """
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT, b INTEGER); INSERT INTO kind VALUES (1, 'x', 10), (2, 'z', 30);
            """ + column + "ALTER TABLE t DROP COLUMN b", schema: schema,
            rows: "INSERT INTO t VALUES (1, 'x', 10), (2, 'z', 30)", errors: [.columnDropped]),
        RuleCase(
            "a condition that no row meets", "UPDATE t SET verified = 1 WHERE active = 7" + dropActive,
            schema: flags, rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "a condition that gives each row what it has",
            "UPDATE t SET verified = 1 WHERE verified = 1 AND active = 1" + dropActive, schema: flags,
            rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "a condition that gives each row the value",
            "-- drydock: rewrites t.note\nUPDATE t SET note = 'a' WHERE active = 'a'; UPDATE t SET note = 'b' WHERE active = 'b'"
                + dropActive,
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, active TEXT, note TEXT);",
            rows: "INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', NULL)", notes: [.columnDropped]),
        RuleCase(
            "named in a subquery for another column",
            "UPDATE t SET note = coalesce(note, (SELECT 'x' FROM t AS o WHERE o.active = 7)), verified = verified"
                + dropActive, schema: flags, rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "named in a join",
            """
            CREATE TABLE new(id INTEGER PRIMARY KEY, verified INTEGER, note TEXT);
            INSERT INTO new SELECT t.id, t.verified, t.note FROM t LEFT JOIN t AS o ON o.id = t.id AND o.active = 7;
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """, schema: flags, rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "named in WITH",
            """
            CREATE TABLE new AS WITH w AS (SELECT id FROM t WHERE active IS NOT NULL)
            SELECT id, verified, note FROM t WHERE id IN (SELECT id FROM w);
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """, schema: "CREATE TABLE t(id INTEGER, active INTEGER, verified INTEGER, note TEXT);",
            rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "named in a trigger",
            """
            CREATE TRIGGER same AFTER UPDATE ON t BEGIN UPDATE t SET verified = new.active WHERE id = new.id; END;
            DROP TRIGGER same;
            """ + dropActive, schema: flags, rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "given in another table whose columns have the same names",
            "CREATE TABLE o(active INTEGER, verified INTEGER); UPDATE o SET verified = active; DROP TABLE o"
                + dropActive, schema: flags, rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "given from another table whose columns have the same names",
            "CREATE TABLE o(id INTEGER PRIMARY KEY, active INTEGER); INSERT INTO t(verified) SELECT active FROM o"
                + dropActive, schema: flags, rows: equalFlags, errors: [.columnDropped]),
        RuleCase(
            "given by a condition in an earlier file",
            "ALTER TABLE t ADD COLUMN done INTEGER NOT NULL DEFAULT 0; UPDATE t SET done = 1 WHERE active = 1",
            "ALTER TABLE t DROP COLUMN active", schema: flags, rows: equalFlags, notes: [.columnDropped]),
        RuleCase(
            "a new column in an earlier file, filled by a condition",
            "ALTER TABLE t ADD COLUMN done INTEGER NOT NULL DEFAULT 0",
            "-- drydock: rewrites t.done\nUPDATE t SET done = 1 WHERE active = 1" + dropActive, schema: flags,
            rows: equalFlags, notes: [.columnDropped]),
        RuleCase(
            "filled where it had no value",
            "-- drydock: rewrites t.verified\nUPDATE t SET verified = active WHERE verified IS NULL"
                + dropActive, schema: flags,
            rows: "INSERT INTO t VALUES (1, 0, 0, 'a'), (2, 1, NULL, NULL), (3, 1, 1, 'c')",
            notes: [.columnDropped]),
    ])
    func cellsOfSomethingElseDoNotCount(_ it: RuleCase) async throws { try await it.check() }

    private static let log = "CREATE TABLE log(day INTEGER, who TEXT, what TEXT);"
    private static let logged =
        "INSERT INTO log VALUES (1, 'ann', 'in'), (1, 'bob', 'out'), (2, 'ann', 'out'), (2, 'bob', 'in')"

    private static func interned(_ other: String) -> String {
        """
        CREATE TABLE who(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO who(name) SELECT DISTINCT who FROM log;
        CREATE TABLE what(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO what(name) SELECT DISTINCT what FROM log;
        CREATE TABLE new(day INTEGER, who_id INTEGER REFERENCES who(id), what_id INTEGER REFERENCES what(id));
        INSERT INTO new SELECT a.day, who.id, what.id FROM log AS a JOIN log AS b ON \(other)
            JOIN who ON who.name = a.who JOIN what ON what.name = b.what;
        DROP TABLE log; ALTER TABLE new RENAME TO log
        """
    }

    private static let bothWays =
        "INSERT INTO log VALUES (5, 'x', 'p'), (5, 'p', 'x'), (7, 'x', 'q'), (7, 'q', 'x')"

    private static func edges(_ one: String, _ other: String) -> String {
        """
        CREATE TABLE host(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        INSERT INTO host(name) SELECT who FROM log UNION SELECT what FROM log;
        CREATE TABLE new(day INTEGER, one REFERENCES host(id), other REFERENCES host(id));
        INSERT INTO new SELECT day, (SELECT id FROM host WHERE name = log.\(one)),
            (SELECT id FROM host WHERE name = log.\(other)) FROM log;
        DROP TABLE log; ALTER TABLE new RENAME TO log
        """
    }

    private static func opened(_ what: String) -> String {
        """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        INSERT INTO person(name) SELECT who FROM log WHERE who IS NOT NULL UNION SELECT what FROM log WHERE what IS NOT NULL;
        CREATE TABLE new(day INTEGER, who_id REFERENCES person(id), what_id REFERENCES person(id));
        INSERT INTO new SELECT day, (SELECT id FROM person WHERE name = who), \(what) FROM log;
        DROP TABLE log; ALTER TABLE new RENAME TO log
        """
    }

    @Test(arguments: [
        RuleCase(
            "two columns of rows without a key", interned("b.rowid = a.rowid"), schema: log, rows: logged,
            notes: [.columnDropped, .columnDropped]),
        RuleCase(
            "one of them from another row", interned("b.day = a.day AND b.rowid <> a.rowid"), schema: log,
            rows: logged, errors: [.columnDropped], notes: [.columnDropped]),
        RuleCase(
            "NULLs have an entry of their own",
            """
            CREATE TABLE who(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            INSERT INTO who(name) SELECT DISTINCT coalesce(who, '(unknown)') FROM log;
            CREATE TABLE what(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            INSERT INTO what(name) SELECT DISTINCT coalesce(what, '') FROM log;
            CREATE TABLE new(day INTEGER, who_id INTEGER NOT NULL REFERENCES who, what_id INTEGER NOT NULL REFERENCES what);
            INSERT INTO new SELECT day, (SELECT id FROM who WHERE name = coalesce(log.who, '(unknown)')),
                (SELECT id FROM what WHERE name = coalesce(log.what, '')) FROM log;
            DROP TABLE log; ALTER TABLE new RENAME TO log
            """, schema: log, rows: logged + ", (3, NULL, 'in'), (3, 'ann', NULL), (4, NULL, NULL)",
            notes: [.columnDropped, .columnDropped]),
        RuleCase(
            "two columns of which each row has one",
            """
            CREATE TABLE new(day INTEGER, text TEXT); INSERT INTO new SELECT day, coalesce(who, what) FROM log;
            DROP TABLE log; ALTER TABLE new RENAME TO log
            """, schema: log,
            rows: "INSERT INTO log VALUES (1, 'ann', NULL), (2, NULL, 'in'), (3, 'bob', NULL)",
            notes: [.columnDropped, .columnDropped]),
        RuleCase(
            "edges in both directions", edges("who", "what"), schema: log, rows: bothWays,
            notes: [.columnDropped, .columnDropped]),
        RuleCase(
            "edges of which one end is lost", edges("who", "who"), schema: log, rows: bothWays,
            errors: [.columnDropped], notes: [.columnDropped]),
        RuleCase(
            "every column leads elsewhere",
            """
            CREATE TABLE who(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO who(name) SELECT DISTINCT who FROM e;
            CREATE TABLE what(id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO what(name) SELECT DISTINCT what FROM e;
            CREATE TABLE new(who_id REFERENCES who(id), what_id REFERENCES what(id));
            INSERT INTO new SELECT who.id, what.id FROM e JOIN who ON who.name = e.who JOIN what ON what.name = e.what;
            DROP TABLE e; ALTER TABLE new RENAME TO e
            """, schema: "CREATE TABLE e(who TEXT, what TEXT);",
            rows: "INSERT INTO e VALUES ('ann', 'in'), ('bob', 'in'), ('ann', 'out')",
            notes: [.columnDropped, .columnDropped]),
        RuleCase(
            "one of two columns is lost, each row has one, and another row has its value",
            opened("(SELECT id FROM person WHERE name = what AND what IS NULL)"), schema: log,
            rows:
                "INSERT INTO log VALUES (1, 'ann', NULL), (1, NULL, 'ann'), (2, 'bob', NULL), (2, NULL, 'bob')",
            errors: [.columnDropped], notes: [.columnDropped]),
        RuleCase(
            "two rows go to one, and leave an empty one",
            opened(
                "CASE WHEN who IS NOT NULL THEN (SELECT p.id FROM person AS p, log AS x WHERE p.name = x.what AND x.day = log.day) END"
            ), schema: log,
            rows:
                "INSERT INTO log VALUES (1, 'ann', NULL), (1, NULL, 'bob'), (2, 'cy', NULL), (2, NULL, 'dan')",
            errors: [.columnDropped], notes: [.columnDropped]),
        RuleCase(
            "one column has what two had, of one of them",
            """
            ALTER TABLE log ADD COLUMN whom TEXT; UPDATE log SET whom = who WHERE what IS NULL;
            ALTER TABLE log DROP COLUMN who; ALTER TABLE log DROP COLUMN what
            """, schema: log,
            rows:
                "INSERT INTO log VALUES (1, 'ann', NULL), (1, NULL, 'ann'), (2, 'bob', NULL), (2, NULL, 'bob')",
            errors: [.columnDropped], notes: [.columnDropped]),
        RuleCase(
            "another column is rewritten, as declared",
            """
            -- drydock: rewrites t.a
            CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO kind(name) SELECT DISTINCT kind FROM t;
            CREATE TABLE u(a INTEGER, b INTEGER, kind_id REFERENCES kind(id));
            INSERT INTO u SELECT a + 1, b, (SELECT id FROM kind WHERE name = t.kind) FROM t;
            DROP TABLE t; ALTER TABLE u RENAME TO t
            """, schema: "CREATE TABLE t(a INTEGER, b INTEGER, kind TEXT);",
            rows: "INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (2, 30, 'x')", notes: [.columnDropped]),
    ])
    func rowsWithoutAKey(_ it: RuleCase) async throws { try await it.check() }

    @Test func valuesOfDeletedRowsAreNotCountedAsFound() async throws {
        let finding = try await Scenario(
            Self.schema, rows: Self.rows,
            steps: Self.lookup + Self.column
                + "UPDATE t SET kind_id = 1 WHERE id = 3; DELETE FROM t WHERE id = 4;" + Self.drop
        ).verify().finding(.columnDropped)
        #expect(
            finding.message
                == "column t.kind is gone, with 1 value; another value is in kind.name, to which t.kind_id leads"
        )
    }

    @Test func aValueThatIsMissingIsCounted() async throws {
        let finding = try await Scenario(
            Self.schema, rows: Self.rows,
            steps: Self.lookup + Self.column + "UPDATE t SET kind_id = 1 WHERE id = 3;" + Self.drop
        ).verify().finding(.columnDropped)
        #expect(
            finding.message
                == "column t.kind is gone, with 1 value; 2 other values are in kind.name, to which t.kind_id leads"
        )
    }

    @Test func theNoteNamesTheReference() async throws {
        let finding = try await Scenario(
            Self.schema, rows: Self.rows, steps: Self.lookup + Self.column + Self.drop
        ).verify().finding(.columnDropped)
        #expect(
            finding.message
                == "column t.kind is gone; all its values are in kind.name, to which t.kind_id leads")
    }
}
