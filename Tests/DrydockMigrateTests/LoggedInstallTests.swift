import CSQLite
import Foundation
import GRDBEngine
import NIOEngine
import OverlayVFS
import TestTools
import Testing

@testable import DatabaseEngine
@testable import DrydockFindings
@testable import DrydockMigrate
@testable import DrydockTestSupport

/// Checks that pages which Drydock appends to a write-ahead log are what SQLite would have committed, whatever readers,
/// writers and checkpoints of other connections do in between.
@Suite struct LoggedInstallTests {
    enum Driver: CaseIterable {
        case grdb, nio

        var engine: any Engine {
            switch self {
            case .grdb: GRDBDriver()
            case .nio: NIODriver()
            }
        }
    }

    private static let rounds = isSoak ? 2000 : 12

    @Test(
        arguments: few(
            4,
            of: pairs(
                Driver.allCases,
                [
                    "page_size = 512", "page_size = 4096", "page_size = 65536",
                    "page_size = 1024; PRAGMA auto_vacuum = full",
                ])))
    func `the content is the same as after the statements themselves`(driver: Driver, pragma: String)
        async throws
    {
        for seed in seeds(1, of: 2, soak: 20) {
            var fixture = try Fixture(driver.engine, pragma, seed: UInt64(seed))
            for round in 0..<Self.rounds / 2 {
                try await fixture.act()
                try fixture.check("seed \(seed), round \(round)")
            }
        }
    }

    /// The index of the log has a part for each 4096 frames, and the first one is smaller.
    @Test(arguments: [4061, 4062, 4063, 8158, 8159, 9000])
    func `a log of any length is continued`(frames: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("live.sqlite")
        let (other, reader) = (try PlainDatabase(path), try PlainDatabase(path))
        try other.execute(
            """
            PRAGMA page_size = 512; PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = off;
            CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, zeroblob(1000000))
            """)
        for number in try frameCount(path, pageSize: 512)..<frames - 3 {
            try other.execute("PRAGMA user_version = \(number)")
        }
        try reader.execute("BEGIN")
        let before = try reader.literals("SELECT * FROM t")
        #expect(try frameCount(path, pageSize: 512) == frames - 3)
        let base = try Overlay(snapshot: path).freeze().image
        let changed = try Fixture.state(
            base, after: "UPDATE t SET x = x || zeroblob(4000); CREATE TABLE u(y)")
        let delta = try #require(try PageDelta(from: changed.base, to: changed.end))
        let writer = try PlainDatabase(path)
        try writer.execute("BEGIN IMMEDIATE")
        #expect(try delta.append(on: writer))
        try writer.execute("ROLLBACK")
        #expect(try reader.literals("SELECT * FROM t") == before)
        try reader.execute("COMMIT")
        for database in [other, reader, try PlainDatabase(path)] {
            #expect(try database.word("PRAGMA integrity_check") == "ok")
            #expect(try database.word("SELECT count(*) FROM u") == "0")
        }
        try other.execute("INSERT INTO u VALUES (1)")
        #expect(try reader.word("SELECT length(CAST(x AS BLOB)) FROM t") == "1004000")
        #expect(try other.word("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
        #expect(try PlainDatabase(path).word("PRAGMA integrity_check") == "ok")
    }

    /// A process can be killed at any of these moments.
    @Test(arguments: ["", "a log", "a restarted log", "an emptied log"], [0, 1, 2])
    func `what is appended and not committed is seen by nobody`(log: String, moment: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("live.sqlite")
        let other = try PlainDatabase(path)
        try other.execute(
            """
            PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(id INTEGER PRIMARY KEY, x);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 300)
            INSERT INTO t SELECT n, randomblob(100) FROM s
            """)
        switch log {
        case "a restarted log": try other.execute("PRAGMA wal_checkpoint(RESTART)")
        case "an emptied log": try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        case "a log": try other.execute("PRAGMA wal_checkpoint(PASSIVE); UPDATE t SET x = 1 WHERE id = 7")
        default: break
        }
        let before = try other.literals("SELECT * FROM t")
        let changed = try Fixture.state(
            try Overlay(snapshot: path).freeze().image,
            after: "UPDATE t SET x = 'lost' || x; CREATE TABLE u(y)")
        let delta = try #require(try PageDelta(from: changed.base, to: changed.end))
        do {
            let writer = try PlainDatabase(path)
            try writer.execute("BEGIN IMMEDIATE")
            var log = try #require(try delta.writer(on: writer))
            if moment > 0 { try delta.append(to: &log) { _ in true } }
            if moment > 1 { _ = try log.prepareCommit() }
            try writer.execute("ROLLBACK")
        }
        #expect(try other.literals("SELECT * FROM t") == before)
        // As a power loss leaves the files; what was not committed may then be there, as a whole.
        let copy = folder.file("copy.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let recovered = try PlainDatabase(copy)
        #expect(try recovered.word("PRAGMA integrity_check") == "ok")
        if moment == 0 { #expect(try recovered.literals("SELECT * FROM t") == before) }
        try other.execute("UPDATE t SET x = 2 WHERE id = 8")
        #expect(try PlainDatabase(path).word("SELECT count(*) FROM t WHERE x = 2") == "1")
        #expect(try other.word("SELECT count(*) FROM t WHERE x LIKE 'lost%'") == "0")
        #expect(try other.word("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
        #expect(try other.word("PRAGMA integrity_check") == "ok")
    }

    @Test func `a log that is not what it should be is left to SQLite`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("live.sqlite")
        let writer = try PlainDatabase(path)
        try writer.execute("PRAGMA journal_mode = wal; CREATE TABLE t(x); INSERT INTO t VALUES (1)")
        let pages = 2
        func log(pageSize: Int = 4096, pageCount: Int = 2) throws -> LogWriter? {
            try LogWriter(of: writer, pageSize: pageSize, pageCount: pageCount)
        }
        #expect(try log(pageCount: pages) == nil, "no transaction")
        try writer.execute("BEGIN IMMEDIATE")
        #expect(try log(pageCount: pages) != nil)
        #expect(try log(pageSize: 512) == nil)
        #expect(try log(pageCount: pages + 1) == nil)
        truncate(path + "-wal", 100)
        #expect(try log() == nil)
        let plain = try PlainDatabase(folder.file("plain.sqlite"))
        try plain.execute("CREATE TABLE t(x); BEGIN IMMEDIATE")
        #expect(try LogWriter(of: plain, pageSize: 4096, pageCount: 2) == nil)
    }
}

extension PlainDatabase {
    /// Returns the first value of a query.
    fileprivate func word(_ sql: String) throws -> String? { try firstRow(sql) { $0.string(0) } }
}

/// The number of frames in a log that has not started over.
private func frameCount(_ path: String, pageSize: Int) throws -> Int {
    let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    return (try #require(size) - 32) / (pageSize + 24)
}

extension PageDelta {
    fileprivate func writer(on connection: any Connection) throws -> LogWriter? {
        try LogWriter(of: connection, pageSize: pageSize, pageCount: before.byteCount / pageSize)
    }

    fileprivate func append(on connection: any Connection) throws -> Bool {
        guard var log = try writer(on: connection) else { return false }
        try append(to: &log) { _ in true }
        try log.commit()
        return true
    }
}

/// A live database with a writer and readers, and one that gets the same statements from SQLite alone.
private struct Fixture {
    let folder: TemporaryFolder
    let engine: any Engine
    let model: PlainDatabase
    let writer: PlainDatabase
    var reader: (connection: PlainDatabase, content: [[String]])?
    var random: SeededGenerator
    var number = 0

    var path: String { folder.file("live.sqlite") }

    static let query = "SELECT * FROM t ORDER BY id"

    init(_ engine: any Engine, _ pragma: String, seed: UInt64) throws {
        folder = try TemporaryFolder()
        self.engine = engine
        random = SeededGenerator(seed: seed)
        model = try PlainDatabase(folder.file("model.sqlite"))
        writer = try PlainDatabase(folder.file("live.sqlite"))
        for database in [model, writer] {
            try database.execute(
                """
                PRAGMA \(pragma); PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 50;
                CREATE TABLE t(id INTEGER PRIMARY KEY, x, y); CREATE INDEX i ON t(x);
                WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 400)
                INSERT INTO t SELECT n, 'row ' || n, zeroblob(n) FROM s
                """)
        }
    }

    /// Returns two states, the second after statements.
    static func state(_ image: Image, after sql: String) throws -> (base: Image, end: Image) {
        let overlay = try Overlay(image)
        let database = try PlainDatabase(overlay.uri)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let base = overlay.freeze().image
        try database.execute(sql)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return (base, overlay.freeze().image)
    }

    private mutating func statements() -> String {
        number += 1
        let row = random.below(400) + 1
        return random.pick([
            "UPDATE t SET x = 'changed \(number)' WHERE id = \(row)",
            "UPDATE t SET y = zeroblob(\(random.below(5000))) WHERE id % 40 = \(row % 40)",
            "DELETE FROM t WHERE id BETWEEN \(row) AND \(row + 60)",
            "INSERT OR REPLACE INTO t(id, x, y) SELECT id + 3, 'new \(number)', zeroblob(300) FROM t WHERE id % 50 = \(row % 50)",
            "CREATE TABLE n\(number)(a PRIMARY KEY, b); INSERT INTO n\(number) SELECT x || id, y FROM t LIMIT 50",
            "ALTER TABLE t ADD COLUMN c\(number) DEFAULT 7",
            "DROP INDEX IF EXISTS i; CREATE INDEX i ON t(x, id)",
            "PRAGMA user_version = \(number)",
        ])
    }

    mutating func act() async throws {
        switch random.below(8) {
        case 0, 1:
            let sql = statements()
            for database in [model, writer] { try database.execute("BEGIN; \(sql); COMMIT") }
        case 2:
            if let reader {
                #expect(try reader.connection.literals(Self.query) == reader.content)
                try reader.connection.execute("COMMIT")
                self.reader = nil
            } else {
                let connection = try PlainDatabase(path)
                try connection.execute("BEGIN")
                reader = (connection, try connection.literals(Self.query))
            }
        case 3:
            let mode = random.pick(["PASSIVE", "FULL", "RESTART", "TRUNCATE"])
            try writer.execute("PRAGMA busy_timeout = 1")
            _ = try writer.literals("PRAGMA wal_checkpoint(\(mode))")
            try writer.execute("PRAGMA busy_timeout = 10000")
        case 4:
            try await install(statements(), isStopped: true)
        default:
            let sql = statements()
            try await install(sql, isStopped: false)
            try model.execute("BEGIN; \(sql); COMMIT")
        }
    }

    private mutating func install(_ sql: String, isStopped: Bool) async throws {
        let held = try await HeldDatabase.take(
            engine: engine, path: path, timeout: .seconds(1), stop: StopFlag())
        #expect(!held.isAlone)
        let states = try Self.state(try await held.image(), after: "BEGIN; \(sql); COMMIT")
        do {
            let outcome = try await held.install(states.end, over: states.base) { _, _ in !isStopped }
            guard case .installed(true, nil) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(!isStopped)
            #expect(try await held.isInstalled(states.end) == true)
        } catch let error as EngineError {
            #expect(isStopped && error.isInterrupt, "\(error)")
        }
        let faults = await held.release()
        if reader == nil { #expect(faults.isEmpty, "\(faults)") }
    }

    func check(_ moment: Comment) throws {
        let expected = try model.literals(Self.query)
        let schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
        for database in [writer, try PlainDatabase(path)] {
            #expect(try database.literals(Self.query) == expected, moment)
            #expect(try database.literals(schema) == (try model.literals(schema)), moment)
            #expect(try database.word("PRAGMA integrity_check") == "ok", moment)
            #expect(
                try database.literals("PRAGMA page_count") == (try model.literals("PRAGMA page_count")),
                moment)
        }
        if let reader { #expect(try reader.connection.literals(Self.query) == reader.content, moment) }
        // What a power loss leaves: the index is made from the log.
        let copy = folder.file("copy.sqlite")
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "rm -f \"$1\"*; cp \"$0\" \"$1\"; cp \"$0-wal\" \"$1-wal\"", path, copy]
        try process.run()
        process.waitUntilExit()
        #expect(try PlainDatabase(copy).literals(Self.query) == expected, moment)
    }
}
