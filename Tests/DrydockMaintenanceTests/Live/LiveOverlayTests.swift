import DatabaseEngine
import Foundation
import GRDBEngine
import NIOEngine
import OverlayVFS
import Synchronization
import Testing
import TestTools

@testable import DrydockMaintenance
@testable import DrydockTestSupport

@Suite struct LiveOverlayTests {
    /// A thread that ran a slice may let its image go when the next lock is held.
    @Test func `an image of an earlier slice that is freed later leaves the lock`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        try PlainDatabase(path).execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let live = LiveOverlay(
            engine: GRDBDriver(), path: path, settings: ConnectionSettings(), limit: .seconds(86_400),
            isStopped: { false })
        let kept = Mutex<Image?>(nil)
        try await live.slice { slice in kept.withLock { $0 = slice.image } }
        await live.close()
        let isLocked = try await live.slice { _ in
            kept.withLock { $0 = nil }
            return try Self.cannotWrite(path)
        }
        await live.close()
        #expect(isLocked)
        #expect(try !Self.cannotWrite(path))
    }

    /// The journal of a writer is a file beside the database, which may go at any moment.
    @Test(arguments: [GRDBDriver() as any Engine, NIODriver()])
    func `a writer that gives up while the database is opened is no damage`(engine: any Engine) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        try PlainDatabase(path).execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let (process, input) = (ChildProcess(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", path]
        process.standardInput = input
        try process.run()
        let file = input.fileHandleForWriting
        @Sendable func tell(_ sql: String, until hasJournal: Bool) throws {
            try file.write(contentsOf: Data(sql.utf8))
            while FileManager.default.fileExists(atPath: path + "-journal") != hasJournal { usleep(1000) }
        }
        try tell("BEGIN IMMEDIATE; INSERT INTO t VALUES (2);\n", until: true)
        let live = LiveOverlay(
            engine: ActingEngine(base: engine) { try tell("ROLLBACK;\n", until: false) }, path: path,
            settings: ConnectionSettings(), limit: .seconds(86_400), isStopped: { false })
        let count = try await live.slice { try $0.connection.rows("SELECT a FROM t") { $0.integer(0) } }
        await live.close()
        try file.close()
        process.waitUntilExit()
        #expect(count == [1])
    }

    /// A commit between two slices is in the log only; a checkpoint during the second one writes it into the file.
    @Test(arguments: [GRDBDriver() as any Engine, NIODriver()])
    func `a checkpoint during a slice is no damage`(engine: any Engine) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        try PlainDatabase(path).execute(
            """
            PRAGMA journal_mode = WAL; CREATE TABLE t(a INTEGER PRIMARY KEY, b);
            WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT i, hex(randomblob(50)) FROM n
            """)
        let process = ChildProcess()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", path]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let (file, answers) = (input.fileHandleForWriting, output.fileHandleForReading)
        @Sendable func tell(_ sql: String) throws {
            try file.write(contentsOf: Data("\(sql); SELECT 'done';\n".utf8))
            var answer = ""
            while !answer.contains("done") {
                answer += String(decoding: answers.availableData, as: UTF8.self)
            }
        }
        let live = LiveOverlay(
            engine: engine, path: path, settings: ConnectionSettings(), limit: .seconds(86_400),
            isStopped: { false })
        try tell("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (0, 'x')")
        // What was written just before is mapped again for each slice.
        try await Task.sleep(for: FileStamps.tick * 2)
        let counts = Mutex<[Int64]>([])
        @Sendable func count(_ connection: any Connection) throws {
            let count = try connection.firstRow("SELECT count(b || a) FROM t") { $0.integer(0) }
            counts.withLock { $0.append(count ?? -1) }
        }
        try await live.slice { try count($0.connection) }
        try tell("DELETE FROM t WHERE a < 2000; UPDATE t SET a = a + 100000 WHERE a < 4000")
        try await live.slice { slice in
            try slice.connection.execute("PRAGMA cache_size = 10")
            try tell("PRAGMA wal_checkpoint")
            try count(slice.connection)
            let faults = try slice.connection.rows("PRAGMA integrity_check") { $0.string(0) }
            #expect(faults == ["ok"])
        }
        await live.close()
        try file.close()
        process.waitUntilExit()
        #expect(counts.withLock { $0 } == [5001, 3001])
    }

    /// Does something before it opens a database for the first time.
    private struct ActingEngine: Engine {
        let base: any Engine
        let action: @Sendable () throws -> Void

        var name: String { base.name }

        func open(
            _ location: DatabaseLocation, settings: ConnectionSettings
        ) async throws -> any OpenDatabase {
            try action()
            return try await base.open(location, settings: settings)
        }
    }

    /// Whether another process cannot write the file. A connection of this process would not see its own locks.
    private static func cannotWrite(_ path: String) throws -> Bool {
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", path, "INSERT INTO t VALUES (2)"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus != 0
    }
}
