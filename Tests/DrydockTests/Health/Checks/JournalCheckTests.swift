import Drydock
import Foundation
import Testing

@Suite struct JournalCheckTests {
    @Test(arguments: [false, true])
    func `a hot journal is told, and the rest is checked as it will be taken back`(isHot: Bool) async throws {
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
        #expect(health.findings.contains { $0.check == "journal" } == isHot)
        if isHot { #expect(!health.findings.contains { $0.check == "integrity" }) }
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
        #expect(health.findings.filter { $0.check == "journal" }.map(\.severity) == [.note])
    }

    @Test func `a log that a program has open is none`() throws {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        let writer = try PlainDatabase(it.path)
        try writer.execute("INSERT INTO t VALUES(1)")
        // Of this process the locks would not be seen, so the tool looks.
        #expect(try !Tool(folder: it.folder).run("health", it.path, "-v").output.contains("[journal]"))
    }
}
