import DatabaseEngine
import DrydockFindings
import DrydockSnapshots
import Foundation
import Testing

@testable import DrydockTestSupport

/// Which columns are masked, and how.
@Suite struct MaskPlanTests {
    private static let people = """
        CREATE TABLE account (email TEXT PRIMARY KEY, state TEXT CHECK (state IN ('new', 'open', 'done')), age INTEGER CHECK (age BETWEEN 0 AND 130));
        CREATE TABLE login (id INTEGER PRIMARY KEY, account TEXT REFERENCES account ON UPDATE CASCADE, at TEXT, until TEXT, size INTEGER, CHECK (at <= until));
        \(SubsetCase.numbers) INSERT INTO account SELECT 'a' || i || '@example.com', CASE i % 3 WHEN 0 THEN 'new' WHEN 1 THEN 'open' ELSE 'done' END, i % 131 FROM n;
        \(SubsetCase.numbers) INSERT INTO login SELECT i, 'a' || i || '@example.com', date('2020-01-01', '+' || i || ' days'), date('2020-02-01', '+' || i || ' days'), i * 10 FROM n;
        """

    private func names(_ columns: [MaskSummary.Column]) -> [String] { columns.map(\.name) }

    @Test func `what refers to a masked column is masked as well`() async throws {
        let whole = try SubsetCase(Self.people)
        let taken = try await whole.take { $0.masks.columns = ["LOGIN.Account"] }
        try taken.checkSound()
        #expect(names(taken.report.masks.masked) == ["account.email", "login.account"])
        #expect(taken.report.masks.masked.map(\.reason) == ["login.account refers to it", "named"])
        #expect(!taken.report.masks.hasRandomKey)
        #expect(try taken.number("SELECT count(*) FROM account WHERE email LIKE 'a%@example.com'") == 0)
        let random = try await whole.take("random.sqlite") {
            ($0.masks.columns, $0.masks.key) = (["account.email"], nil)
        }
        #expect(random.report.masks.hasRandomKey)
        #expect(
            try random.rows("SELECT email FROM account ORDER BY rowid")
                != taken.rows("SELECT email FROM account ORDER BY rowid"))
    }

    @Test func `a mask satisfies the CHECKs`() async throws {
        let whole = try SubsetCase(Self.people)
        let taken = try await whole.take {
            ($0.amount, $0.masks.columns) = (.rows(200), ["account.*", "login.at", "login.until"])
        }
        try taken.checkSound()
        let plain = try await whole.take("plain.sqlite") { $0.amount = .rows(200) }
        for column in ["state", "age"] {
            #expect(
                try taken.rows("SELECT \(column) FROM account ORDER BY rowid")
                    != plain.rows("SELECT \(column) FROM account ORDER BY rowid"))
            let counts = "SELECT count(*) FROM account GROUP BY \(column) ORDER BY 1"
            #expect(try taken.rows(counts) == plain.rows(counts))
        }
        #expect(
            try taken.number("SELECT count(*) FROM login WHERE julianday(until) - julianday(at) = 31")
                == taken.number("SELECT count(*) FROM login"))
        let odd = try SubsetCase(
            "CREATE TABLE a (v TEXT CHECK (v LIKE 'secret%')); \(SubsetCase.numbers) INSERT INTO a SELECT 'secret' || i FROM n;"
        )
        try await odd.expectRefusal("the masks of a.v break CHECK (v LIKE 'secret%')") {
            $0.masks.columns = ["a.v"]
        }
    }

    /// A value that can be read elsewhere in the snapshot is not hidden, whatever its column is called.
    @Test(arguments: ["UTF-8", "UTF-16le"])
    func `a masked value that stands in another column is named`(encoding: String) async throws {
        let whole = try SubsetCase(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE "a b" (email TEXT COLLATE NOCASE, state TEXT CHECK (state IN ('active', 'closed')));
            CREATE TABLE audit (line TEXT COLLATE NOCASE, who TEXT, status TEXT, n);
            INSERT INTO "a b" VALUES ('ada@example.com', 'active'), ('Bob@example.com', 'closed'), ('x', 'active');
            INSERT INTO audit VALUES ('ada@example.com', 'BOB@example.com', 'active', 'x'), ('ada@example.com', 'bob', 'closed', 1);
            """)
        func notes(_ allowed: [String] = []) async throws -> [String] {
            let taken = try await whole.take("small\(allowed.count).sqlite") {
                ($0.masks.columns, $0.masks.allowed) = (["a b.email", "a b.state"], allowed)
            }
            return taken.report.notes
        }
        #expect(
            try await notes() == [
                "audit.line is not masked, and in 2 rows it has a value that is masked in a b.email"
            ])
        #expect(try await notes(["audit.line"]).isEmpty)
    }

    @Test func `numbers keep their order where that is asked for`() async throws {
        let whole = try SubsetCase(Self.people)
        let taken = try await whole.take { $0.masks.columns = ["login.size:ordered"] }
        #expect(
            try taken.rows("SELECT id FROM login ORDER BY size")
                == taken.rows("SELECT id FROM login ORDER BY id"))
        #expect(try taken.number("SELECT count(*) FROM login WHERE size = id * 10") == 0)
    }

    @Test func `masks are decided by name, type and content`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, homePhone INTEGER, main TEXT, kind TEXT, made TEXT, note TEXT, size INTEGER, photo BLOB, empty TEXT);
            CREATE TABLE grdb_migrations (identifier TEXT);
            \(SubsetCase.numbers) INSERT INTO a SELECT i, 49301234 + i, 'a' || i || '@example.com', CASE i % 2 WHEN 0 THEN 'x' ELSE 'y' END, '2024-01-0' || (i % 9 + 1), 'Note ' || i, i, randomblob(9), NULL FROM n;
            """)
        let taken = try await whole.take {
            ($0.masks.isAuto, $0.masks.allowed) = (true, ["a.note"])
        }
        try taken.checkSound()
        let reasons = Dictionary(
            uniqueKeysWithValues: (taken.report.masks.masked + taken.report.masks.left).map {
                ($0.name, $0.reason)
            })
        #expect(
            reasons == [
                "a.id": "a key", "a.homePhone": "its name has 'phone'", "a.main": "e-mail addresses",
                "a.kind": "a few repeated codes",
                "a.made": "dates and times", "a.note": "allowed", "a.size": "numbers", "a.photo": "blobs",
                "a.empty": "no value",
            ])
        #expect(names(taken.report.masks.masked) == ["a.homePhone", "a.main", "a.photo"])
    }

    /// What is in a column decides where its name says nothing.
    @Test(
        arguments: [
            ("'+49 170 555' || (1000 + i)", "text"), ("'+4917055' || (1000 + i)", "long numbers"),
            ("'0' || (1000 + i)", "long numbers"), ("491701234567 + i", "long numbers"),
            ("'Meier' || (i % 3)", "text"), ("'Zoë'", "text"), ("'New York'", "text"),
            ("'active'", nil), ("'EUR'", nil), ("'image/' || (i % 3)", nil), ("'de-DE'", nil),
            ("i", nil), ("1700000000 + i", nil), ("1700000000000 + i", nil), ("i * 1.5", nil),
        ] as [(String, String?)])
    func `names and telephone numbers are found by content`(value: String, reason: String?) async throws {
        let whole = try SubsetCase(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, x); \(SubsetCase.numbers) INSERT INTO a SELECT i, \(value) FROM n;"
        )
        let masks = try await whole.take { $0.masks.isAuto = true }.report.masks
        #expect(masks.masked.first { $0.name == "a.x" }?.reason == reason, "\(masks)")
    }

    @Test func `keys whose names are about people stay, unless they are not only numbers`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE account (id INTEGER PRIMARY KEY, ssn INTEGER UNIQUE, email TEXT UNIQUE);
            CREATE TABLE visit (account_id REFERENCES account (id), ssn REFERENCES account (ssn), email_id REFERENCES account (email));
            \(SubsetCase.numbers) INSERT INTO account SELECT i, 10000 + i, 'a' || i || '@example.com' FROM n;
            INSERT INTO visit SELECT id, ssn, email FROM account;
            """)
        let masks = try await whole.take { $0.masks.isAuto = true }.report.masks
        #expect(
            names(masks.masked) == ["account.ssn", "account.email", "visit.ssn", "visit.email_id"], "\(masks)"
        )
    }

    @Test func `a name that may be two columns is refused, and shown in quotes`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE a ("b.c" TEXT); INSERT INTO a VALUES ('Secret one');
            CREATE TABLE "a.b" (c TEXT, "*" TEXT); INSERT INTO "a.b" VALUES ('Secret two', 'x');
            CREATE VIEW w AS SELECT c FROM "a.b";
            """)
        try await whole.expectRefusal(#"may be a column of a and "a.b""#) { $0.masks.columns = ["a.b.c"] }
        try await whole.expectRefusal("w is a view") { $0.masks.columns = ["w.c"] }
        let taken = try await whole.take {
            ($0.masks.columns, $0.masks.allowed) = ([#""a.b".c"#], [#""a.b"."*""#])
        }
        #expect(names(taken.report.masks.masked) == [#""a.b".c"#])
        #expect(
            taken.report.masks.left.map { "\($0.name): \($0.reason)" } == [
                #"a."b.c": not named"#, #""a.b"."*": allowed"#,
            ])
        #expect(try taken.text("SELECT \"b.c\" FROM a") == ["Secret one"])
    }

    @Test func `where nothing is masked, that is said`() async throws {
        let whole = try SubsetCase("CREATE TABLE t (id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (1, 2)")
        for isAuto in [false, true] {
            let report = try await whole.take { $0.masks.isAuto = isAuto }.report
            #expect(report.notes.contains { $0.hasPrefix("no column is masked") })
            try FileManager.default.removeItem(atPath: report.output)
        }
    }

    @Test func `names may be quoted, and an index leads to its table`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE "my table" (id INTEGER PRIMARY KEY, "full.name" TEXT);
            INSERT INTO "my table" VALUES (1, 'Anna Meier');
            CREATE VIRTUAL TABLE f USING fts5(id, content="my table", content_rowid=id);
            """)
        let taken = try await whole.take { $0.masks.columns = [#""my table"."full.name""#] }
        #expect(names(taken.report.masks.masked).contains(#"my table."full.name""#))
        #expect(try taken.number(#"SELECT count(*) FROM "my table" WHERE "full.name" = 'Anna Meier'"#) == 0)
        try await whole.expectRefusal(#"f keeps no rows of its own: name the columns of "my table""#) {
            $0.masks.columns = ["f.id"]
        }
    }

    @Test func `nothing is written where a column is neither masked nor allowed`() async throws {
        let whole = try SubsetCase(Self.people)
        for isAuto in [false, true] {
            var request = SubsetRequest(database: whole.path, output: whole.folder.file("strict.sqlite"))
            (request.masks.isStrict, request.masks.isAuto) = (true, isAuto)
            (request.masks.columns, request.masks.allowed) = (
                ["account.email"], ["account.*", "login.id", "login.at"]
            )
            let report = try await SubsetMaker(engine: SubsetCase.engines[0]).run(request)
            #expect(!report.isWritten && names(report.masks.unsettled) == ["login.until", "login.size"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: whole.folder.path) == ["app.sqlite"])
            request.masks.allowed.append("login.*")
            (request.output, request.masks.isAuto) = (whole.folder.file("done\(isAuto).sqlite"), isAuto)
            #expect(try await SubsetMaker(engine: SubsetCase.engines[0]).run(request).isWritten)
            try FileManager.default.removeItem(atPath: request.output)
        }
    }

    /// Tools write who migrated a database, and what went wrong with its rows.
    private static let histories = """
        CREATE TABLE flyway_schema_history (installed_rank INT PRIMARY KEY, version TEXT, description TEXT, type TEXT, script TEXT, checksum INT, installed_by TEXT, installed_on TEXT, execution_time INT, success INT);
        CREATE TABLE renamed (id TEXT, checksum TEXT, finished_at TEXT, migration_name TEXT, logs TEXT, rolled_back_at TEXT, started_at TEXT, applied_steps_count INT);
        CREATE TABLE migrations (id INTEGER PRIMARY KEY, migration TEXT, batch INT, "user" TEXT);
        CREATE TABLE own (step TEXT);
        INSERT INTO flyway_schema_history VALUES (1, '1', 'first', 'SQL', 'V1__first.sql', 7, 'anna.meier', '2024-01-01', 3, 1);
        INSERT INTO renamed VALUES ('a', 'b', NULL, '1_first', 'failed on anna@example.com', NULL, '2024-01-01', 1);
        INSERT INTO migrations VALUES (1, 'first', 1, 'anna@example.com'); INSERT INTO own VALUES ('one');
        """
    private static let personal = ["flyway_schema_history.installed_by", "migrations.user", "renamed.logs"]

    @Test func `a history is masked but for what its tool reads`() async throws {
        let whole = try SubsetCase(Self.histories)
        let taken = try await whole.take {
            ($0.masks.isAuto, $0.historyTables) = (true, ["renamed", "own"])
        }
        #expect(names(taken.report.masks.masked).sorted() == Self.personal)
        #expect(names(taken.report.masks.left) == ["own.step"])
        #expect(try taken.text("SELECT script FROM flyway_schema_history") == ["V1__first.sql"])
        #expect(
            try taken.number("SELECT count(*) FROM flyway_schema_history WHERE installed_by = 'anna.meier'")
                == 0)
        #expect(try taken.number("SELECT count(*) FROM migrations WHERE \"user\" LIKE 'anna@%'") == 0)
        let named = try await whole.take("named.sqlite") {
            ($0.masks.columns, $0.historyTables) = (["renamed.logs"], ["renamed"])
        }
        #expect(try named.number("SELECT count(*) FROM renamed WHERE logs LIKE '%anna%'") == 0)
        for name in ["renamed.migration_name", "migrations.batch"] {
            try await whole.expectRefusal("belongs to the migration tool") {
                ($0.masks.columns, $0.historyTables) = ([name], ["renamed"])
            }
        }
    }

    @Test func `a column of a history does not slip through`() async throws {
        let whole = try SubsetCase(Self.histories)
        var request = SubsetRequest(database: whole.path, output: whole.folder.file("strict.sqlite"))
        (request.masks.isStrict, request.historyTables) = (true, ["renamed", "own"])
        let report = try await SubsetMaker(engine: SubsetCase.engines[0]).run(request)
        #expect(!report.isWritten)
        #expect(names(report.masks.unsettled).sorted() == (Self.personal + ["own.step"]).sorted())
        request.masks.allowed = ["own.step"]
        request.masks.columns = Self.personal
        #expect(try await SubsetMaker(engine: SubsetCase.engines[0]).run(request).isWritten)
    }
}
