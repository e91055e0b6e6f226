import Foundation
import GRDBEngine
import Testing

@testable import DrydockFindings
@testable import DrydockLint
@testable import DrydockReplay
@testable import DrydockState
@testable import DrydockTestSupport
@testable import DrydockVerify

/// The cache returns only complete values that Drydock stored under the same name.
@Suite struct CacheFilesTests {
    private struct Entry: Codable, Equatable {
        var word = "clean"
        var numbers = Array(0..<50)
    }

    @Test func aStoredValueIsReadBack() throws {
        let folder = try TemporaryFolder()
        let files = CacheFiles(folder: folder.file("cache"))
        files.write(Entry(), to: "a.baseline")
        #expect(files.read("a.baseline") == Entry())
        #expect(files.read("b.baseline") as Entry? == nil)
    }

    @Test func aChangedEntryIsIgnored() throws {
        let folder = try TemporaryFolder()
        let files = CacheFiles(folder: folder.path)
        files.write(Entry(), to: "a.baseline")
        let whole = try #require(FileManager.default.contents(atPath: folder.file("a.baseline")))
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1
            try folder.write("a.baseline", bytes)
            #expect(files.read("a.baseline") as Entry? == nil, "byte \(index)")
        }
        for count in 0..<whole.count {
            try folder.write("a.baseline", whole.prefix(count))
            #expect(files.read("a.baseline") as Entry? == nil, "\(count) bytes")
        }
        try folder.write("a.baseline", whole + [0])
        #expect(files.read("a.baseline") as Entry? == nil)
        try folder.write("b.baseline", whole)
        #expect(files.read("b.baseline") as Entry? == nil)
        try folder.write("a.baseline", whole)
        #expect(files.read("a.baseline") == Entry())
    }

    /// A damaged snapshot is not reported as sound because of an entry copied from another snapshot's.
    @Test func anEntryOfAnotherSnapshotIsIgnored() async throws {
        let scenario = Scenario(
            "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p INT REFERENCES p);",
            rows: "INSERT INTO c VALUES (2);", steps: "CREATE TABLE n(a)")
        let folder = try scenario.write()
        let other = try Scenario(scenario.migrations[0].sql, steps: "CREATE TABLE n(a)").write()
        let (cache, clean) = (folder.file("cache"), other.file("cache"))
        func verify(_ folder: TemporaryFolder, _ cache: String) async throws -> Report {
            var request = VerifyRequest()
            request.migrations.folder = folder.file("Migrations")
            request.snapshots.folder = folder.file("Snapshots")
            request.cacheFolder = cache
            return try await Verifier(engine: GRDBDriver()).run(request)
        }
        let first = try await verify(folder, cache)
        _ = try await verify(other, clean)
        func baseline(_ cache: String) throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: cache)
            return cache + "/" + (try #require(names.first { $0.hasSuffix(".baseline") }))
        }
        let bytes = try #require(FileManager.default.contents(atPath: baseline(clean)))
        try bytes.write(to: URL(filePath: baseline(cache)))
        let second = try await verify(folder, cache)
        #expect(second.replays.map(\.baseline) == [.checked])
        #expect(second.findings.map(\.line) == first.findings.map(\.line))
    }
}
