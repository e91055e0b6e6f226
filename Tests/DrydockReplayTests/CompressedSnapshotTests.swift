import DatabaseEngine
import Drydock
import DrydockState
import Foundation
import GRDBEngine
import OverlayVFS
import Testing

@testable import DrydockFiles
@testable import DrydockReplay
@testable import DrydockTestSupport

/// Snapshots that are compressed are read like any other, or named as what they are.
@Suite struct CompressedSnapshotTests {
    private static let hasXZ = DecompressionTool.xz.find() != nil
    private static let hasZstandard = DecompressionTool.zstd.find() != nil

    private func folder(_ files: [String: [UInt8]]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, sql) in CompressedFixture.migrations { try folder.write(name, sql) }
        for (name, bytes) in files { try folder.write("Snapshots/\(name)", bytes) }
        return folder
    }

    private func expectRead(_ name: String, _ bytes: [UInt8]) async throws {
        let report = try await folder([name: bytes]).verify()
        report.expect(errors: [.rowsLost])
        #expect(report.replays.map(\.rowsCompared) == [2], "\(report.findings.map(\.line))")
        #expect(try report.finding(.rowsLost).evidence?.rowCount == 1)
    }

    /// Returns the only finding of a file that cannot be read.
    private func fault(_ name: String, _ bytes: [UInt8]) async throws -> Finding {
        let folder = try folder([name: bytes])
        let report = try await folder.verify()
        report.expect(errors: [.snapshotUnreadable])
        var finding = try report.finding(.snapshotUnreadable)
        finding.sentence = finding.sentence.map { $0.replacing(folder.path + "/", with: "") }
        return finding
    }

    // MARK: - What is read

    @Test(arguments: [
        ("v1.sqlite.gz", CompressedFixture.gzip), ("v1.db.GZ", .gzip), ("-v1.gz", .gzip), ("a b'c.gz", .gzip),
        ("backup", .gzip), ("misnamed.sqlite", .gzip), ("misnamed.zip", .gzip), ("dump.sql.gz", .dumpGzip),
        ("app.zip", .zipDeflated), ("app.sqlite.zip", .zipDeflated), ("app.zip", .zipDump),
        ("app.zip", .zipStored),
        ("app.zip", .zipStreamed), ("deeper/app.zip", .zipStored),
    ]) func `it is replayed`(_ name: String, _ fixture: CompressedFixture) async throws {
        try await expectRead(name, fixture.bytes)
    }

    @Test(.enabled(if: hasXZ), arguments: ["v1.sqlite.xz", "v1.xz", "backup"])
    func `xz is read`(_ name: String) async throws {
        try await expectRead(name, CompressedFixture.xz.bytes)
    }

    @Test(.enabled(if: hasZstandard), arguments: ["v1.sqlite.zst", "v1.zstd", "backup"])
    func `Zstandard is read`(_ name: String) async throws {
        try await expectRead(name, CompressedFixture.zstd.bytes)
    }

    @Test func `several gzip members are one file`() async throws {
        let folder = try TemporaryFolder()
        let twice = CompressedFixture.gzip.bytes + CompressedFixture.gzip.bytes
        let path = try folder.write("twice.gz", twice)
        let content = try #require(CompressedFile(path)).content()
        #expect(content.size == 4096)
    }

    @Test func `a snapshot named on the command line is read as well`() async throws {
        let folder = try folder(["v1.sqlite.gz": CompressedFixture.gzip.bytes])
        for name in ["Snapshots/v1.sqlite.gz", "Snapshots/*.gz", "Snapshots/*"] {
            let report = try await folder.verify { $0.snapshots.paths = [folder.file(name)] }
            report.expect(errors: [.rowsLost])
        }
    }

    @Test func `a log beside it does not count`() async throws {
        let folder = try folder([
            "v1.sqlite.gz": CompressedFixture.gzip.bytes, "v1.sqlite.gz-wal": Array("no log".utf8),
            "v1.sqlite.gz-journal": Array("no journal".utf8),
        ])
        let report = try await folder.verify()
        report.expect(errors: [.rowsLost])
        #expect(report.replays.count == 1)
    }

    @Test func `a database with the name of a compressed file is read as what it is`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("v1.sqlite.gz", CompressedFixture.gzip.bytes)
        let content = try #require(CompressedFile(path)).content()
        try await expectRead("v1.sqlite.gz", content.withBytes(at: 0, count: content.size) { Array($0) })
    }

    // MARK: - What cannot be read

    /// No space can be freed in a folder that is not there.
    @Test func `a missing folder for temporary files is to be created`() throws {
        let folder = try folder(["v1.sqlite.gz": CompressedFixture.gzip.bytes])
        let tool = Tool(folder: folder, environment: ["TMPDIR": folder.file("nowhere")])
        let result = try tool.run("verify", "--no-cache")
        #expect(result.status == 1 && result.output.contains("cannot be decompressed into"), "\(result)")
        #expect(result.output.contains("Create the folder"), "\(result.output)")
        #expect(!result.output.contains("Free space"), "\(result.output)")
    }

    @Test(arguments: [
        ("a.zip", CompressedFixture.zipTwo, "Snapshots/a.zip holds 2 files: a.sqlite, ../b.sqlite"),
        ("a.zip", .zipNone, "Snapshots/a.zip holds no file"),
        ("a.zip", .zipEncrypted, "Snapshots/a.zip is encrypted"),
        ("a.zip", .zipLZMA, "Snapshots/a.zip cannot be decompressed: its file is compressed with LZMA"),
        ("a.gz", .dumpGzip, "the content of Snapshots/a.gz is not a SQLite database"),
    ]) func `the file and the fact are named`(
        _ name: String, _ fixture: CompressedFixture, _ message: String
    ) async throws {
        let finding = try await fault(name, fixture.bytes)
        #expect(finding.message == message)
        #expect(!finding.help.isEmpty)
    }

    @Test(arguments: [
        (
            "a.sqlite.gz", "hello",
            "Snapshots/a.sqlite.gz is not a SQLite database, and not compressed with gzip as its name says"
        ),
        ("a.zip", "", "Snapshots/a.zip is empty: it has no bytes"),
        (
            "a.zst", "version https://git-lfs.github.com/spec/v1\noid",
            "Snapshots/a.zst is a Git LFS pointer, not the database itself"
        ),
    ]) func `a file that is not compressed is named`(_ name: String, _ text: String, _ message: String)
        async throws
    {
        #expect(try await fault(name, Array(text.utf8)).message == message)
    }

    @Test(arguments: [CompressedFixture.gzip, .zipDeflated, .zipStored, .zipStreamed])
    func `a file that is cut short is an error that names it`(_ fixture: CompressedFixture) async throws {
        let finding = try await fault("a.gz", Array(fixture.bytes.dropLast(30)))
        #expect(finding.message.hasPrefix("Snapshots/a.gz cannot be decompressed: "), "\(finding.message)")
    }

    /// Whatever byte is wrong, the content is right or there is an error.
    @Test(arguments: [CompressedFixture.zipDeflated, .zipTwo, .zipNone])
    func `a damaged archive is an error`(_ fixture: CompressedFixture) throws {
        let folder = try TemporaryFolder()
        let whole = fixture.bytes
        let right = try? CompressedFile(folder.write("whole.zip", whole))?.content()
        let expected = try right.map { content in
            try content.withBytes(at: 0, count: content.size) { Array($0) }
        }
        for offset in stride(from: 4, to: whole.count, by: 3) {
            for change in [UInt8(0x01), 0xff] {
                var bytes = whole
                bytes[offset] ^= change
                let path = try folder.write("\(offset)-\(change).zip", bytes)
                guard let content = try? CompressedFile(path)?.content() else { continue }
                #expect(
                    try content.withBytes(at: 0, count: content.size) { Array($0) } == expected,
                    "byte \(offset)")
            }
        }
    }

    @Test func `a file that becomes too large is refused`() async throws {
        for (name, fixture) in [
            ("a.gz", CompressedFixture.gzip), ("a.zip", .zipStored), ("a.sql.gz", .dumpGzip),
        ] {
            let folder = try folder([name: fixture.bytes])
            let report = try await CompressedFile.$ownLimit.withValue(200) { try await folder.verify() }
            report.expect(errors: [.snapshotUnreadable])
            let finding = try report.finding(.snapshotUnreadable)
            #expect(
                finding.message.hasSuffix("/\(name) becomes larger than 200 bytes when it is decompressed"))
            #expect(finding.help.contains("--snapshot-size") && finding.help.contains("snapshotSize"))
        }
    }

    @Test(arguments: [
        ("v3.sqlite.zst", CompressedFixture.zstd, "Zstandard", "zstd"), ("v3.xz", .xz, "xz", "xz"),
        ("v3.gz", .gzip, "gzip", "gzip"), ("v3.zip", .zipDeflated, "ZIP", "gzip"),
    ]) func `a tool that is not installed is named`(
        _ name: String, _ fixture: CompressedFixture, _ title: String, _ tool: String
    ) async throws {
        let empty = try TemporaryFolder()
        let finding = try await DecompressionTool.$folders.withValue([empty.path, "relative"]) {
            try await fault(name, fixture.bytes)
        }
        #expect(
            finding.message
                == "Snapshots/\(name) is compressed with \(title), and '\(tool)' is not installed")
        #expect(finding.help == "Install \(tool), or decompress the file.")
    }

    @Test func `a run that is stopped ends`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("v1.gz", CompressedFixture.gzip.bytes)
        #expect(throws: EngineError.self) { try CompressedFile(path)?.content { true } }
    }

    // MARK: - What is known of it

    @Test func `what it holds decides its baseline and its entry in the lock`() async throws {
        let folder = try folder(["v1.sqlite.gz": CompressedFixture.gzip.bytes])
        let cache = try TemporaryFolder()
        _ = try await folder.lock()
        #expect(try await folder.checkLock().findings.isEmpty)
        // Compressed again, in another way.
        try folder.write("Snapshots/v1.sqlite.gz", CompressedFixture.zipStored.bytes)
        #expect(try await folder.checkLock().findings.isEmpty)
        for isKnown in [false, true] {
            let report = try await folder.verify { $0.cacheFolder = cache.path }
            #expect(report.replays.map { $0.baseline != .checked } == [isKnown])
        }
        let path = folder.file("Snapshots/v1.sqlite.gz")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: path)
        try folder.write("Snapshots/v1.sqlite.gz", CompressedFixture.dumpGzip.bytes)
        #expect(try await folder.checkLock().findings.map(\.rule) == [.snapshotEdited])
    }

    @Test func `a dump is locked with its statements`() async throws {
        let folder = try folder(["v1.sql.gz": CompressedFixture.dumpGzip.bytes])
        _ = try await folder.lock()
        #expect(try await folder.checkLock().findings.isEmpty)
        #expect(try folder.text("drydock.lock").contains("tokens"))
    }

    @Test func `a schema is read from it`() async throws {
        let folder = try folder(["v1.sqlite.gz": CompressedFixture.gzip.bytes])
        let opener = SnapshotOpener(engine: GRDBDriver(), settings: ConnectionSettings())
        let overlay = try await opener.open(Snapshot(path: folder.file("Snapshots/v1.sqlite.gz")))
        let names = try await GRDBDriver().use(overlay, settings: ConnectionSettings()) { database in
            try await database.read {
                try $0.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.string(0) }
            }
        }
        #expect(names == ["grdb_migrations", "email"])
    }
}
