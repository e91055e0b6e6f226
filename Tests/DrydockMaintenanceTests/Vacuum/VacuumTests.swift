import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// Checks that a vacuum frees space and loses nothing, whatever the database is like.
@Suite struct VacuumTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("a db's.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private static let rows = """
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 1500)
        INSERT INTO t SELECT n, zeroblob(n % 900) FROM s;
        """

    private func make(_ sql: String) throws {
        try PlainDatabase(path).execute(sql)
    }

    private func vacuum(_ configure: (inout VacuumRequest) -> Void = { _ in }) async throws -> VacuumSummary {
        var request = VacuumRequest(path: path)
        request.busyTimeout = .milliseconds(300)
        configure(&request)
        return try #require(try await Vacuum(engine: GRDBDriver()).run(request).vacuum)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test(arguments: ["delete", "wal", "truncate"], ["none", "full", "incremental"])
    func `rows, schema and settings are kept`(journal: String, vacuum mode: String) async throws {
        let encoding = mode == "full" ? "UTF-16le" : "UTF-8"
        try make(
            """
            PRAGMA page_size = 1024; PRAGMA encoding = '\(encoding)'; PRAGMA auto_vacuum = \(mode);
            PRAGMA journal_mode = \(journal); PRAGMA user_version = 7; PRAGMA application_id = -3;
            CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX t_x ON t(x);
            CREATE TABLE keyless(a, b); INSERT INTO keyless(rowid, a) VALUES (-5, 'x'), (900, 'x'), (7, NULL);
            CREATE TABLE w(a TEXT COLLATE NOCASE, b, PRIMARY KEY(b, a)) WITHOUT ROWID;
            INSERT INTO w VALUES ('a', 1), ('A', 2), (x'00ff', 1.5);
            CREATE TABLE "a ""b""'c"("select" INTEGER PRIMARY KEY AUTOINCREMENT, g AS ("select" + 1) STORED);
            INSERT INTO "a ""b""'c" VALUES (40);
            CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f(rowid, x) VALUES (3, 'hello');
            CREATE VIRTUAL TABLE c USING fts5(x, content = 't', content_rowid = 'id');
            CREATE VIEW v AS SELECT x FROM t; CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1; END;
            \(Self.rows) DELETE FROM t WHERE id % 3;
            """)
        let before = try content()
        let report = try await vacuum()
        #expect(report.method == .installed && report.copies == 1)
        #expect(report.tablesCompared >= 5 && report.rowsCompared >= 507)
        #expect(try content() == before)
        #expect(report.bytesAfter < report.forecast.bytes || mode == "full")
        let database = try PlainDatabase(path)
        #expect(
            try database.firstRow("PRAGMA journal_mode") { $0.string(0) }
                == (journal == "wal" ? "wal" : "delete"))
        #expect(try database.firstRow("PRAGMA freelist_count") { $0.integer(0) } == 0)
        #expect(try database.firstRow("SELECT rowid FROM f WHERE f MATCH 'hello'") { $0.integer(0) } == 3)
        try database.execute("INSERT INTO \"a \"\"b\"\"'c\" DEFAULT VALUES")
        #expect(
            try database.firstRow("SELECT max(\"select\") FROM \"a \"\"b\"\"'c\"") { $0.integer(0) } == 41)
    }

    private func content() throws -> [String: [[String]]] {
        let database = try PlainDatabase(path)
        var result: [String: [[String]]] = [:]
        result["schema"] = try database.literals(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
        for pragma in ["user_version", "application_id", "encoding", "auto_vacuum", "page_size"] {
            result[pragma] = try database.literals("PRAGMA \(pragma)")
        }
        for table in ["t", "keyless", "f", "\"a \"\"b\"\"'c\""] {
            result[table] = try database.literals("SELECT rowid, * FROM \(table) ORDER BY rowid")
        }
        result["w"] = try database.literals("SELECT * FROM w ORDER BY b, a")
        result["sequence"] = try database.literals("SELECT * FROM sqlite_sequence")
        return result
    }

    @Test func `a file without a byte is left as it is`() async throws {
        try folder.write("a db's.sqlite", "")
        for isForecast in [true, false] {
            let summary = try await vacuum { ($0.isForecast, $0.analyzes) = (isForecast, true) }
            #expect(summary.method == .untouched && summary.bytesAfter == 0)
        }
        #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
        #expect(try names() == ["a db's.sqlite"])
    }

    @Test func `a forecast writes nothing and is close`() async throws {
        try make("CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows) DELETE FROM t WHERE id % 2")
        let bytes = try Data(contentsOf: URL(filePath: path))
        let forecast = try await vacuum { $0.isForecast = true }
        #expect(try forecast.method == .forecast && Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(
            forecast.forecast.needs.count == 2 && forecast.forecast.needs.allSatisfy { ($0.free ?? 1) > 0 })
        let report = try await vacuum()
        #expect(abs(report.bytesAfter - forecast.bytesAfter) <= report.bytesAfter / 10)
        #expect(try names() == ["a db's.sqlite"])
    }

    @Test(arguments: [1024, 16384, 65536])
    func `a forecast for another page size is close, and says how long it takes`(pageSize: Int) async throws {
        try make(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x); \(Self.rows)
            INSERT INTO t SELECT id + 5000, zeroblob(id * 10) FROM t WHERE id % 5 = 0; DELETE FROM t WHERE id % 2
            """)
        let forecast = try await vacuum { ($0.isForecast, $0.pageSize) = (true, pageSize) }
        #expect((forecast.forecast.seconds ?? 0) > 0 && (forecast.forecast.sampleBytes ?? 0) > 0)
        let report = try await vacuum { $0.pageSize = pageSize }
        #expect(
            abs(report.bytesAfter - forecast.bytesAfter) <= max(2 * pageSize, report.bytesAfter / 8),
            "\(forecast.bytesAfter) \(report.bytesAfter)")
    }

    @Test func `a write-ahead log needs room for every new page and its frame`() async throws {
        try make("PRAGMA journal_mode = wal; CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows)")
        let forecast = try await vacuum { $0.isForecast = true }.forecast
        let log = try #require(forecast.needs.first { $0.purpose.hasPrefix("the write-ahead log") })
        #expect(log.bytes == 32 + forecast.bytesAfter / 4096 * 4120)
    }

    @Test(arguments: ["persist", "truncate", "delete"])
    func `the journal is left as its mode leaves it`(mode: String) async throws {
        let other = try PlainDatabase(path)
        try other.execute(
            "PRAGMA journal_mode = \(mode); CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows) DELETE FROM t WHERE id % 2"
        )
        let size = try? FileManager.default.attributesOfItem(atPath: path + "-journal")[.size] as? Int
        #expect((size != nil) == (mode != "delete"))
        #expect(try await vacuum().method == .installed)
        let after = try? FileManager.default.attributesOfItem(atPath: path + "-journal")[.size] as? Int
        #expect(after == size)
        try other.execute("INSERT INTO t VALUES (9000, 'later')")
        #expect(try PlainDatabase(path).firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 751)
    }

    @Test(arguments: ["", "PRIMARY KEY(c1999)", "WITHOUT ROWID"])
    func `a table of 2000 columns is compared like any other`(key: String) async throws {
        let names = (0..<2000).map { "c\($0)" }.joined(separator: ", ")
        let suffix =
            key == "WITHOUT ROWID" ? ", PRIMARY KEY(c1999)) WITHOUT ROWID" : key.isEmpty ? ")" : ", \(key))"
        try make(
            "CREATE TABLE w(\(names)\(suffix); INSERT INTO w(c5, c1999) VALUES (7, 'a'), (8, 'b'); CREATE TABLE gone(x);"
                + "INSERT INTO gone VALUES (zeroblob(50000)); DROP TABLE gone")
        #expect(try await vacuum().rowsCompared == 2)
        #expect(try PlainDatabase(path).firstRow("SELECT c5 FROM w WHERE c1999 = 'b'") { $0.integer(0) } == 8)
    }

    @Test func `another page size, and statistics`() async throws {
        try make("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x); \(Self.rows)")
        _ = try await vacuum {
            $0.pageSize = 16384
            $0.analyzes = true
        }
        let database = try PlainDatabase(path)
        #expect(try database.firstRow("PRAGMA page_size") { $0.integer(0) } == 16384)
        #expect(try database.firstRow("SELECT count(*) FROM sqlite_stat1") { $0.integer(0) } ?? 0 > 0)
        try database.execute("PRAGMA journal_mode = wal")
        await #expect(throws: RequestError.self) { try await vacuum { $0.pageSize = 4096 } }
    }

    @Test func `a copy into another file leaves the database unchanged`() async throws {
        try make("CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows) DELETE FROM t WHERE id % 2")
        let bytes = try Data(contentsOf: URL(filePath: path))
        let report = try await vacuum { $0.into = folder.file("small.sqlite") }
        #expect(report.method == .into && report.rowsCompared == 750)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(
            try PlainDatabase(folder.file("small.sqlite")).firstRow("SELECT count(*) FROM t") {
                $0.integer(0)
            } == 750)
        await #expect(throws: RequestError.self) {
            try await vacuum { $0.into = folder.file("small.sqlite") }
        }
    }

    @Test func `free pages are returned in slices`() async throws {
        try make(
            "PRAGMA auto_vacuum = incremental; CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows) DELETE FROM t WHERE id > 100"
        )
        let free = try PlainDatabase(path).firstRow("PRAGMA freelist_count") { Int($0.integer(0)) } ?? 0
        try #require(free > 20)
        let report = try await vacuum { $0.incrementalPages = 10 }
        #expect(
            report.bytesAfter == report.forecast.bytes - 10 * 4096
                && report.bytesAfter == report.forecast.bytesAfter)
        _ = try await vacuum { $0.incrementalPages = 1_000_000 }
        #expect(try PlainDatabase(path).firstRow("PRAGMA freelist_count") { $0.integer(0) } == 0)
    }

    @Test func `a program that has the file open keeps it and sees new rows`() async throws {
        try make("CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows) DELETE FROM t WHERE id % 2")
        let other = try PlainDatabase(path)
        #expect(try other.firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 750)
        #expect(try await vacuum().method == .installed)
        try other.execute("INSERT INTO t VALUES (5000, 'later')")
        #expect(try PlainDatabase(path).firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 751)
    }

    @Test func `a log that others have open is vacuumed in place, unless rowids matter`() async throws {
        try make("PRAGMA journal_mode = wal; CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows)")
        let other = try PlainDatabase(path)
        try other.execute("DELETE FROM t WHERE id % 2")
        let report = try await vacuum()
        #expect(report.method == .inPlace && report.rowsCompared == 750 && !report.notes.isEmpty)
        try other.execute("INSERT INTO t VALUES (5000, 'later')")
        #expect(try PlainDatabase(path).firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 751)
        try other.execute("CREATE VIRTUAL TABLE c USING fts5(x, content = 't', content_rowid = 'id')")
        let error = await #expect(throws: RequestError.self) { try await vacuum() }
        #expect(error?.description.contains("--into") == true)
    }

    @Test func `a lock, a read-only file and damage are reported, and nothing changes`() async throws {
        try make("CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows)")
        do {
            let other = try PlainDatabase(path)
            try other.execute("BEGIN IMMEDIATE")
            let error = await #expect(throws: RequestError.self) { try await vacuum() }
            #expect(error?.description.contains("another program has") == true)
        }
        #expect(try names() == ["a db's.sqlite"])
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.seek(toOffset: 4096 * 3)
        handle.write(Data(repeating: 0xEE, count: 4096))
        try handle.close()
        let bytes = try Data(contentsOf: URL(filePath: path))
        await #expect(throws: RequestError.self) { try await vacuum() }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(try names() == ["a db's.sqlite"])
        await #expect(throws: RequestError.self) {
            try await Vacuum(engine: GRDBDriver()).run(VacuumRequest(path: folder.file("no")))
        }
    }

    @Test func `a VACUUM in place that would change rowids is refused`() async throws {
        try make(
            "PRAGMA journal_mode = wal; CREATE TABLE note(body); INSERT INTO note SELECT value FROM json_each('[1,2,3,4,5]')"
        )
        let other = try PlainDatabase(path)
        try other.execute("SELECT * FROM note")
        #expect(try await vacuum().method == .inPlace)
        try other.execute("DELETE FROM note WHERE rowid < 3")
        let error = await #expect(throws: RequestError.self) { try await vacuum() }
        #expect(error?.description.contains("note") == true)
        #expect(
            try other.literals("SELECT min(rowid), max(rowid) FROM note")
                == PlainDatabase().literals("SELECT 3, 5"))
    }

    @Test func `files of others stay`() async throws {
        try make("CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows)")
        let names = [".drydock-vacuum-20241121", ".drydock-vacuum-zzzzzzzzzzzzzzzz", "-vacuum-1", ".bak"]
        for name in names { try Data("mine".utf8).write(to: URL(filePath: path + name)) }
        try Data().write(to: URL(filePath: path + ".drydock-vacuum-0123456789abcdef"))
        _ = try await vacuum()
        #expect(try self.names() == (["a db's.sqlite"] + names.map { "a db's.sqlite" + $0 }).sorted())
        try Data("mine".utf8).write(to: URL(filePath: folder.file("small.sqlite-wal")))
        await #expect(throws: RequestError.self) {
            try await vacuum { $0.into = folder.file("small.sqlite") }
        }
        #expect(FileManager.default.fileExists(atPath: folder.file("small.sqlite-wal")))
    }

    @Test func `a copy has the permissions of its original, and does not write the log`() async throws {
        try make("PRAGMA journal_mode = wal; CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows)")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let bytes = try Data(contentsOf: URL(filePath: path))
        let small = folder.file("small.sqlite")
        _ = try await vacuum {
            $0.into = small
            $0.analyzes = true
        }
        #expect(try FileManager.default.attributesOfItem(atPath: small)[.posixPermissions] as? Int == 0o640)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        let count = try PlainDatabase(small).firstRow("SELECT count(*) FROM sqlite_stat1") { $0.integer(0) }
        #expect((count ?? 0) > 0)
    }

    @Test func `making a copy leaves an existing log in place`() async throws {
        let source = folder.file("source.sqlite")
        let database = try PlainDatabase(source)
        try database.execute(
            "PRAGMA journal_mode = wal; CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows)")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
        }
        let before = ["", "-wal"].map { FileManager.default.contents(atPath: path + $0) }
        let report = try await vacuum { $0.into = folder.file("small.sqlite") }
        #expect(report.rowsCompared == 1500)
        #expect(["", "-wal"].map { FileManager.default.contents(atPath: path + $0) } == before)
    }

    @Test func `pages that nothing refers to are not dropped`() async throws {
        try make(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows) PRAGMA writable_schema = on;
            DELETE FROM sqlite_schema WHERE name = 't'
            """)
        let bytes = try Data(contentsOf: URL(filePath: path))
        for isForecast in [true, false] {
            let error = await #expect(throws: RequestError.self) {
                try await vacuum { $0.isForecast = isForecast }
            }
            #expect(error?.description.contains(".recover") == true)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    @Test(arguments: [":memory:", "file:a.db", "a?b#c%20.db"])
    func `a path is only ever the name of a file`(name: String) async throws {
        let path = folder.file(name)
        try PlainDatabase(
            "file:" + path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
        )
        .execute("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)")
        let tool = Tool(folder: folder)
        let result = try tool.run("vacuum", name, "--into", "copy.db")
        #expect(result.status == 0 && result.output.contains("2 rows in 1 table"), "\(result)")
        #expect(try tool.run("stats", name, "--format", "json").output.contains("\"name\" : \"t\""))
    }

    @Test func `a hot journal is rolled back first`() async throws {
        let source = folder.file("source.sqlite")
        let database = try PlainDatabase(source)
        try database.execute(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x); \(Self.rows) PRAGMA cache_size = 5; BEGIN; UPDATE t SET x = 'lost'"
        )
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
        }
        await #expect(throws: RequestError.self) { try await vacuum { $0.isForecast = true } }
        #expect(try await vacuum().rowsCompared == 1500)
        #expect(
            try PlainDatabase(path).firstRow("SELECT count(*) FROM t WHERE x = 'lost'") { $0.integer(0) } == 0
        )
    }
}
