import Drydock
import Foundation
import GRDBEngine
import Testing
import TestTools

@testable import DrydockTestSupport

/// Checks that `drydock stats` is right in whatever state a writer left the database.
@Suite struct StatisticsTests {
    private static let schema = """
        CREATE TABLE a(id INTEGER PRIMARY KEY, x); CREATE TABLE b(id INTEGER PRIMARY KEY, y TEXT UNIQUE);
        CREATE INDEX a_x ON a(x);
        """
    private static let rows = """
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 2000)
        INSERT INTO a SELECT n, zeroblob(n % 700) FROM s;
        INSERT INTO b SELECT id, 'text ' || (id * 7919 % 2003) FROM a;
        """
    /// Keeps the row counts of both tables equal at the end of every transaction.
    private static let write = """
        BEGIN; INSERT INTO a SELECT max(id) + 1, zeroblob(5000) FROM a;
        INSERT INTO b SELECT max(id) + 1, hex(randomblob(20)) FROM b;
        DELETE FROM a WHERE id < (SELECT max(id) - 2100 FROM a);
        DELETE FROM b WHERE id < (SELECT max(id) - 2100 FROM b); COMMIT
        """

    private func read(_ path: String) async throws -> DatabaseStatistics {
        try await StatisticsReader(engine: GRDBDriver()).statistics(of: path)
    }

    private func entries(_ statistics: DatabaseStatistics, _ name: String) -> Int? {
        statistics.objects.first { $0.name == name }?.entries
    }

    @Test(arguments: ["none", "full", "incremental"], [512, 4096, 65536])
    func `every page has its use, and VACUUM frees about as much as predicted`(vacuum: String, pageSize: Int)
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        let database = try PlainDatabase(path)
        try database.execute(
            "PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(vacuum);" + Self.schema + Self.rows)
        try database.execute("DELETE FROM a WHERE id % 3 = 0; DELETE FROM b WHERE id < 500")
        let before = try await read(path)
        #expect(before.lostPages == 0)
        #expect(before.autoVacuum.rawValue == vacuum)
        #expect(try before.freelistPages == database.firstRow("PRAGMA freelist_count") { Int($0.integer(0)) })
        #expect(try before.pageCount == database.firstRow("PRAGMA page_count") { Int($0.integer(0)) })
        #expect(entries(before, "b") == 1501 && entries(before, "a_x") == entries(before, "a"))
        try database.execute("VACUUM")
        let size = try await read(path).byteCount
        let fault = abs(before.vacuumedByteCount - size)
        #expect(fault <= size / 10 + 4 * pageSize, "\(before.vacuumedByteCount) \(size)")
    }

    @Test(arguments: ["delete", "wal"])
    func `a reader neither waits for a writer nor sees half a write`(mode: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("live.sqlite")
        let database = try PlainDatabase(path)
        try database.execute("PRAGMA journal_mode = \(mode); PRAGMA wal_autocheckpoint = 5; " + Self.schema)
        try database.execute(Self.rows)
        try database.execute("PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF")
        let tool = Tool(folder: folder)
        for _ in 0..<10 {
            let process = ChildProcess()
            process.executableURL = URL(filePath: Tool.path)
            process.arguments = ["stats", path, "--format", "json"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            while process.isRunning {
                try database.execute(Self.write)
                try await Task.sleep(for: .microseconds(200))
            }
            let data = output.fileHandleForReading.readDataToEndOfFile()
            #expect(process.terminationStatus == 0)
            let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let objects = try #require(json["objects"] as? [[String: Any]])
            func rows(_ name: String) -> Int? {
                let object = objects.first { $0["name"] as? String == name }
                return (object?["space"] as? [String: Any])?["entries"] as? Int
            }
            #expect(rows("a") != nil && rows("a") == rows("b") && rows("a_x") == rows("a"))
            #expect(json["lostPages"] as? Int == 0)
        }
        #expect(try tool.run("stats", path).status == 0)
    }

    @Test func `a log that no program has open is read, and nothing is created beside it`() async throws {
        let folder = try TemporaryFolder()
        let source = folder.file("source.sqlite")
        let database = try PlainDatabase(source)
        try database.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; " + Self.schema)
        try database.execute(Self.rows)
        let path = folder.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: source, toPath: path)
        let empty = try await read(path)
        #expect(entries(empty, "a") == nil)
        try FileManager.default.copyItem(atPath: source + "-wal", toPath: path + "-wal")
        let whole = try await read(path)
        #expect(entries(whole, "a") == 2000 && whole.logFrames > 0)
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
    }

    @Test func `the log beside a link's target is read`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("data"), withIntermediateDirectories: true)
        let (path, link) = (folder.file("data/real.sqlite"), folder.file("link.sqlite"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let database = try PlainDatabase(path)
        try database.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; " + Self.schema)
        try database.execute(Self.rows)
        #expect(entries(try await read(link), "a") == 2000)
    }

    @Test func `files that a killed writer left are read and not changed`() async throws {
        let folder = try TemporaryFolder()
        let (source, path) = (folder.file("source.sqlite"), folder.file("killed.sqlite"))
        let database = try PlainDatabase(source)
        try database.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; " + Self.schema)
        try database.execute(Self.rows)
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
        }
        let before = try ["", "-wal", "-shm"].map { try Data(contentsOf: URL(filePath: path + $0)) }
        #expect(entries(try await read(path), "a") == 2000)
        #expect(try ["", "-wal", "-shm"].map { try Data(contentsOf: URL(filePath: path + $0)) } == before)
    }

    @Test func `a file that is not a database gets one sentence`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("text.sqlite", String(repeating: "no database ", count: 100))
        try folder.write("empty.sqlite", "")
        await #expect(throws: RequestError.self) { try await read(folder.file("text.sqlite")) }
        await #expect(throws: RequestError.self) { try await read(folder.path) }
        await #expect(throws: RequestError.self) { try await read(folder.file("missing.sqlite")) }
        #expect(try await read(folder.file("empty.sqlite")).pageCount == 0)
    }

    @Test func `damage is reported with its page`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("damaged.sqlite")
        try PlainDatabase(path).execute(Self.schema + Self.rows)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seek(toOffset: 4096 * 5)
        handle.write(Data(repeating: 0xFF, count: 4096))
        try handle.close()
        let error = await #expect(throws: RequestError.self) { try await read(path) }
        #expect(error?.description.contains("is damaged") == true)
        #expect(error?.description.contains("6") == true)
    }
}
