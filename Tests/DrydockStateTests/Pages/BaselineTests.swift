import Foundation
import GRDBEngine
import Testing

@testable import DrydockFindings
@testable import DrydockLint
@testable import DrydockReplay
@testable import DrydockState
@testable import DrydockTestSupport
@testable import DrydockVerify

/// A snapshot's own faults are determined once, and again when the snapshot changes.
@Suite struct BaselineTests {
    private let scenario = Scenario(
        "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p INT REFERENCES p, t TEXT);",
        rows: "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 'x'), (2, 'y');",
        steps: "CREATE TABLE n(a)")

    private func age(_ path: String, by seconds: Double) throws {
        let date = Date(timeIntervalSinceNow: -seconds)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    @Test func `a baseline is remembered by stat and by content, until the content changes`()
        async throws
    {
        let folder = try scenario.write()
        let snapshot = folder.file("Snapshots/snapshot.sqlite")
        let cache = folder.file("cache")
        func verify() async throws -> Report {
            try await Verifier(engine: GRDBDriver()).run(request(folder, cache))
        }
        let first = try await verify()
        #expect(first.replays.map(\.baseline) == [.checked])
        // A file written a moment ago is not identified by its times.
        while try #require(SnapshotStat(of: snapshot)).isRacy() {
            try await Task.sleep(for: .milliseconds(50))
        }
        _ = try await verify()
        let known = try await verify()
        #expect(known.replays.map(\.baseline) == [.knownByStat])
        #expect(known.findings.map(\.line) == first.findings.map(\.line))
        try age(snapshot, by: 60)
        #expect(try await verify().replays.map(\.baseline) == [.knownByContent])
        try PlainDatabase(snapshot).execute("UPDATE c SET p = 1")
        let changed = try await verify()
        #expect(changed.replays.map(\.baseline) == [.checked])
        #expect(changed.findings.isEmpty)
    }

    @Test func `a file written a moment ago may change again unnoticed`() throws {
        let folder = try scenario.write()
        let stat = try #require(SnapshotStat(of: folder.file("Snapshots/snapshot.sqlite")))
        #expect(stat.isRacy(now: Date(timeIntervalSinceNow: -60)))
        #expect(!stat.isRacy(now: Date(timeIntervalSinceNow: 3)))
    }

    @Test func `invalid files in the cache folder make no difference`() async throws {
        let folder = try scenario.write()
        let cache = folder.file("cache")
        _ = try await Verifier(engine: GRDBDriver()).run(request(folder, cache))
        for name in try FileManager.default.contentsOfDirectory(atPath: cache) {
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: cache + "/" + name))
        }
        let report = try await Verifier(engine: GRDBDriver()).run(request(folder, cache))
        #expect(report.replays.map(\.baseline) == [.checked])
    }

    @Test func `only what a replay touched is checked again, unless a full check is requested`() async throws
    {
        var scenario = scenario
        scenario.rows = "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 'x');"
        let folder = try scenario.write()
        let report = try await folder.verify()
        // The new table and the history table.
        #expect(report.replays.map(\.tablesChecked) == [2])
        let full = try await folder.verify { $0.checks.isFull = true }
        #expect(full.replays.map(\.tablesChecked) == [nil])
        #expect(full.findings.map(\.line) == report.findings.map(\.line))
    }

    private func request(_ folder: TemporaryFolder, _ cache: String) -> VerifyRequest {
        var request = VerifyRequest()
        request.migrations.folder = folder.file("Migrations")
        request.snapshots.folder = folder.file("Snapshots")
        request.cacheFolder = cache
        return request
    }
}
