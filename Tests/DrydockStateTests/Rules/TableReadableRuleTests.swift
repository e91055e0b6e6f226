import Drydock
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

@Suite struct TableReadableRuleTests {
    private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, payload TEXT, \"n m\" INT);"
    private static let rows = """
        INSERT INTO t VALUES (1, '{"kind":"x"}', 1), (7, 'no JSON', 2), (9, NULL, 3);
        """
    private static let kind = "ALTER TABLE t ADD COLUMN kind AS (json_extract(payload, '$.kind')) VIRTUAL;"

    @Test(arguments: [
        RuleCase("fails on a row", kind, schema: schema, rows: rows, errors: [.tableUnreadable]),
        RuleCase("fails on no row", kind, schema: schema, rows: "INSERT INTO t VALUES (1, '{}', 1);"),
        RuleCase(
            "names an unknown function", "ALTER TABLE t ADD COLUMN k AS (nosuch(\"n m\"));", schema: schema,
            rows: rows, errors: [.tableUnreadable]),
        RuleCase(
            "names an unknown function in an empty table", "ALTER TABLE t ADD COLUMN k AS (nosuch(\"n m\"));",
            schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "names an unknown collation", "ALTER TABLE t ADD COLUMN k AS (payload COLLATE nosuch > 'b');",
            schema: schema, rows: rows, errors: [.tableUnreadable]),
        RuleCase(
            "names a column that names an unknown function",
            "ALTER TABLE t ADD COLUMN k AS (nosuch(\"n m\")); ALTER TABLE t ADD COLUMN l AS (k + 1);",
            schema: schema, errors: [.tableUnreadable, .tableUnreadable]),
        RuleCase(
            "a WITHOUT ROWID table",
            """
            CREATE TABLE u(a TEXT, b TEXT, PRIMARY KEY(b, a)) WITHOUT ROWID; INSERT INTO u VALUES ('x', '{}'), ('y', 'no');
            ALTER TABLE u ADD COLUMN c AS (json_extract(b, '$'));
            """, schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "an expression that was changed behind SQLite's back",
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE u(a TEXT, b TEXT AS (json_extract(a, ''$'')))' WHERE name = 'u';
            PRAGMA writable_schema = RESET;
            """, schema: "CREATE TABLE u(a TEXT, b TEXT AS (a));",
            rows: "INSERT INTO u VALUES ('no'), ('1');",
            errors: [.tableUnreadable]),
        RuleCase(
            "fixed by a later migration", kind, "ALTER TABLE t DROP COLUMN kind;", schema: schema,
            rows: rows,
            warnings: [.columnDropped, .tableUnreadable]),
        RuleCase(
            "renamed by a later migration", kind,
            "ALTER TABLE t RENAME COLUMN kind TO sort; ALTER TABLE t RENAME TO u;",
            schema: schema, rows: rows, errors: [.tableUnreadable]),
        RuleCase(
            "the snapshot's own", "INSERT INTO t VALUES (2, '{}', 0);", schema: schema + rows + kind,
            warnings: [.rowsAdded], notes: [.tableUnreadable]),
        RuleCase(
            "the snapshot's own, renamed",
            "ALTER TABLE t RENAME COLUMN kind TO sort; ALTER TABLE t RENAME TO u;",
            schema: schema + rows + kind,
            notes: [.tableUnreadable]),
        RuleCase(
            "one more than the snapshot's own",
            "ALTER TABLE t ADD COLUMN l AS (json_extract(payload, '$.l'));", schema: schema + rows + kind,
            errors: [.tableUnreadable], notes: [.tableUnreadable]),
        RuleCase(
            "an index on a function that does not exist",
            """
            CREATE INDEX i ON t("n m"); PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t(nosuch("n m"))' WHERE name = 'i'; PRAGMA writable_schema = RESET;
            """, schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "a partial index on a function that does not exist",
            """
            CREATE INDEX i ON t("n m") WHERE "n m" > 0; PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t("n m") WHERE nosuch(id)' WHERE name = 'i'; PRAGMA writable_schema = RESET;
            """, schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "a CHECK of a function that does not exist",
            """
            CREATE TABLE u(a CHECK (a > 0)); PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE u(a CHECK (nosuch(a)))' WHERE name = 'u'; PRAGMA writable_schema = RESET;
            """, schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "reads the clock in an empty table", "ALTER TABLE t ADD COLUMN k AS (date('now'));",
            schema: schema,
            errors: [.tableUnreadable]),
        RuleCase(
            "reads the clock in a new table",
            "CREATE TABLE u(a TEXT NOT NULL, b TEXT, \"k 2\" AS (a || date('now')) STORED, PRIMARY KEY(b, a)) WITHOUT ROWID;",
            schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "reads a given time",
            "CREATE TABLE u(a TEXT, k AS (date(a, '+1 day')), l AS (strftime('%s', a)) STORED);",
            schema: schema),
        RuleCase(
            "a JSON column in an empty table", "CREATE TABLE u(a TEXT, k AS (json_extract(a, '$.x')));",
            schema: schema),
        RuleCase(
            "reads the clock in a table that is dropped again", "CREATE TABLE u(a, k AS (date('now')));",
            "DROP TABLE u;", schema: schema, warnings: [.tableDropped, .tableUnreadable]),
        RuleCase(
            "a CHECK that reads the clock", "CREATE TABLE u(a TEXT CHECK (a <= date('now')), b ANY) STRICT;",
            schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "a CHECK that only a row without a value passes",
            "CREATE TABLE u(a, CHECK (a IS NULL OR a <= date('now')));", schema: schema,
            errors: [.tableUnreadable]),
        RuleCase(
            "a CHECK that some values pass",
            "CREATE TABLE u(a, CHECK (a NOT LIKE 'until%' OR substr(a, 7) > date('now')));", schema: schema),
        RuleCase(
            "an index that reads the clock", "CREATE TABLE u(a); CREATE INDEX i ON u(date('now'), a);",
            schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "an index that reads the clock, of an old table",
            "CREATE INDEX i ON t(\"n m\") WHERE \"n m\" > julianday('now');", schema: schema,
            errors: [.tableUnreadable]),
        RuleCase(
            "a DEFAULT of an unknown function", "CREATE TABLE u(a, b DEFAULT (nosuch(1)));", schema: schema,
            errors: [.tableUnreadable]),
        RuleCase(
            "a DEFAULT that is the only column", "CREATE TABLE u(b DEFAULT (json('{')));", schema: schema,
            errors: [.tableUnreadable]),
        RuleCase(
            "a DEFAULT of an unknown function, added to an empty table",
            "ALTER TABLE t ADD COLUMN d DEFAULT (nosuch(1));", schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "a DEFAULT that is fixed", "CREATE TABLE u(a, b DEFAULT (nosuch(1)));",
            "DROP TABLE u; CREATE TABLE u(a, b DEFAULT (abs(-1)));", schema: schema,
            warnings: [.tableUnreadable]),
        RuleCase(
            "DEFAULTs that work",
            "CREATE TABLE u(a DEFAULT (datetime('now')), b DEFAULT (hex(randomblob(4))), c DEFAULT (1 + 2), d DEFAULT CURRENT_TIMESTAMP, e DEFAULT (json('{}')));",
            schema: schema),
        RuleCase(
            "the snapshot's own DEFAULT", "INSERT INTO t(id) VALUES (3);",
            schema: schema + "CREATE TABLE u(a, b DEFAULT (nosuch(1)));", rows: rows, warnings: [.rowsAdded],
            notes: [.tableUnreadable]),
        RuleCase(
            "an unknown collation that was written behind SQLite's back",
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE u(a TEXT COLLATE nosuch, b)' WHERE name = 'u'; PRAGMA writable_schema = RESET;
            """, schema: schema + "CREATE TABLE u(a TEXT, b);", rows: "INSERT INTO u VALUES ('x', 1);",
            errors: [.tableUnreadable]),
        RuleCase(
            "an index of an unknown collation",
            """
            CREATE INDEX i ON t(payload); PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t(payload COLLATE nosuch)' WHERE name = 'i'; PRAGMA writable_schema = RESET;
            """, schema: schema, errors: [.tableUnreadable]),
        RuleCase(
            "an unknown collation of a unique column",
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE u(a TEXT COLLATE "no such" UNIQUE, b)' WHERE name = 'u'; PRAGMA writable_schema = RESET;
            """, schema: schema + "CREATE TABLE u(a TEXT UNIQUE, b);", errors: [.tableUnreadable]),
    ])
    func tables(_ it: RuleCase) async throws {
        for isNIO in [false, true] {
            let report = try await it.scenario.write().verify(isNIO ? NIODriver() : GRDBDriver())
            let comment = Comment(rawValue: report.findings.map(\.line).joined(separator: "\n"))
            #expect(report.rules(.error) == it.errors.inOrder, comment)
            #expect(report.rules(.warning) == it.warnings.inOrder, comment)
            #expect(report.rules(.note) == it.notes.inOrder, comment)
        }
    }

    @Test(
        arguments: [
            "ALTER TABLE e ADD COLUMN g AS (datetime(a, 'localtime'));",
            "ALTER TABLE e ADD COLUMN g AS (strftime('%s', b, 'utc'));",
            "CREATE TABLE f(a TEXT, g AS (date(a, 'localtime')) STORED);",
            "CREATE TABLE f(a TEXT CHECK (time(a, 'localtime') <> '00:00'));",
            "CREATE TABLE f(a INTEGER, g TEXT AS (datetime(a, 'unixepoch', 'localtime'))) STRICT;",
            "CREATE INDEX i ON e(datetime(\"a\", 'localtime'));",
            "CREATE INDEX i ON e(a) WHERE julianday(a, 'utc') > 1;",
            "CREATE TABLE f(a TEXT CHECK (length(a) > 3), g AS (date(a, 'localtime')), PRIMARY KEY(a)) WITHOUT ROWID;",
        ], ["", "INSERT INTO e VALUES (NULL, NULL);"])
    func `what no row with a value can have computed`(_ step: String, _ rows: String) async throws {
        let scenario = Scenario("CREATE TABLE e(a TEXT, b)", rows: rows, steps: step)
        for isNIO in [false, true] {
            let report = try await scenario.write().verify(isNIO ? NIODriver() : GRDBDriver())
            let finding = try report.finding(.tableUnreadable)
            #expect(finding.severity == .error && finding.message.contains("non-deterministic use of"))
        }
    }

    @Test(arguments: [
        "ALTER TABLE e ADD COLUMN g AS (datetime(a, '+1 day'));",
        "ALTER TABLE e ADD COLUMN g AS (strftime('%Y', a));",
        "ALTER TABLE e ADD COLUMN g AS (json_extract(a, '$.x'));",
        "CREATE TABLE f(a, g AS (datetime(a, 'localtime')), CHECK (a IS NULL));",
        "CREATE TABLE f(a INTEGER, g TEXT AS (CASE WHEN typeof(a) = 'text' THEN datetime(a, 'localtime') END)) STRICT;",
        "CREATE INDEX i ON e(abs(b));", "CREATE TABLE f(a TEXT DEFAULT (datetime('now', 'localtime')));",
    ]) func `what some value can be computed from`(_ step: String) async throws {
        let report = try await Scenario("CREATE TABLE e(a TEXT, b)", steps: step).verify()
        #expect(!report.findings.contains { $0.rule == .tableUnreadable }, "\(report.findings.map(\.line))")
    }

    @Test func `the finding names column, row and reason, and integrity is not reported as checked`()
        async throws
    {
        let report = try await Scenario(Self.schema, rows: Self.rows, steps: Self.kind).verify()
        let finding = try report.finding(.tableUnreadable)
        #expect(finding.table == "t" && finding.column == "kind" && finding.migration == "v2")
        #expect(finding.message == "t.kind cannot be read in 1 row: malformed JSON")
        #expect(
            finding.evidence?.rows.map { $0.key.map { "\($0.column) \($0.value.literal)" } } == [["id 7"]])
        #expect(finding.place?.statement == Self.kind.replacing(";", with: ""))
    }

    @Test func `a failing integrity_check is listed as not checked`() async throws {
        let report = try await Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, payload TEXT, kind NOT NULL AS (payload));",
            rows: "INSERT INTO t VALUES (1, 'no');",
            steps: """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, '(payload)', '(json_extract(payload, ''$''))') WHERE name = 't';
                PRAGMA writable_schema = RESET;
                """
        ).verify()
        #expect(report.rules(.error).contains(.tableUnreadable))
        #expect(
            report.notChecked.contains {
                $0.rule == .integrityFailure && $0.reason.contains("malformed JSON")
            })
    }
}
