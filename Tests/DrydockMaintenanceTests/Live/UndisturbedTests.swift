import Drydock
import Foundation
import GRDBEngine
import Testing
import TestTools

@testable import DrydockTestSupport

/// Checks that commands that only read leave a file unchanged, damaged or not, create nothing beside it, and read what
/// SQLite reads.
@Suite struct UndisturbedTests {
    private let folder: TemporaryFolder
    private let tool: Tool
    private var path: String { folder.file("a.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        tool = Tool(folder: folder)
    }

    /// Makes a database in WAL mode whose program was killed: everything is in the log.
    private func makeLogged() throws {
        let original = folder.file("original")
        let writer = try PlainDatabase(original)
        try writer.execute(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(id INTEGER PRIMARY KEY, x);"
                + HealthCase.numbers(50) + "INSERT INTO t SELECT n, hex(n) FROM s")
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "cp \"$0\" \"$1\"; cp \"$0-wal\" \"$1-wal\"", original, path]
        try process.run()
        process.waitUntilExit()
        for suffix in ["", "-wal", "-shm"] { try? folder.remove("original" + suffix) }
        withExtendedLifetime(writer) {}
    }

    private func poke(_ bytes: [UInt8], at offset: Int) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }

    private static let reading = [
        ["stats"], ["vacuum", "--dry-run"], ["health"], ["health", "--deep"], ["schema"],
        ["migrate", "--check"],
    ]

    enum Damage: CaseIterable {
        case none, zeroHeader, noise, short, empty, oldVersionToWrite, oldVersionToRead, pageSize, noLog,
            torn, leftLog
    }

    @Test(arguments: Damage.allCases) func `the folder is unchanged`(damage: Damage) throws {
        try makeLogged()
        switch damage {
        case .none: break
        case .zeroHeader: try poke(Array(repeating: 0, count: 100), at: 0)
        case .noise: try poke((0..<100).map { UInt8($0 * 7 % 251) }, at: 0)
        case .short: try folder.write("a.sqlite", "xyz")
        case .empty: try folder.write("a.sqlite", "")
        case .oldVersionToWrite: try poke([1], at: 18)
        case .oldVersionToRead: try poke([1], at: 19)
        case .pageSize: try poke([0x20, 0x00], at: 16)
        case .noLog:
            try folder.remove("a.sqlite-wal")
            try poke([1], at: 18)
        case .torn:
            let handle = try #require(FileHandle(forWritingAtPath: path + "-wal"))
            try handle.truncate(atOffset: 5000)
            try handle.close()
        case .leftLog:
            try folder.remove("a.sqlite")
            try folder.remove("a.sqlite-wal")
            try PlainDatabase(path).execute("CREATE TABLE t(x)")
            try folder.write("a.sqlite-wal", "left by another program")
        }
        try folder.write("Migrations/v1.sql", "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
        let before = try folder.contents()
        for arguments in Self.reading {
            _ = try tool.run([arguments[0], path] + arguments.dropFirst())
            let after = try folder.contents()
            #expect(after == before, "\(damage) \(arguments): \(after.keys.sorted())")
        }
        if damage == .empty {
            let result = try tool.run("vacuum", path)
            #expect(result.status == 2 && result.errors.contains("write-ahead log"))
            #expect(try folder.contents() == before)
        }
    }

    @Test(arguments: [Damage.zeroHeader, .noise, .short, .oldVersionToRead])
    func `a header that is in the log is read there`(damage: Damage) async throws {
        try makeLogged()
        switch damage {
        case .short: try folder.write("a.sqlite", "xyz")
        case .noise: try poke((0..<100).map { UInt8($0 * 7 % 251) }, at: 0)
        case .oldVersionToRead: try poke([1], at: 19)
        default: try poke(Array(repeating: 0, count: 100), at: 0)
        }
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try copy.write("a" + suffix, Data(contentsOf: URL(filePath: path + suffix)))
        }
        #expect(try PlainDatabase(copy.file("a")).firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 50)

        let statistics = try await StatisticsReader(engine: GRDBDriver()).statistics(of: path)
        #expect(statistics.objects.first { $0.name == "t" }?.entries == 50)
        let health = try tool.run("health", path, "--deep")
        #expect(health.status == 0, "\(health.output)\(health.errors)")
        if damage != .oldVersionToRead {
            #expect(
                try tool.run("health", path, "-v").output.contains("Without the log the database is lost"))
        }
        let schema = try tool.run("schema", path)
        #expect(schema.output.contains("CREATE TABLE t"), "\(schema)")
        let same = try tool.run("diff", "--data", path, copy.file("a"))
        #expect(same.status == 0, "\(same)")
        try folder.write(
            "Migrations/v1.sql", "CREATE TABLE t(id INTEGER PRIMARY KEY, x); PRAGMA user_version = 1")
        let verify = try tool.run("verify", path)
        #expect(!verify.output.contains("snapshot-unreadable"), "\(verify)")
    }

    // MARK: - What is not a file

    @Test(arguments: ["/dev/zero", "/dev/null", "pipe", "folder"])
    func `what is not a regular file is refused by every command`(name: String) throws {
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: folder.file("folder"), withIntermediateDirectories: true)
        try folder.write("Migrations/v1.sql", "CREATE TABLE t(x)")
        try PlainDatabase(folder.file("b.sqlite")).execute("CREATE TABLE t(x)")
        var commands = [
            ["stats", name], ["health", name], ["vacuum", name], ["vacuum", name, "--dry-run"],
            ["migrate", name],
            ["stats", "b.sqlite", "--compare", name],
        ]
        // A folder can be a source, or a folder of snapshots.
        if name != "folder" {
            commands += [
                ["schema", name], ["diff", name, "b.sqlite"], ["diff", "b.sqlite", name],
                ["diff", "--data", "b.sqlite", name], ["schema", "b.sqlite", "--check", name],
                ["verify", name],
            ]
        }
        for command in commands {
            let result = try tool.run(command)
            let text = result.output + result.errors
            #expect(result.status != 0, "\(command): \(text)")
            #expect(text.contains("not a regular file") || text.contains("folder"), "\(command): \(text)")
        }
    }

    // MARK: - Copies

    private static let isRoot = geteuid() == 0

    @Test(.enabled(if: isRoot, "needs root"), arguments: [0o600, 0o640])
    func `a backup made by root belongs to the database's owner`(mode: Int) async throws {
        let it = try MigrateCase()
        try FileManager.default.setAttributes(
            [.ownerAccountID: 12345, .groupOwnerAccountID: 23456, .posixPermissions: mode],
            ofItemAtPath: it.path)
        let report = try await it.migrate(.apply)
        for file in [it.path, try #require(report.migrate?.backup)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.ownerAccountID] as? Int == 12345)
            #expect(attributes[.groupOwnerAccountID] as? Int == 23456)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
    }

    @Test(.enabled(if: Tool.isForNobody, "needs root and setpriv"))
    func `a backup gives no access to a group other than the database's`() throws {
        let it = try MigrateCase()
        try FileManager.default.setAttributes(
            [.groupOwnerAccountID: 23456, .posixPermissions: 0o646], ofItemAtPath: it.path)
        for name in ["", "/backups", "/tmp"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777], ofItemAtPath: it.folder.path + name)
        }
        let result = try Tool(folder: it.folder).run(
            ["migrate", "live.sqlite", "--apply", "--backup-folder", "backups"], asNobody: true)
        #expect(result.status == 0, "\(result)")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: it.folder.file("backups")).first)
        let attributes = try FileManager.default.attributesOfItem(atPath: it.folder.file("backups/\(name)"))
        #expect(attributes[.posixPermissions] as? Int == 0o606)
    }

    @Test
    func `copies of killed runs are removed, whatever their database, and those of live runs stay`()
        async throws
    {
        let it = try MigrateCase()
        let number = "0123456789abcdef"
        let left = ["other.db.drydock-migrate-\(number)", ".hidden.drydock-vacuum-\(number)"]
        let kept = [
            "held.db.drydock-migrate-\(number)", "x.drydock-migrate-\(number.uppercased())",
            "x.drydock-other-\(number)",
            "x.drydock-migrate-\(number).bak",
        ]
        for name in left + left.map({ $0 + "-journal" }) + kept { try it.folder.write("tmp/" + name, "copy") }
        let descriptor = open(it.folder.file("tmp/" + kept[0]), O_RDWR)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        defer { close(descriptor) }
        _ = try await it.migrate(.rehearsal)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: it.folder.file("tmp")).sorted()
                == kept.sorted())
    }

    @Test func `a copy takes no more space than its content`() async throws {
        let it = try MigrateCase(
            [ToolProject.two],
            rows: """
                CREATE TABLE big(x); INSERT INTO big VALUES(randomblob(30000000)); PRAGMA secure_delete = ON;
                DELETE FROM big; INSERT INTO big VALUES('kept');
                """)
        let report = try await it.migrate(.apply) { $0.backup = .folder(it.folder.file("backups")) }
        let backup = try #require(report.migrate?.backup)
        var status = stat()
        #expect(stat(backup, &status) == 0)
        #expect(status.st_size > 30_000_000)
        #expect(status.st_blocks * 512 < 2_000_000, "\(status.st_blocks)")
        #expect(try PlainDatabase(backup).firstRow("SELECT x FROM big") { $0.string(0) } == "kept")
    }
}
