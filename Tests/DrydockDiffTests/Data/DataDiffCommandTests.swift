import Foundation
import Testing

@testable import DrydockTestSupport

/// Runs `drydock diff --data` as a user does.
@Suite struct DataDiffCommandTests {
    private let tool: Tool

    init() throws {
        tool = Tool(folder: try TemporaryFolder())
    }

    /// Makes two databases; the second one gets the same statements and then more.
    private func make(_ schema: String, _ change: String) throws {
        for name in ["old.sqlite", "new.sqlite"] { try PlainDatabase(tool.folder.file(name)).execute(schema) }
        try PlainDatabase(tool.folder.file("new.sqlite")).execute(change)
    }

    @Test func `a database that is written meanwhile is not compared half-written`() async throws {
        try make(
            """
            CREATE TABLE t(a INTEGER PRIMARY KEY, b);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) INSERT INTO t SELECT i, 0 FROM n
            """, "DELETE FROM t WHERE a % 3 <> 0")
        let database = try PlainDatabase(tool.folder.file("new.sqlite"))
        try database.execute("PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000")
        let running = try tool.start([
            "diff", "--data", "old.sqlite", "new.sqlite", "--format", "sql",
        ])
        var value = 2
        while running.process.isRunning {
            try database.execute("UPDATE t SET b = \(value)")
            value += 1
        }
        let result = try running.result()
        if result.status == 1 {
            #expect(Set(result.output.matches(of: /SET "b" = ([0-9]+)/).map(\.1)).count <= 1)
        } else {
            #expect(result.status == 2 && result.errors.contains("new.sqlite was written while it was read"))
        }
    }

    @Test func `names and values cannot steer the terminal`() throws {
        try make(
            "CREATE TABLE \"t\u{1b}[2J\"(a INTEGER PRIMARY KEY, b); INSERT INTO \"t\u{1b}[2J\" VALUES (1, 'x')",
            "UPDATE \"t\u{1b}[2J\" SET b = '\u{202e}'")
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite")
        #expect(
            result.output.contains(#""t\u{1b}[2J"  by a: 1 changed"#)
                && result.output.contains(#"'\u{202e}'"#))
    }

    @Test func `a pipe is not a database`() throws {
        try make("CREATE TABLE t(a)", "SELECT 1")
        #expect(mkfifo(tool.folder.file("pipe"), 0o600) == 0)
        let result = try tool.run("diff", "--data", "old.sqlite", "pipe")
        #expect(result.status == 2 && result.output.isEmpty && result.errors.contains("pipe"))
    }

    @Test(arguments: ["fts5(x, content='')", "fts4(x, content='')"])
    func `a contentless index that differs leaves the result open`(module: String) throws {
        let key = module.hasPrefix("fts4") ? "docid" : "rowid"
        let insert = "INSERT INTO f(\(key), x) VALUES"
        try make("CREATE VIRTUAL TABLE f USING \(module); \(insert) (1, 'one')", "\(insert) (2, 'two')")
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite")
        #expect(result.status == 2 && result.output.contains("not compared: f: its index differs"))
        #expect(try tool.run("diff", "--data", "old.sqlite", "old.sqlite").status == 0)
        try PlainDatabase(tool.folder.file("old.sqlite")).execute("\(insert) (2, 'two')")
        #expect(try tool.run("diff", "--data", "old.sqlite", "new.sqlite").status == 0)
    }

    @Test(arguments: [("", false), (", name TEXT", true)])
    func `equal values are evidence of a rename where more than the key pairs the rows`(
        more: String, isEvidence: Bool
    ) throws {
        try make(
            "CREATE TABLE t(id INTEGER PRIMARY KEY\(more), created TEXT); INSERT INTO t(id, created) VALUES (1, 'x'), (2, 'y')",
            "ALTER TABLE t RENAME COLUMN created TO avatar")
        let result = try tool.run("diff", "old.sqlite", "new.sqlite")
        #expect(result.output.contains("2 of 2 values are the same") == isEvidence, "\(result)")
    }

    @Test func `rows of a table that has another key are not paired by the old one`() throws {
        try make(
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 10), (2, 20)",
            "DROP TABLE t; CREATE TABLE t(a, b INTEGER PRIMARY KEY); INSERT INTO t VALUES (1, 10), (1, 20)")
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite")
        #expect(result.output.contains("1 added, 1 removed") && !result.output.contains("by a"), "\(result)")
    }

    @Test(arguments: ["k TEXT PRIMARY KEY", "k INTEGER, l TEXT, PRIMARY KEY (k, l)"])
    func `a row with NULL in its key is not paired by it`(key: String) throws {
        let columns = key.contains("l TEXT") ? "k, l" : "k"
        let nulls = key.contains("l TEXT") ? "1, NULL" : "NULL"
        let table = "t(v, \(key))"
        try make(
            "CREATE TABLE \(table); INSERT INTO t(\(columns), v) VALUES (\(nulls), 'old')",
            "UPDATE t SET v = 'new'")
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite")
        #expect(result.output.contains("1 added, 1 removed"), "\(result)")
    }

    @Test func `the SQL rebuilds an index over a view`() throws {
        try make(
            """
            CREATE TABLE d(id INTEGER PRIMARY KEY, x); CREATE VIEW v AS SELECT id, x FROM d;
            CREATE VIRTUAL TABLE f USING fts5(x, content='v', content_rowid='id')
            """, "INSERT INTO d VALUES (2, 'two'); INSERT INTO f(f) VALUES ('rebuild')")
        let script = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--format", "sql")
        let database = try PlainDatabase(tool.folder.file("old.sqlite"))
        try database.execute(script.output)
        let found = try database.firstRow("SELECT rowid FROM f WHERE f MATCH 'two'") { $0.integer(0) }
        #expect(found == 2)
    }

    @Test func `rows are shown by key`() throws {
        try make(
            "CREATE TABLE email(id INTEGER PRIMARY KEY, subject TEXT, size); INSERT INTO email VALUES (1, 'a', 1), (2, 'b', 2), (7, 'c', 3)",
            "DELETE FROM email WHERE id = 2; UPDATE email SET subject = 'C', size = 3.0 WHERE id = 7; INSERT INTO email VALUES (5, 'it''s', x'00ff')"
        )
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite")
        #expect(result.status == 1 && result.errors == "", "\(result.errors)")
        #expect(
            result.output == """
                --- old.sqlite
                +++ new.sqlite

                email  by id: 1 added, 1 removed, 1 changed (subject 1, size 1)
                - id=2 (subject 'b', size 2)
                + id=5 (subject 'it''s', size x'00ff')
                ~ id=7  subject: 'c' -> 'C', size: 3 -> 3.0

                3 rows in 1 table

                """)
        let summary = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--summary")
        #expect(summary.status == 1 && !summary.output.contains("id=7") && summary.output.contains("1 added"))
        let redacted = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--redact")
        #expect(
            redacted.output.contains("~ id=7  subject: text(1 byte) -> text(1 byte), size: integer -> real"))
        let json = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--format", "json")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["verdict"] as? String == "failed" && object["command"] as? String == "diff")
        let tables = try #require(object["tables"] as? [[String: Any]])
        #expect(tables.count == 1 && (tables[0]["rows"] as? [Any])?.count == 3)
    }

    /// Changes that sqldiff 3.40 does not report, or reports wrong.
    @Test(arguments: [
        ("a TEXT COLLATE NOCASE", "'a'", "'A'"), ("a", "1", "1.0"),
        ("a TEXT", "'x' || char(0) || 'y'", "'x' || char(0) || 'z'"),
        ("a REAL", "0.1", "0.1 + 2.8e-17"), ("a", "0.0", "-0.0"), ("a TEXT", "''", "NULL"),
        ("a", "'1'", "x'31'"),
        ("a", "9007199254740993", "9007199254740992"), ("a TEXT COLLATE RTRIM", "'a'", "'a '"),
    ]) func `no change is too small`(_ column: String, _ old: String, _ new: String) throws {
        for key in ["id INTEGER PRIMARY KEY, ", "id TEXT PRIMARY KEY, ", ""] {
            let names = key.isEmpty ? "a" : "id, a"
            let first = key.isEmpty ? "" : "5, "
            try make(
                "DROP TABLE IF EXISTS t; CREATE TABLE t(\(key)\(column)); INSERT INTO t(\(names)) VALUES (\(first)\(old))",
                "UPDATE t SET a = \(new)")
            let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--format", "sql")
            #expect(result.status == 1, "\(key)\(column)")
            try PlainDatabase(tool.folder.file("old.sqlite")).execute(result.output)
            #expect(
                try tool.run("diff", "--data", "old.sqlite", "new.sqlite").status == 0, "\(result.output)")
        }
    }

    @Test func `a row with a NULL key is found`() throws {
        try make(
            "CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1), (NULL, 2), ('a', 3)",
            "UPDATE t SET v = 5 WHERE v = 2")
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--format", "sql")
        try PlainDatabase(tool.folder.file("old.sqlite")).execute(result.output)
        #expect(
            try tool.run("diff", "--data", "old.sqlite", "new.sqlite").output
                == "same: old.sqlite and new.sqlite\n")
    }

    @Test func `triggers, foreign keys and swapped values do no harm`() throws {
        try make(
            """
            CREATE TABLE parent(id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE);
            CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE);
            CREATE TABLE log(what);
            CREATE TRIGGER gone AFTER DELETE ON parent BEGIN INSERT INTO log VALUES (old.name); END;
            INSERT INTO parent VALUES (1, 'a'), (2, 'b'); INSERT INTO child VALUES (1, 1), (2, 2);
            """,
            "UPDATE parent SET name = 'c' WHERE id = 1; UPDATE parent SET name = 'a' WHERE id = 2; UPDATE parent SET name = 'b' WHERE id = 1"
        )
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--format", "sql")
        let old = try PlainDatabase(tool.folder.file("old.sqlite"))
        try old.execute("PRAGMA foreign_keys = ON")
        try old.execute(result.output)
        #expect(try tool.run("diff", "--data", "old.sqlite", "new.sqlite").status == 0)
        #expect(try tool.run("diff", "old.sqlite", "new.sqlite").status == 0)
    }

    @Test func `different schemas are compared on what they share, and no SQL is written`() throws {
        try make(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 2)",
            "ALTER TABLE t ADD COLUMN b DEFAULT 5; CREATE TABLE u(x); UPDATE t SET b = 6")
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite")
        #expect(result.status == 1)
        #expect(result.output.contains("+ u  only in new.sqlite\n"))
        #expect(
            result.output.contains(
                "t  by id: same in what both have\n  not compared, only in new.sqlite: b\n"))
        let sql = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--format", "sql")
        #expect(sql.status == 2 && sql.output == "" && sql.errors.contains("`drydock diff --sql`"))
    }

    @Test func `a write-ahead log is part of a database`() throws {
        try make("CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 2)", "")
        #expect(try tool.run("diff", "--data", "old.sqlite", "new.sqlite").status == 0)
        let live = try PlainDatabase(tool.folder.file("new.sqlite"))
        try live.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE t SET a = 3")
        #expect(
            try tool.run("diff", "--data", "old.sqlite", "new.sqlite").output.contains("~ id=1  a: 2 -> 3"))
        withExtendedLifetime(live) {}
    }

    @Test func `incompatible options have status 64, missing files 2`() throws {
        try make("CREATE TABLE email(a)", "")
        for arguments in [
            ["--summary"], ["--table=t"], ["--data", "--sql"], ["--data", "--format", "markdown"],
        ] {
            #expect(
                try tool.run(["diff", "old.sqlite", "new.sqlite"] + arguments).status == 64, "\(arguments)")
        }
        let result = try tool.run("diff", "--data", "old.sqlite", "new.sqlite", "--table", "emial")
        #expect(result.status == 2 && result.errors.contains("did you mean 'email'?"), "\(result.errors)")
    }
}
