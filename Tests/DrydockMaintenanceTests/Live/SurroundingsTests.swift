import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import TestTools
import Testing

@testable import DrydockTestSupport

/// Checks that each command does the right thing, and says so, without rights or space, beside locks and after crashes.
@Suite struct SurroundingsTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("a.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func make(_ mode: String) throws {
        try PlainDatabase(path).execute(
            "PRAGMA journal_mode = \(mode); CREATE TABLE t(id INTEGER PRIMARY KEY, x);"
                + HealthCase.numbers(1000)
                + "INSERT INTO t SELECT n, zeroblob(500) FROM s; DELETE FROM t WHERE id % 2")
    }

    private func vacuum() async throws -> VacuumSummary {
        var request = VacuumRequest(path: path)
        request.busyTimeout = .milliseconds(200)
        return try #require(try await Vacuum(engine: GRDBDriver()).run(request).vacuum)
    }

    // MARK: - Rights

    private static let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]

    private static func run(_ command: [String]) -> Tool.Result? {
        let (process, output, errors) = (ChildProcess(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        (process.standardOutput, process.standardError) = (output, errors)
        guard (try? process.run()) != nil else { return nil }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Tool.Result(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: complaint, as: UTF8.self))
    }

    /// Whether the tests run as root, with util-linux, and with the tool in a folder that others may enter.
    private static let canDropRights = run(nobody + [Tool.path, "--version"])?.status == 0

    @Test(
        .enabled(if: canDropRights, "needs root, setpriv, and a build that others may run"),
        arguments: ["delete", "wal"])
    func `a user who may only read`(mode: String) throws {
        try make(mode)
        let before = try folder.contents()
        func run(_ arguments: String...) throws -> Tool.Result {
            try #require(Self.run(Self.nobody + [Tool.path] + arguments + [path]))
        }
        #expect(try run("health", "--deep").status == 0)
        #expect(try run("stats").status == 0)
        let vacuum = try run("vacuum")
        #expect(vacuum.status == 2 && vacuum.errors.contains("cannot be written by this user"))
        let target = "/tmp/drydock-\(UUID().uuidString).sqlite"
        defer { try? FileManager.default.removeItem(atPath: target) }
        let into = try run("vacuum", "--into", target)
        #expect(mode == "delete" ? into.status == 0 : into.errors.contains("-shm"), "\(into)")
        #expect(try folder.contents() == before)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        for command in ["health", "stats", "vacuum"] {
            let result = try run(command)
            #expect(result.status == 2)
            #expect((result.output + result.errors).lowercased().contains("permission denied"), "\(result)")
        }
        #expect(try folder.contents() == before)
    }

    // MARK: - Room

    /// Whether a small file system can be mounted.
    private static let canMount: Bool = {
        guard getuid() == 0, let folder = try? TemporaryFolder() else { return false }
        defer { _ = run(["umount", folder.path]) }
        return run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path])?.status == 0
    }()

    @Test(.enabled(if: canMount, "needs the right to mount"), arguments: ["delete", "wal"])
    func `a full disk`(mode: String) throws {
        let mount = folder.file("small")
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        #expect(Self.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", mount])?.status == 0)
        defer { _ = Self.run(["umount", "-l", mount]) }
        let path = mount + "/a.sqlite"
        let database = try PlainDatabase(path)
        try database.execute("PRAGMA journal_mode = \(mode); CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
        // Fills the disk until nothing more fits.
        while (try? database.execute("INSERT INTO t(x) VALUES (zeroblob(50000))")) != nil {}
        while (try? database.execute("INSERT INTO t(x) VALUES (zeroblob(500))")) != nil {}
        let count = try database.firstRow("SELECT count(*) FROM t") { $0.integer(0) }
        let tool = Tool(folder: folder)
        let health = try tool.run("health", path, "--deep")
        #expect(health.status == 1 && health.output.contains("disk-space"), "\(health)")
        #expect(try tool.run("stats", path).status == 0)
        for arguments in [["vacuum", path], ["vacuum", path, "--temporary-folder", folder.path]] {
            let result = try tool.run(arguments)
            #expect(result.status == 2 && result.errors.contains("bytes free and"), "\(result)")
        }
        _ = Self.run(["dd", "if=/dev/zero", "of=\(mount)/rest", "bs=512"])
        let report = try tool.run("health", path, "--report", "prometheus=\(mount)/out.prom")
        #expect(report.status == 2 && report.errors.contains("cannot be written"), "\(report)")
        #expect(try database.firstRow("SELECT count(*) FROM t") { $0.integer(0) } == count)
        #expect(try tool.run("vacuum", path, "--into", folder.file("b.sqlite")).status == 0)
    }

    @Test func `a pipe is not waited for`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let tool = Tool(folder: folder)
        for command in ["health", "stats", "vacuum"] {
            let result = try tool.run(command, path)
            #expect(result.status == 2 && (result.output + result.errors).contains("not a regular file"))
        }
    }

    // MARK: - Others

    @Test(arguments: ["delete", "wal"], ["", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
    func `another program's lock`(mode: String, lock: String) async throws {
        try make(mode)
        let before = try PlainDatabase(path).literals("SELECT * FROM t")
        let other = try PlainDatabase(path)
        try other.execute(lock.isEmpty ? "BEGIN" : lock)
        #expect(try other.firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 500)
        if !lock.isEmpty { try other.execute("INSERT INTO t(x) VALUES ('not yet')") }
        let tool = Tool(folder: folder)
        let health = try tool.run("health", path, "--deep", "--format", "json")
        #expect(health.status == 0, "\(health)")
        #expect(try parsedJSON(health.output)["notChecked"] as? [String] == [])
        let stats = try tool.run("stats", path)
        // No program may read a file that is about to be written.
        let isShut = mode == "delete" && lock == "BEGIN EXCLUSIVE"
        #expect(
            isShut ? stats.errors.contains("another program has it locked") : stats.status == 0, "\(stats)")
        if mode == "wal", lock.isEmpty {
            let report = try await vacuum()
            #expect(
                report.method == .inPlace
                    && report.notes.contains { $0.contains("another program is reading the log") })
        } else {
            let error = await #expect(throws: RequestError.self) { try await vacuum() }
            #expect(error?.description.contains("nother program has") == true, "\(error as Any)")
        }
        try other.execute("ROLLBACK")
        #expect(try other.literals("SELECT * FROM t") == before)
    }

    @Test func `a hot journal`() async throws {
        let source = folder.file("source.sqlite")
        let database = try PlainDatabase(source)
        try database.execute(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x);" + HealthCase.numbers(1000)
                + "INSERT INTO t SELECT n, zeroblob(500) FROM s; PRAGMA cache_size = 5; BEGIN; UPDATE t SET x = 'lost'"
        )
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
        }
        let before = try folder.copiedContents()
        let tool = Tool(folder: folder)
        let health = try tool.run("health", path, "--deep")
        #expect(health.status == 1 && health.output.contains("a hot journal of"), "\(health)")
        #expect(!health.output.contains("error["))
        for arguments in [["stats", path], ["vacuum", path, "--dry-run"]] {
            let result = try tool.run(arguments)
            #expect(result.status == 2 && result.errors.contains("rolls that back"), "\(result)")
        }
        #expect(try folder.copiedContents() == before)
        #expect(try await vacuum().rowsCompared == 1000)
    }

    @Test func `a large log`() async throws {
        let other = try PlainDatabase(path)
        try other.execute(
            "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(id INTEGER PRIMARY KEY, x)"
        )
        let megabytes = isSoak ? 110 : 12
        for _ in 0..<megabytes {
            try other.execute(
                "BEGIN;" + HealthCase.numbers(1000)
                    + "INSERT INTO t(x) SELECT randomblob(1000) FROM s; COMMIT")
        }
        let tool = Tool(folder: folder)
        let health = try tool.run("health", path, "-w", "wal-size=1000000", "--format", "json")
        #expect(health.status == 1 && health.output.contains("wal-size"), "\(health)")
        #expect(try parsedJSON(health.output)["notChecked"] as? [String] == [])
        let stats = try parsedJSON(try tool.run("stats", path, "--format", "json").output)
        #expect(stats["verdict"] as? String == "passed")
        #expect(try await vacuum().rowsCompared == megabytes * 1000)
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int == 0)
        #expect(try other.firstRow("SELECT count(*) FROM t") { Int($0.integer(0)) } == megabytes * 1000)
    }
}
