import Foundation
import Testing

@testable import DrydockTestSupport

/// Runs `drydock diff --sql` on databases with rows, as a user does.
@Suite struct PlanCommandTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private func plan(_ old: String, _ new: String, _ options: String...) throws -> Tool.Result {
        try? FileManager.default.removeItem(atPath: tool.folder.file("old.db"))
        try PlainDatabase(tool.folder.file("old.db")).execute(old)
        try tool.folder.write("new.sql", new)
        return try tool.run(["diff", "old.db", "new.sql", "--sql"] + options)
    }

    @Test func `existing rows without a parent do not prevent a plan`() throws {
        let old = """
            CREATE TABLE p(i INTEGER PRIMARY KEY); CREATE TABLE t(a INT REFERENCES p, b);
            CREATE TABLE m(x REFERENCES p(nokey)); INSERT INTO t VALUES (77, 1);
            """
        let tables = "CREATE TABLE p(i INTEGER PRIMARY KEY); CREATE TABLE m(x REFERENCES p(nokey));"
        let index = try plan(
            old, tables + "CREATE TABLE t(a INT REFERENCES p, b); CREATE INDEX i ON t(b);")
        #expect(index.status == 1 && index.output == "-- Indexes.\nCREATE INDEX i ON t (b);\n", "\(index)")
        #expect(
            index.errors.contains("note: 1 row of t (a) references no row of p, before the plan"), "\(index)")
        let rebuild = try plan(old, tables + "CREATE TABLE t(a INT NOT NULL REFERENCES p, b);")
        #expect(rebuild.status == 1, "\(rebuild)")
        let broken = try plan(
            "CREATE TABLE p(i INTEGER PRIMARY KEY); CREATE TABLE t(a INT); INSERT INTO t VALUES (77);",
            "CREATE TABLE p(i INTEGER PRIMARY KEY); CREATE TABLE t(a INT REFERENCES p);")
        #expect(broken.status == 2 && broken.output == "")
        #expect(broken.errors.contains("1 row of t (a) references no row of p"), "\(broken)")
    }

    @Test func `constraints that the new schema does not have are declared`() throws {
        let result = try plan(
            "CREATE TABLE t(a TEXT NOT NULL COLLATE NOCASE, b INT CHECK (b > 0), UNIQUE (a, b));",
            "CREATE TABLE t(a TEXT COLLATE NOCASE, b INT CHECK (b > 5));")
        #expect(result.status == 1, "\(result)")
        let declared = result.output.split(separator: "\n").filter { $0.hasPrefix("-- drydock:") }
        #expect(
            declared == [
                "-- drydock: drops constraint unique (a, b) of t",
                "-- drydock: drops constraint not null (a) of t",
            ], "\(result)")
    }

    @Test func `an index and a trigger move to another table`() throws {
        let tables = "CREATE TABLE a(x); CREATE TABLE b(x);"
        let index = try plan(tables + "CREATE INDEX i ON a(x)", tables + "CREATE INDEX i ON b(x)")
        #expect(index.status == 1 && index.output.contains("DROP INDEX i;"), "\(index)")
        let trigger = "BEGIN SELECT 1; END;"
        let moved = try plan(
            tables + "CREATE TRIGGER r AFTER INSERT ON a \(trigger)",
            tables + "CREATE TRIGGER r AFTER INSERT ON b \(trigger)")
        #expect(moved.status == 1 && moved.output.contains("DROP TRIGGER r;"), "\(moved)")
    }

    @Test func `a version that only the database has is not a difference`() throws {
        let same = try plan(
            "CREATE TABLE t(a); PRAGMA user_version = 7; PRAGMA application_id = 99", "CREATE TABLE t(a)")
        #expect(same.status == 0 && same.output == "", "\(same)")
        try tool.folder.write("Migrations/v1.sql", "CREATE TABLE t(a);")
        #expect(try tool.run("diff", "old.db", "Migrations").status == 0)
        try tool.folder.write("schema.sql", try tool.run("schema", "old.db").output)
        #expect(try tool.run("schema", "old.db", "--check", "schema.sql").status == 0)
        try tool.folder.write("set.sql", "CREATE TABLE t(a); PRAGMA user_version = 8")
        #expect(
            try tool.run("diff", "old.db", "set.sql", "--sql").output.contains("PRAGMA user_version = 8;"))
    }

    @Test func `the foreign key caution leads the plan`() throws {
        let child = "CREATE TABLE c(x INT REFERENCES p ON DELETE CASCADE);"
        let result = try plan(
            "CREATE TABLE p(i INTEGER PRIMARY KEY, n);" + child,
            "CREATE TABLE p(i INTEGER PRIMARY KEY, n CHECK (n > 0));" + child)
        #expect(result.output.hasPrefix("-- Run with PRAGMA foreign_keys = OFF"), "\(result)")
    }

    @Test func `AUTOINCREMENT is dropped with --allow-loss, and declared`() throws {
        let old =
            "CREATE TABLE t(i INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (9); DELETE FROM t;"
        let new = "CREATE TABLE t(i INTEGER PRIMARY KEY)"
        let refused = try plan(old, new)
        #expect(refused.status == 2 && refused.errors.contains("; --allow-loss allows it"), "\(refused)")
        let allowed = try plan(old, new, "--allow-loss")
        #expect(allowed.status == 1, "\(allowed)")
        #expect(allowed.output.contains("-- drydock: rewrites sqlite_sequence\n"))
    }

    @Test func `values are converted with --allow-loss, and declared`() throws {
        let old = "CREATE TABLE t(a INT, b); INSERT INTO t VALUES (1, 2)"
        let new = "CREATE TABLE t(a TEXT, b)"
        #expect(try plan(old, new).status == 2)
        let allowed = try plan(old, new, "--allow-loss")
        #expect(allowed.status == 1 && allowed.output.contains("-- drydock: rewrites t.a\n"), "\(allowed)")
    }

    @Test func `a view that was already broken does not prevent a plan`() throws {
        let view = "CREATE VIEW v AS SELECT x FROM gone; CREATE VIEW w AS SELECT * FROM v;"
        let result = try plan("CREATE TABLE t(a);" + view, "CREATE TABLE t(a NOT NULL);" + view)
        #expect(result.status == 1 && result.output.contains("DROP VIEW v;"), "\(result)")
        let trigger = "CREATE TRIGGER r AFTER INSERT ON o BEGIN INSERT INTO gone VALUES (1); END;"
        let other = try plan(
            "CREATE TABLE t(a); CREATE TABLE o(a);" + trigger,
            "CREATE TABLE t(a NOT NULL); CREATE TABLE o(a);" + trigger)
        #expect(other.status == 1 && other.output.contains("DROP TRIGGER r;"), "\(other)")
    }

    @Test func `a file without a byte is an empty database`() throws {
        try tool.folder.write("empty.db", "")
        try tool.folder.write("empty.sql", try tool.run("schema", "empty.db").output)
        #expect(try tool.run("diff", "empty.db", "empty.sql").status == 0)
        try tool.folder.write("new.sql", "CREATE TABLE t(a)")
        let result = try tool.run("diff", "empty.db", "new.sql", "--sql")
        #expect(result.status == 1 && result.output.contains("CREATE TABLE t ("), "\(result)")
    }

    @Test func `an old SQLite gets no schema that it cannot read`() throws {
        let result = try plan("CREATE TABLE t(a)", "CREATE TABLE t(a INT) STRICT", "--sqlite-version", "3.30")
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.contains("STRICT tables (t) came with SQLite 3.37"), "\(result)")
    }

    @Test func `a refusal says what to do`() throws {
        let result = try plan("CREATE TABLE t(a); INSERT INTO t VALUES (1)", "CREATE TABLE t(a, b NOT NULL)")
        #expect(result.status == 2 && result.errors.contains("Give the column a DEFAULT"), "\(result)")
    }

    @Test func `a rename is reported in every format`() throws {
        let (old, new) = (
            "CREATE TABLE t(i INTEGER PRIMARY KEY, mail)", "CREATE TABLE t(i INTEGER PRIMARY KEY, email)"
        )
        let result = try plan(old, new)
        let note = "Treated as renamed: t.mail to email (names and types alike)."
        #expect(result.output.hasPrefix("-- \(note)\n\n-- Table t.\n"), "\(result)")
        #expect(result.errors == "drydock: note: \(note)\n")
        let markdown = try plan(old, new, "--format", "markdown").output
        #expect(markdown.contains("- Treated as renamed: `t.mail → email`\n"), "\(markdown)")
        #expect(markdown.contains("```sql\n-- \(note)\n"), "\(markdown)")
        let open = try plan(old, "CREATE TABLE t(i INTEGER PRIMARY KEY, other)")
        #expect(open.status == 2 && open.errors.contains("perhaps renamed: t.mail to other"), "\(open)")
        try tool.folder.write("Migrations/v1.sql", old)
        try tool.folder.write("new.sql", new)
        let written = try tool.run("new", "mail", "--from-diff", "new.sql")
        #expect(written.status == 0 && written.errors == "drydock: note: \(note)\n", "\(written)")
    }

    @Test func `columns swap names when hints say so`() throws {
        let old = "CREATE TABLE t(a TEXT, b INT); INSERT INTO t VALUES ('x', 1)"
        for new in ["CREATE TABLE t(b TEXT, a INT)", "CREATE TABLE t(b TEXT NOT NULL, a INT)"] {
            let result = try plan(old, new, "--rename", "t.a=b", "--rename", "t.b=a")
            #expect(result.status == 1, "\(result)")
        }
        let misfit = try plan(old, "CREATE TABLE t(a TEXT)", "--rename", "t.b=nope")
        #expect(
            misfit.status == 2 && misfit.errors.contains("t.b: the new t has no column nope"), "\(misfit)")
    }

    @Test func `stand-ins replace what the app registers`() throws {
        try tool.folder.write("a.sql", "CREATE TABLE t(a COLLATE uni, b AS (slug(a)) STORED)")
        #expect(try tool.run("schema", "a.sql").status == 2)
        let options = ["--function", "slug", "--collation", "uni"]
        #expect(try tool.run(["schema", "a.sql"] + options).status == 0)
        #expect(try tool.run(["diff", "a.sql", "a.sql"] + options).status == 0)
        try tool.folder.write("drydock.yml", "functions: {slug: null}\ncollations: [uni]\n")
        #expect(try tool.run("schema", "a.sql", "--check", "a.sql").status == 0)
        try tool.folder.write("Migrations/v1.sql", "CREATE TABLE o(a);")
        let written = try tool.run("new", "t", "--from-diff", "a.sql", "--allow-loss")
        #expect(written.status == 0, "\(written)")
    }

    @Test func `flags that exclude each other are bad usage`() throws {
        try tool.folder.write("a.sql", "CREATE TABLE t(a, b)")
        try tool.folder.write("b.sql", "CREATE TABLE t(b, a)")
        for flags in [
            ["--name-only", "--sql"], ["--name-only", "--format", "json"], ["--column-order", "--sql"],
        ] {
            #expect(try tool.run(["diff", "a.sql", "b.sql"] + flags).status == 64)
        }
        #expect(try tool.run("diff", "a.sql", "b.sql").status == 0)
        #expect(try tool.run("diff", "a.sql", "b.sql", "--column-order").status == 1)
    }

    @Test func `a plan for a tool that enforces foreign keys carries the caution`() throws {
        let tables = "CREATE TABLE p(i INTEGER PRIMARY KEY, n%);\nCREATE TABLE c(x INT REFERENCES p);\n"
        try tool.folder.write("new.sql", tables.replacing("%", with: " CHECK (n > 0)"))
        try tool.folder.write("own/v1.sql", tables.replacing("%", with: ""))
        let own = try tool.run("new", "n", "-m", "own", "--from-diff", "new.sql")
        #expect(own.status == 0 && own.errors == "", "\(own)")
        #expect(
            try !String(contentsOfFile: tool.folder.file("own/v2_n.sql"), encoding: .utf8).contains("PRAGMA"))
    }

    @Test(arguments: [
        ("id TEXT PRIMARY KEY", "id INTEGER PRIMARY KEY", "('1', 'x'), ('2', NULL), ('10', 'z')"),
        ("id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY", "(1, 'x'), (2, NULL), (10, x'00')"),
        ("id TEXT PRIMARY KEY", "id INT PRIMARY KEY", "('1', 'x'), ('two', 2.5), ('3.5', 'z')"),
        ("id INTEGER PRIMARY KEY", "id REAL PRIMARY KEY", "(1, 'x'), (2, '2')"),
        ("id TEXT COLLATE NOCASE PRIMARY KEY", "id INT PRIMARY KEY", "('1', 'x'), ('a', 'y')"),
    ])
    func `a key changes affinity with --allow-loss, and every row is found again`(
        _ before: String, _ after: String, _ rows: String
    ) throws {
        for (suffix, name) in [("", "t"), (" WITHOUT ROWID", "\"a \"\"table\"")] {
            let old = "CREATE TABLE \(name)(\(before), v)\(suffix); INSERT INTO \(name) VALUES \(rows);"
            let new = "CREATE TABLE \(name)(\(after), v)\(suffix);"
            let refused = try plan(old, new)
            #expect(refused.status == 2 && refused.errors.contains("--allow-loss allows it"), "\(refused)")
            let result = try plan(old, new, "--allow-loss")
            #expect(result.status == 1, "\(result)")
            // A key that compares as equal is a changed value; otherwise one row is lost and another added.
            let rule = after.contains("REAL") ? "rewrites \(name).id\n" : "deletes from \(name)\n"
            #expect(result.output.contains("-- drydock: \(rule)"), "\(result)")
            let database = try PlainDatabase(tool.folder.file("old.db"))
            let count = try database.literals("SELECT count(*) FROM \(name)")
            try database.execute(result.output)
            #expect(try database.literals("SELECT count(*) FROM \(name)") == count)
            #expect(try tool.run("diff", "old.db", "new.sql").status == 0)
        }
    }

    @Test func `a key that loses precision is refused even with --allow-loss`() throws {
        // A REAL cannot hold 2^53 + 1.
        let precise = try plan(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (9007199254740993, 'x');",
            "CREATE TABLE t(id REAL PRIMARY KEY, v);", "--allow-loss")
        #expect(
            precise.status == 2 && precise.output == "" && precise.errors.contains("rows-lost"), "\(precise)")
        let text = try plan(
            "CREATE TABLE t(id TEXT PRIMARY KEY, v); INSERT INTO t VALUES ('a', 'x');",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, v);", "--allow-loss")
        #expect(text.status == 2 && text.output == "", "\(text)")
        let alike = try plan(
            "CREATE TABLE t(id TEXT PRIMARY KEY, v); INSERT INTO t VALUES ('1', 'x'), ('01', 'y');",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, v);", "--allow-loss")
        #expect(alike.status == 2 && alike.output == "", "\(alike)")
    }

    @Test func `a composite key, renamed and referenced`() throws {
        let result = try plan(
            """
            CREATE TABLE p(a TEXT, b TEXT, v, PRIMARY KEY (a, b)); CREATE TABLE c(x INT, y TEXT, FOREIGN KEY (x, y) REFERENCES p);
            INSERT INTO p VALUES ('1', 'k', 5), ('2', 'k', 6); INSERT INTO c VALUES (1, 'k');
            """,
            """
            CREATE TABLE q(n INT, b TEXT, v, PRIMARY KEY (n, b)); CREATE TABLE c(x INT, y TEXT, FOREIGN KEY (x, y) REFERENCES q);
            """, "--allow-loss", "--rename", "p=q", "--rename", "p.a=n")
        #expect(result.status == 1, "\(result)")
    }

    @Test func `a generated column that is dropped with its sources is declared`() throws {
        let old =
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b AS (a || 'x') STORED, c); INSERT INTO t(id, a) VALUES (1, 'y')"
        let refused = try plan(old, "CREATE TABLE t(id INTEGER PRIMARY KEY, c);")
        #expect(refused.status == 2 && refused.output == "", "\(refused)")
        let result = try plan(old, "CREATE TABLE t(id INTEGER PRIMARY KEY, c);", "--allow-loss")
        #expect(result.status == 1 && result.output.contains("-- drydock: drops column t.b\n"), "\(result)")
    }
}
