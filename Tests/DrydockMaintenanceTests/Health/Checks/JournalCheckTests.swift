import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct JournalCheckTests {
    @Test(arguments: [false, true])
    func `a hot journal is reported, and the rest is checked as rolled back`(isHot: Bool) async throws {
        let it = try HealthCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x);" + HealthCase.numbers(500)
                + "INSERT INTO t SELECT n, zeroblob(500) FROM s")
        let writer = try PlainDatabase(it.path)
        try writer.execute("PRAGMA cache_size = 1; BEGIN; UPDATE t SET x = hex(randomblob(250))")
        let copy = it.folder.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: it.path, toPath: copy)
        if isHot { try FileManager.default.copyItem(atPath: it.path + "-journal", toPath: copy + "-journal") }
        try writer.execute("ROLLBACK")
        let before = try it.folder.contents()
        let health = try await it.health {
            $0.databases = [copy]; $0.isDeep = true
        }
        #expect(try it.folder.contents() == before)
        #expect(health.findings.contains { $0.rule == .journal } == isHot)
        if isHot { #expect(!health.findings.contains { $0.rule == .integrityFailure }) }
        #expect(health.notReached.isEmpty)
    }

    @Test func `a log that nobody has open is a note, and stays`() async throws {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        let writer = try PlainDatabase(it.path)
        try writer.execute("INSERT INTO t VALUES(1)")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(
                atPath: it.path + suffix, toPath: it.folder.file("copy.sqlite" + suffix))
        }
        let before = try it.folder.contents().filter { $0.key.hasPrefix("copy") }
        let health = try await it.health { $0.databases = [it.folder.file("copy.sqlite")] }
        #expect(try it.folder.contents().filter { $0.key.hasPrefix("copy") } == before)
        #expect(health.findings.filter { $0.rule == .journal }.map(\.severity) == [.note])
    }

    private static func logged(_ rows: Int = 3) throws -> (HealthCase, String) {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        let writer = try PlainDatabase(it.path)
        for number in 1...rows { try writer.execute("INSERT INTO t VALUES(\(number))") }
        let copy = it.folder.file("copy.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: it.path + suffix, toPath: copy + suffix)
        }
        return (it, copy)
    }

    /// Damages a byte of the log's header.
    @Test(arguments: [0, 3, 8, 13, 17, 20, 24, 31])
    func `a log with a damaged header is a warning`(_ place: Int) async throws {
        let (it, copy) = try Self.logged()
        var log = [UInt8](try Data(contentsOf: URL(filePath: copy + "-wal")))
        let frames = (log.count - 32) / 4120
        log[place] ^= 0x40
        try it.folder.write("copy.sqlite-wal", log)
        let found = try await it.findings("journal") { $0.databases = [copy] }
        let warning = try #require(found.first)
        #expect(found.map(\.severity) == [.warning])
        #expect(
            warning.message
                == "the write-ahead log's header is damaged, so SQLite ignores it: \(frames) pages in it may be lost"
        )
        #expect(try PlainDatabase(copy).rows("SELECT count(*) FROM t") { $0.integer(0) } == [0])
    }

    @Test func `a log that breaks off before commits is a warning`() async throws {
        let (it, copy) = try Self.logged()
        var log = [UInt8](try Data(contentsOf: URL(filePath: copy + "-wal")))
        let frames = (log.count - 32) / 4120
        log[32 + (frames - 2) * 4120 + 100] ^= 1
        try it.folder.write("copy.sqlite-wal", log)
        let found = try await it.findings("journal") { $0.databases = [copy] }
        #expect(
            found.first { $0.severity == .warning }?.message
                == "the write-ahead log breaks off at frame \(frames - 1), and SQLite does not read 2 transactions after it"
        )
    }

    /// The states that crashes, rollbacks and checkpoints leave.
    @Test(arguments: [
        "whole", "no byte", "a piece of a header", "a header", "zeros", "torn", "rolled back", "begun anew",
    ])
    func `a log that is as SQLite leaves it is none`(_ how: String) async throws {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        let writer = try PlainDatabase(it.path)
        try writer.execute("PRAGMA cache_size = 1; INSERT INTO t VALUES(1); INSERT INTO t VALUES(2)")
        if how == "rolled back" {
            try writer.execute(
                "BEGIN;" + HealthCase.numbers(500)
                    + "INSERT INTO t SELECT randomblob(500) FROM s; ROLLBACK; INSERT INTO t VALUES(3)")
        }
        if how == "begun anew" {
            try writer.execute(HealthCase.numbers(500) + "INSERT INTO t SELECT randomblob(500) FROM s")
            try writer.execute("PRAGMA wal_checkpoint(RESTART); INSERT INTO t VALUES(3)")
        }
        let copy = it.folder.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: it.path, toPath: copy)
        var log = [UInt8](try Data(contentsOf: URL(filePath: it.path + "-wal")))
        switch how {
        case "no byte": log = []
        case "a piece of a header": log = Array(log[..<20])
        case "a header": log = Array(log[..<32])
        case "zeros": log = log.map { _ in 0 }
        case "torn": log.removeLast(1000)
        default: break
        }
        try it.folder.write("copy.sqlite-wal", log)
        let found = try await it.findings("journal") { $0.databases = [copy] }
        #expect(found.allSatisfy { $0.severity == .note }, "\(found.map(\.message))")
    }

    @Test(arguments: ["-wal", "-journal"])
    func `a log or journal beside an empty file is reported`(_ suffix: String) async throws {
        let (it, copy) = try Self.logged()
        let bytes =
            suffix == "-wal"
            ? [UInt8](try Data(contentsOf: URL(filePath: copy + "-wal")))
            : [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7] + [UInt8](repeating: 1, count: 600)
        try it.folder.remove("copy.sqlite-wal")
        try it.folder.write("copy.sqlite", "")
        try it.folder.write("copy.sqlite" + suffix, bytes)
        let before = try it.folder.contents().filter { $0.key.hasPrefix("copy") }
        for without in [Set<String>(), ["file-header"]] {
            let health = try await it.health {
                $0.databases = [copy]; $0.without = without
            }
            let error = try #require(health.findings.first { $0.severity == .error })
            #expect(error.help.hasPrefix("Copy what lies beside the file away"))
        }
        #expect(try it.folder.contents().filter { $0.key.hasPrefix("copy") } == before)
    }

    @Test func `a log that a program has open is not reported`() throws {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        let writer = try PlainDatabase(it.path)
        try writer.execute("INSERT INTO t VALUES(1)")
        // Locks of this process would not be seen, so a separate process checks.
        #expect(try !Tool(folder: it.folder).run("health", it.path, "-v").output.contains("[journal]"))
    }
}
