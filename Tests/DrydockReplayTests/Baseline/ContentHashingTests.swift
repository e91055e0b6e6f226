import DrydockReplay
import Foundation
import GRDBEngine
import OverlayVFS
import Testing

@testable import DrydockFindings
@testable import DrydockState
@testable import DrydockTestSupport

/// A snapshot's hash is the same whether it is made by itself or in the pass that checks the pages.
@Suite struct ContentHashingTests {
    /// More than a chunk, so that a scan has parts and the file has bytes that no mark covers.
    private let scenario = Scenario(
        "CREATE TABLE p(id INTEGER PRIMARY KEY, t TEXT); CREATE TABLE c(p INT REFERENCES p, t TEXT);",
        rows: """
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 6000)
            INSERT INTO p SELECT n, hex(randomblob(500)) FROM s;
            INSERT INTO c SELECT id, t FROM p WHERE id % 9 = 0;
            """,
        steps: "CREATE TABLE n(a)")

    private func verify(_ folder: TemporaryFolder, _ cache: TemporaryFolder) async throws -> [ReplaySummary] {
        try await folder.verify { $0.cacheFolder = cache.path }.replays
    }

    @Test func `chunks can be hashed in any order`() throws {
        let folder = try TemporaryFolder()
        var generator = SystemRandomNumberGenerator()
        for size in [0, 1, ContentHashing.chunkSize, 2 * ContentHashing.chunkSize + 5] {
            let (path, log) = (folder.file("\(size)"), folder.file("\(size)-wal"))
            try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }).write(
                to: URL(filePath: path))
            try Data("log".utf8).write(to: URL(filePath: log))
            let expected = try ContentHashes(files: nil).hash(of: path).hash
            let hashing = ContentHashing([try MappedFile(path: path), try MappedFile(path: log)])
            for chunk in (0..<hashing.chunkCount).shuffled(using: &generator).dropLast() {
                try hashing.hash(chunk: chunk)
            }
            #expect(try hashing.finish() == expected, "\(size)")
        }
    }

    @Test(arguments: ["", "-wal", "link"])
    func `the hash of the first reading recognises the snapshot`(kind: String) async throws {
        let (folder, cache) = (try scenario.write(), try TemporaryFolder())
        var path = folder.file("Snapshots/snapshot.sqlite")
        switch kind {
        case "-wal":
            // The log that an open connection has is left as it is.
            let live = folder.file("live.sqlite")
            try FileManager.default.moveItem(atPath: path, toPath: live)
            let database = try PlainDatabase(live)
            try database.execute("PRAGMA journal_mode = wal; UPDATE p SET t = lower(t) WHERE id < 900")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: live + suffix, toPath: path + suffix)
            }
        case "link":
            let other = folder.file("other.sqlite")
            try FileManager.default.moveItem(atPath: path, toPath: other)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
            path = other
        default: break
        }
        let first = try await verify(folder, cache)
        #expect(first.map(\.baseline) == [.checked])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path)
        let second = try await verify(folder, cache)
        #expect(second.map(\.baseline) == [.knownByContent])
        #expect(second.map(\.rowsCompared) == first.map(\.rowsCompared))
    }

    @Test func `another content with the same mark is not recognised`() async throws {
        let (folder, cache) = (try scenario.write(), try TemporaryFolder())
        let path = folder.file("Snapshots/snapshot.sqlite")
        _ = try await verify(folder, cache)
        var bytes = try Data(contentsOf: URL(filePath: path))
        let mark = try ContentMark([MappedFile(path: path)]).hex
        // A text somewhere in the middle, between two pieces that the mark is made of.
        let place = try #require(
            (bytes.count / 2..<bytes.count).first { place in
                guard bytes[place] == UInt8(ascii: "7") else { return false }
                var changed = bytes
                changed[place] = UInt8(ascii: "8")
                try? changed.write(to: URL(filePath: path))
                return (try? ContentMark([MappedFile(path: path)]).hex) == mark
            })
        bytes[place] = UInt8(ascii: "8")
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(try await verify(folder, cache).map(\.baseline) == [.checked])
        // By stat too, if the file was not written a moment ago.
        #expect(try await verify(folder, cache).map(\.baseline) != [.checked])
    }
}
