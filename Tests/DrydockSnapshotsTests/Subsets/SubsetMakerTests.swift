import DatabaseEngine
import DrydockFindings
import Foundation
import Testing
import TestTools

@testable import DrydockSnapshots
@testable import DrydockTestSupport

/// Which rows a subset has, and what else of the database.
@Suite struct SubsetMakerTests {
    private static let numbers = SubsetCase.numbers

    @Test func `the amount is per table, and the seed decides`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE few (id INTEGER PRIMARY KEY);
            \(Self.numbers) INSERT INTO a SELECT i, 'same' FROM n;
            INSERT INTO few VALUES (1), (2), (3);
            """)
        let taken = try await whole.take { ($0.amount, $0.wholeLimit) = (.rows(50), 3) }
        let count = try taken.number("SELECT count(*) FROM a")
        #expect((50...60).contains(count), "\(count)")
        #expect(try taken.number("SELECT count(*) FROM few") == 3)
        #expect(taken.report.tables.map(\.total) == [5000, 3])
        let other = try await whole.take("other.sqlite") { ($0.amount, $0.seed) = (.rows(50), 2) }
        #expect(try other.rows("SELECT id FROM a") != taken.rows("SELECT id FROM a"))
        let share = try await whole.take("share.sqlite") { $0.amount = .percent(10) }
        #expect((400...600).contains(try share.number("SELECT count(*) FROM a")))
        let all = try await whole.take("all.sqlite") { $0.amount = .percent(100) }
        #expect(try all.number("SELECT count(*) FROM a") == 5000)
    }

    @Test func `what migrations stumble over is kept`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, v, n INTEGER, e TEXT);
            \(Self.numbers) INSERT INTO a SELECT i, 'v' || i, i, 'e' || i || '@example.com' FROM n;
            UPDATE a SET v = NULL WHERE id = 1111;
            UPDATE a SET v = 1.5 WHERE id = 1212;
            UPDATE a SET v = x'00ff' WHERE id = 1313;
            UPDATE a SET v = '' WHERE id = 1414;
            UPDATE a SET v = printf('%.*c', 999, 'x') WHERE id = 1515;
            UPDATE a SET n = 'not a number' WHERE id = 1616;
            UPDATE a SET n = -9223372036854775807 WHERE id = 1717;
            UPDATE a SET v = CAST(x'c328' AS TEXT) WHERE id = 1818;
            UPDATE a SET e = 'E1920@EXAMPLE.com' WHERE id = 1919;
            UPDATE a SET e = 'e2021@example.com' WHERE id = 2020;
            UPDATE a SET e = 'e2122@example.com ' WHERE id = 2121;
            UPDATE a SET v = '{"broken": ' WHERE id = 2222;
            """)
        let taken = try await whole.take { $0.amount = .rows(5) }
        let kept = Set(try taken.database.rows("SELECT id FROM a") { Int($0.integer(0)) })
        for id in [1111, 1212, 1313, 1414, 1515, 1616, 1717, 1818, 2020, 2021, 2222, 1, 5000] {
            #expect(kept.contains(id), "\(id)")
        }
        #expect(kept.isSuperset(of: [1919, 1920]) || kept.isSuperset(of: [2121, 2122]))
        #expect(kept.count < 60)
    }

    @Test func `parents come along, however they are named`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE node (id INTEGER PRIMARY KEY, up INTEGER REFERENCES node, other TEXT REFERENCES label);
            CREATE TABLE label (name TEXT COLLATE NOCASE PRIMARY KEY, node INTEGER REFERENCES node (id)) WITHOUT ROWID;
            CREATE TABLE pair (a INTEGER, b TEXT, UNIQUE (b, a));
            CREATE TABLE leaf (x TEXT, y TEXT, FOREIGN KEY (x, y) REFERENCES pair (a, b));
            \(Self.numbers) INSERT INTO node SELECT i, nullif(i - 1, 0), 'LABEL' || i FROM n;
            \(Self.numbers) INSERT INTO label SELECT 'label' || i, 5001 - i FROM n;
            \(Self.numbers) INSERT INTO pair SELECT i, 'b' || i FROM n;
            \(Self.numbers) INSERT INTO leaf SELECT i, 'b' || i FROM n UNION ALL SELECT NULL, 'nothing' UNION ALL SELECT 7, NULL;
            """)
        for engine in SubsetCase.engines {
            var whole = whole
            whole.engine = engine
            let taken = try await whole.take("\(engine.name).sqlite") { $0.amount = .rows(1) }
            try taken.checkSound()
            #expect(try taken.number("SELECT count(*) FROM leaf JOIN pair ON a = x AND b = y") >= 1)
            // Each node refers to the one before it, down to the first.
            #expect(try taken.number("SELECT count(*) = max(id) FROM node") == 1)
        }
    }

    @Test func `children come along where that is asked for`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT);
            CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a);
            \(Self.numbers) INSERT INTO a SELECT i, 'same' FROM n;
            \(Self.numbers) INSERT INTO b SELECT i, i % 500 + 1 FROM n;
            """)
        let taken = try await whole.take {
            ($0.amount, $0.children) = (.rows(5), ["B"])
            $0.conditions = ["a": "id BETWEEN 10 AND 12", "b": "a = 11"]
        }
        try taken.checkSound()
        #expect(try taken.rows("SELECT id FROM a ORDER BY 1") == [["10"], ["11"], ["12"]])
        #expect(try taken.number("SELECT count(*) FROM b") == 30)
    }

    @Test func `orphans are kept and listed, or left out`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a);
            CREATE TABLE c (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b, gone INTEGER REFERENCES nowhere);
            \(Self.numbers) INSERT INTO a SELECT i FROM n; \(Self.numbers) INSERT INTO b SELECT i, i FROM n;
            \(Self.numbers) INSERT INTO c SELECT i, i, NULL FROM n;
            DELETE FROM a WHERE id = 2500; UPDATE c SET gone = 1 WHERE id = 7;
            """)
        let taken = try await whole.take {
            $0.amount = .rows(3)
            $0.conditions = ["c": "id IN (7, 8, 2500)"]
        }
        #expect(taken.report.orphans.contains(.init(table: "b", columns: ["a"], parent: "a", rows: 1)))
        #expect(
            taken.report.orphans.contains(.init(table: "c", columns: ["gone"], parent: "nowhere", rows: 1)))
        #expect(try taken.number("SELECT count(*) FROM b WHERE id = 2500") == 1)
        let valid = try await whole.take("valid.sqlite") {
            ($0.amount, $0.isOnlyValid) = (.percent(100), true)
        }
        #expect(
            try valid.rows("SELECT id FROM b WHERE id = 2500 UNION SELECT id FROM c WHERE b = 2500").isEmpty)
        #expect(try valid.number("SELECT count(*) FROM b") == 4999)
    }

    @Test func `the rest of the database is as it was`() async throws {
        let whole = try SubsetCase(
            """
            PRAGMA page_size = 8192; PRAGMA auto_vacuum = 2; PRAGMA encoding = 'UTF-16be';
            PRAGMA user_version = 42; PRAGMA application_id = 1234;
            CREATE TABLE "odd ""name" ("a b" TEXT, hidden TEXT AS (upper("a b")), kept INTEGER);
            CREATE TABLE strict (id INTEGER PRIMARY KEY AUTOINCREMENT, v ANY) STRICT;
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            CREATE INDEX i ON "odd ""name" (kept) WHERE kept > 1;
            CREATE VIEW v AS SELECT * FROM strict;
            CREATE TRIGGER t AFTER INSERT ON strict BEGIN DELETE FROM strict; END;
            INSERT INTO "odd ""name" (rowid, "a b", kept) VALUES (900, 'é', 1), (-5, NULL, 2);
            DROP TRIGGER t;
            INSERT INTO strict VALUES (1, 'x'), (9, 2.5); DELETE FROM strict WHERE id = 9;
            CREATE TRIGGER t AFTER INSERT ON strict BEGIN DELETE FROM strict; END;
            \(Self.numbers) INSERT INTO grdb_migrations SELECT 'v' || i FROM n;
            ANALYZE;
            """)
        let taken = try await whole.take { $0.wholeLimit = 0 }
        try taken.checkSound()
        #expect(
            try taken.rows(
                "SELECT rowid, hex(\"a b\"), hidden IS upper(\"a b\") FROM \"odd \"\"name\" ORDER BY 1"
            ).map(\.[0]) == ["-5", "900"])
        #expect(try taken.number("SELECT count(*) FROM grdb_migrations") == 5000)
        #expect(try taken.rows("SELECT * FROM sqlite_sequence").map(\.[1]) == ["9"])
        #expect(try taken.number("SELECT count(*) FROM strict") == 1)
        for (pragma, value) in [
            ("page_size", "8192"), ("auto_vacuum", "2"), ("user_version", "42"), ("application_id", "1234"),
        ] {
            #expect(try taken.text("PRAGMA \(pragma)") == [value])
        }
        #expect(try taken.text("PRAGMA encoding") == ["UTF-16be"])
        #expect(try taken.number("SELECT count(*) FROM sqlite_stat1") > 0)
        let mode = try FileManager.default.attributesOfItem(atPath: taken.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: whole.folder.path).count == 2)
    }

    @Test func `full-text and spatial indexes go with their rows`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE mail (id INTEGER PRIMARY KEY, body TEXT, x REAL);
            CREATE VIRTUAL TABLE own USING fts5(body);
            CREATE VIRTUAL TABLE outside USING fts5(body, content=mail, content_rowid=id);
            CREATE VIRTUAL TABLE older USING fts4(body);
            CREATE VIRTUAL TABLE words USING fts5(body, content='');
            CREATE VIRTUAL TABLE place USING rtree(id, low, high);
            INSERT INTO own (own, rank) VALUES ('pgsz', 512);
            CREATE TRIGGER t AFTER INSERT ON mail BEGIN
              INSERT INTO own (rowid, body) VALUES (new.id, new.body);
              INSERT INTO outside (rowid, body) VALUES (new.id, new.body);
              INSERT INTO words (rowid, body) VALUES (new.id, new.body);
              INSERT INTO place VALUES (new.id, new.x, new.x + 1);
            END;
            \(Self.numbers) INSERT INTO mail SELECT i, 'word' || i || ' common', i FROM n;
            \(Self.numbers) INSERT INTO older (docid, body) SELECT i, 'older' || i FROM n;
            """)
        for engine in SubsetCase.engines {
            var whole = whole
            whole.engine = engine
            let taken = try await whole.take("\(engine.name).sqlite")
            try taken.checkSound()
            let count = try taken.number("SELECT count(*) FROM mail")
            for table in ["own", "outside"] {
                #expect(
                    try taken.number(
                        "SELECT count(*) FROM \(table) JOIN mail ON mail.id = \(table).rowid WHERE \(table) MATCH 'common'"
                    ) == count, "\(table)")
                try taken.database.execute("INSERT INTO \(table) (\(table)) VALUES ('integrity-check')")
            }
            #expect(
                try taken.number("SELECT count(*) FROM place JOIN mail USING (id) WHERE low = x") == count)
            #expect(try taken.number("SELECT count(*) FROM older WHERE older MATCH 'older*'") >= 10)
            #expect(try taken.number("SELECT v FROM own_config WHERE k = 'pgsz'") == 512)
            #expect(taken.report.notes.contains { $0.hasPrefix("words is empty") })
        }
    }

    @Test func `rows that break a CHECK are kept, or left out`() async throws {
        let whole = try SubsetCase(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, v INTEGER CHECK (v > 0)); PRAGMA ignore_check_constraints = ON;
            \(Self.numbers) INSERT INTO a SELECT i, i FROM n; INSERT INTO a VALUES (6000, -1);
            """)
        let taken = try await whole.take()
        #expect(try taken.number("SELECT count(*) FROM a WHERE v < 0") == 1)
        #expect(taken.report.notes.contains { $0.contains("rows that break a constraint are kept") })
        let valid = try await whole.take("valid.sqlite") { $0.isOnlyValid = true }
        #expect(try valid.number("SELECT count(*) FROM a WHERE v < 0") == 0)
        try valid.checkSound()
    }

    /// The log of a database that another program has open is read, and the program goes on writing.
    @Test func `a database in use is read as of one moment`() async throws {
        let whole = try SubsetCase(
            "PRAGMA journal_mode = WAL; CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT); \(Self.numbers) INSERT INTO a SELECT i, 'v' FROM n;"
        )
        // In another process: reading the file in this one would drop the locks of its connections.
        let shell = URL(filePath: "/usr/bin/sqlite3")
        guard FileManager.default.isExecutableFile(atPath: shell.path) else { return }
        let (writer, input) = (ChildProcess(), Pipe())
        (writer.executableURL, writer.arguments) = (shell, [whole.path])
        (writer.standardInput, writer.standardOutput) = (input, FileHandle.nullDevice)
        try writer.run()
        defer { writer.waitUntilExit() }
        let started = whole.folder.file("started")
        let begin = "PRAGMA wal_autocheckpoint = 0; UPDATE a SET v = 'new';\n.shell touch '\(started)'\n"
        input.fileHandleForWriting.write(Data(begin.utf8))
        while !FileManager.default.fileExists(atPath: started) {
            try await Task.sleep(for: .milliseconds(10))
        }
        for _ in 0..<200 { input.fileHandleForWriting.write(Data("UPDATE a SET v = v || 'x';\n".utf8)) }
        var request = SubsetRequest(database: whole.path, output: whole.folder.file("live.sqlite"))
        request.amount = .percent(100)
        let outcome: Result<SubsetReport, any Error>
        do {
            outcome = .success(try await SubsetMaker(engine: SubsetCase.engines[0]).run(request))
        } catch {
            outcome = .failure(error)
        }
        try input.fileHandleForWriting.close()
        _ = try outcome.get()
        let taken = try PlainDatabase(request.output)
        #expect(try taken.rows("SELECT DISTINCT v FROM a") { $0.string(0) }.count == 1)
        #expect(try taken.firstRow("SELECT v LIKE 'new%' FROM a") { $0.integer(0) } == 1)
    }
}

/// Requests that do not fit, and disks that do not hold: an error, and nothing is left.
@Suite struct SubsetRefusalTests {
    private let whole: SubsetCase

    init() throws {
        whole = try SubsetCase(
            """
            CREATE TABLE email (id INTEGER PRIMARY KEY, sender TEXT, size INTEGER, short TEXT AS (substr(sender, 1, 2)));
            CREATE TABLE grdb_migrations (identifier TEXT); CREATE TABLE void (x);
            \(SubsetCase.numbers) INSERT INTO email (id, sender, size) SELECT i, 'a' || i || '@example.com', i FROM n;
            """)
    }

    @Test(arguments: [
        ("emial.sender", "there is no table emial; did you mean email?"),
        ("email.sendr", "email has no column sendr; did you mean sender?"),
        ("email.zzzzzz", "it has id, sender and size"),
        ("email", "write it as table.column"),
        ("email.short", "short is computed from other columns"),
        ("grdb_migrations.*", "belongs to the migration tool"),
    ]) func `a mask of what is not there`(_ name: String, _ message: String) async throws {
        try await whole.expectRefusal("--mask \(name): ") { $0.masks.columns = [name] }
        try await whole.expectRefusal(message) { $0.masks.columns = [name] }
        try await whole.expectRefusal("--unmasked \(name): ") { $0.masks.allowed = [name] }
    }

    @Test func `conditions and children that do not fit`() async throws {
        try await whole.expectRefusal("did you mean email?") { $0.conditions = ["emial": "1"] }
        try await whole.expectRefusal("no row of email meets --where size > 9999") {
            $0.conditions = ["email": "size > 9999"]
        }
        try await whole.expectRefusal("--where email=nowhere > 1: no such column: nowhere") {
            $0.conditions = ["email": "nowhere > 1"]
        }
        try await whole.expectRefusal("--where email=size >: incomplete input") {
            $0.conditions = ["email": "size >"]
        }
        try await whole.expectRefusal("near \")\": syntax error") {
            $0.conditions = ["email": "size < 0) OR (1"]
        }
        try await whole.expectRefusal("has no foreign key") { $0.children = ["email"] }
        try await whole.expectRefusal("did you mean email?") { $0.children = ["emails"] }
    }

    @Test func `files that exist, and folders that do not`() async throws {
        try whole.folder.write("there.sqlite", "mine")
        try await whole.expectRefusal("already exists") { $0.output = whole.folder.file("there.sqlite") }
        try await whole.expectRefusal("already exists") { $0.output = $0.database }
        try await whole.expectRefusal("there is no folder") {
            $0.output = whole.folder.file("no/file.sqlite")
        }
        for name in ["x.sqlite-wal", "app.sqlite-journal", "x.SQL", "x.sqlite.gz", ".x.sqlite"] {
            try await whole.expectRefusal("name another file with -o") { $0.output = whole.folder.file(name) }
        }
        try whole.folder.write("b.sqlite-wal", "old")
        try await whole.expectRefusal("would count as part of") { $0.output = whole.folder.file("b.sqlite") }
        #expect(try whole.folder.contents()["there.sqlite"] == Data("mine".utf8))
    }

    @Test func `sources that are missing, empty or damaged`() async throws {
        try await whole.expectRefusal("there is no database") { $0.database += "x" }
        try await whole.expectRefusal("is a folder") { $0.database = whole.folder.path }
        let text = try whole.folder.write("text.sqlite", String(repeating: "not a database ", count: 100))
        try await whole.expectRefusal("not a") { $0.database = text }
        let empty = try whole.folder.write("empty.sqlite", "")
        try await whole.expectRefusal("has no table") { $0.database = empty }
        let bare = try SubsetCase("CREATE TABLE a (x)")
        try await bare.expectRefusal("gives no row") { _ in }
        var bytes = Array(try Data(contentsOf: URL(filePath: whole.path)))
        for index in stride(from: 8192, to: bytes.count, by: 4096) {
            for place in index..<(index + 64) { bytes[place] = 0x7f }
        }
        let damaged = try whole.folder.write("damaged.sqlite", bytes)
        try await whole.expectRefusal("drydock health") { $0.database = damaged }
    }

    @Test func `a full disk`() async throws {
        guard let disk = try SmallDisk(bytes: 100_000) else { return }
        let error = await #expect(throws: RequestError.self) {
            _ = try await whole.take {
                ($0.output, $0.amount) = (disk.path + "/small.sqlite", .percent(100))
            }
        }
        #expect(error?.reason == .diskFull, "\(error?.description ?? "")")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
    }

    @Test func `a run that is stopped`() async throws {
        let task = Task { _ = try await whole.take { $0.amount = .percent(100) } }
        task.cancel()
        let result = await task.result
        if case .failure(let error) = result { #expect(error is CancellationError, "\(error)") }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: whole.folder.path).allSatisfy {
                !$0.hasPrefix(".")
            })
    }
}
