import DatabaseEngine
import Foundation
import GRDBEngine
import Testing

@testable import DrydockFindings
@testable import DrydockLint
@testable import DrydockLock
@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

/// Checks that a locked snapshot must stay as its release left it.
@Suite struct LockSnapshotTests {
    private static let scenario = Scenario(
        "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE \"my c\"(p INT REFERENCES p, t TEXT);",
        rows: "INSERT INTO p VALUES (1); INSERT INTO \"my c\" VALUES (1, 'x'), (1, 'y');",
        steps: "CREATE TABLE n(a)")
    /// The same with a row that references a missing parent.
    private static let faulty = Scenario(
        scenario.migrations[0].sql,
        rows: "INSERT INTO p VALUES (1); INSERT INTO \"my c\" VALUES (1, 'x'), (2, 'y');",
        steps: "CREATE TABLE n(a)")
    private static let name = "Snapshots/snapshot.sqlite"

    private func locked(_ scenario: Scenario = scenario) async throws -> TemporaryFolder {
        let folder = try scenario.write()
        try await folder.lock().expectNothing()
        return folder
    }

    private func entry(_ folder: TemporaryFolder, _ name: String = name) throws -> LockedSnapshot {
        try #require(try Lock.load(folder.file("drydock.lock"))?.snapshot(name))
    }

    @Test func `the origin of a snapshot is recorded`() async throws {
        let folder = try await locked(Self.faulty)
        let entry = try entry(folder)
        #expect(entry.version == "v1" && entry.date == "2026-01-31")
        #expect(entry.rows == ["p": 1, "my c": 2])
        let version = try PlainDatabase().firstRow("SELECT sqlite_version()") { $0.string(0) }
        #expect(entry.library == version)
        let baseline = try #require(entry.baselines.values.first)
        #expect(baseline.contains("foreign-key-violation") && !baseline.contains("\n"))
        #expect(!baseline.contains("words"))
    }

    @Test func `an edited snapshot is reported, by verify too`() async throws {
        let folder = try await locked()
        try PlainDatabase(folder.file(Self.name)).execute("DELETE FROM \"my c\" WHERE t = 'y'")
        let report = try await folder.checkLock()
        report.expect(errors: [.snapshotEdited])
        #expect(try report.finding(.snapshotEdited).message.contains("(at v1, locked on 2026-01-31)"))
        let lock = folder.file("drydock.lock")
        try await folder.verify { $0.lock = lock }.expect(errors: [.snapshotEdited])
        try await folder.verify().expectNothing()
        try await folder.lock().expect(errors: [.snapshotEdited])
        try await folder.lock("snapshot.sqlite").expectNothing()
        try await folder.checkLock().expectNothing()
        #expect(try entry(folder).rows["my c"] == 1)
    }

    @Test func `a missing snapshot is reported, and dropped with --replace`() async throws {
        let folder = try await locked()
        try Self.scenario.makeSnapshot(folder.file("Snapshots/other.sqlite"))
        try await folder.lock().expectNothing()
        try folder.remove(Self.name)
        try await folder.checkLock().expect(errors: [.snapshotRemoved])
        try await folder.verify { $0.lock = folder.file("drydock.lock") }.expect(errors: [.snapshotRemoved])
        // A run on one snapshot does not report others.
        try await folder.verify {
            $0.lock = folder.file("drydock.lock")
            $0.snapshots.paths = [folder.file("Snapshots/other.sqlite")]
        }.expectNothing()
        let report = try await folder.lock(Self.name)
        report.expectNothing()
        #expect(report.lock?.removed == [Self.name] && report.lock?.snapshotCount == 1)
    }

    @Test func `a write-ahead log beside a snapshot is a part of it`() async throws {
        let folder = try TemporaryFolder()
        for (name, sql) in Self.scenario.migrations { try folder.write("Migrations/\(name).sql", sql) }
        let source = folder.file("live.sqlite")
        try Self.scenario.makeSnapshot(source)
        let live = try PlainDatabase(source)
        try live.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; INSERT INTO p VALUES (7)")
        for suffix in ["", "-wal"] {
            try folder.write(Self.name + suffix, try Data(contentsOf: URL(filePath: source + suffix)))
        }
        try await folder.lock().expectNothing()
        #expect(try entry(folder).rows["p"] == 2)
        try await folder.checkLock().expectNothing()
        try await folder.verify { $0.lock = folder.file("drydock.lock") }.expectNothing()
        // A program that opens the snapshot writes the log into it.
        try PlainDatabase(folder.file(Self.name)).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try await folder.checkLock().expect(errors: [.snapshotEdited])
    }

    @Test func `an empty log beside a snapshot does not count`() async throws {
        let folder = try await locked()
        try folder.write(Self.name + "-wal", "")
        try await folder.checkLock().expectNothing()
    }

    @Test func `a dump may have other line endings`() async throws {
        let folder = try TemporaryFolder()
        for (name, sql) in Self.scenario.migrations { try folder.write("Migrations/\(name).sql", sql) }
        let dump =
            Self.scenario.migrations[0].sql
            + "\nCREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);\n"
            + "INSERT INTO grdb_migrations VALUES ('v1');\nINSERT INTO p VALUES (1);\n"
        try folder.write("Snapshots/v1.sql", dump)
        try await folder.lock().expectNothing()
        let locked = try entry(folder, "Snapshots/v1.sql")
        #expect(locked.version == "v1" && locked.library == nil && locked.baselines.isEmpty)
        try folder.write("Snapshots/v1.sql", dump.replacing("\n", with: "\r\n"))
        try await folder.checkLock().expectNothing()
        try folder.write("Snapshots/v1.sql", dump.replacing("p VALUES (1)", with: "p VALUES (2)"))
        let edited = try await folder.checkLock()
        edited.expect(errors: [.snapshotEdited])
        let finding = try edited.finding(.snapshotEdited)
        #expect(finding.message.hasSuffix("its statements have changed, not only its line endings"))
        #expect(!finding.help.contains("-wal"))
        try folder.write("Snapshots/v1.sql", [0xFF])
        #expect(try await folder.checkLock().finding(.snapshotEdited).message.hasSuffix("not UTF-8 text"))
        try folder.write("Snapshots/v1.sql", "-- the same\n" + dump)
        try await folder.checkLock().expectNothing()
    }

    @Test(arguments: ["at=v1", "p=1", "locked=2026-01-31", "sqlite=3"])
    func `edits of a snapshot's entry are noticed`(_ value: String) async throws {
        let folder = try await locked()
        let lines = try folder.text("drydock.lock").components(separatedBy: "\n")
        let index = try #require(lines.firstIndex { $0.contains(" " + value) })
        try folder.edit("drydock.lock") { $0.replacing(" " + value, with: " \(value)1") }
        let refusal = try await folder.lockRefusal { $0.isCheck = true }
        #expect(refusal.contains("drydock.lock:\(index + 1): the line was edited by hand"), "\(refusal)")
    }

    @Test func `a Git LFS pointer is not compared with the locked snapshot`() async throws {
        let folder = try await locked()
        try folder.write(Self.name, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
        try await folder.checkLock().expect(notChecked: [.snapshotEdited])
    }

    @Test func `a damaged snapshot is not locked`() async throws {
        let folder = try Self.scenario.write()
        try folder.write("Snapshots/broken.sqlite", "SQLite format 3\u{0}")
        let report = try await folder.lock()
        report.expect(errors: [.snapshotUnreadable])
        #expect(report.lock?.snapshotCount == 1 && report.lock?.unlocked == ["Snapshots/broken.sqlite"])
    }

    @Test func `one name for two snapshots is refused`() async throws {
        let folder = try Self.scenario.write()
        for path in ["Snapshots/a/x.sqlite", "Snapshots/b/x.sqlite"] {
            try folder.write(path, try Data(contentsOf: URL(filePath: folder.file(Self.name))))
        }
        try await folder.lock().expectNothing()
        let refusal = try await folder.lockRefusal { $0.replace = ["x.sqlite"] }
        #expect(refusal.contains("may be any of: Snapshots/a/x.sqlite, Snapshots/b/x.sqlite"))
    }

    // MARK: - Baselines

    @Test func `the lock provides the baseline if the cache is empty`() async throws {
        let folder = try await locked(Self.faulty)
        let plain = try await verify(folder, lock: nil, cache: "one")
        let known = try await verify(folder, lock: "drydock.lock", cache: "two")
        #expect(plain.replays.map(\.baseline) == [.checked])
        #expect(known.replays.map(\.baseline) == [.knownByContent])
        #expect(known.findings.map(\.line) == plain.findings.map(\.line))
        #expect(known.replays.map(\.tablesChecked) == plain.replays.map(\.tablesChecked))
        #expect(known.replays.map(\.tablesUntouched) == plain.replays.map(\.tablesUntouched))
        // The cache then has the baseline, with its pages.
        #expect(try await verify(folder, lock: nil, cache: "two").replays.map(\.baseline) != [.checked])
    }

    @Test func `a baseline is never used for other content or another SQLite`() async throws {
        let folder = try await locked(Self.faulty)
        try folder.edit("drydock.lock") { text in
            text.replacing(#/by=[0-9a-f]{16} #[0-9a-f]{8}/#, with: "by=0123456789abcdef")
        }
        let other = try await verify(folder, lock: "drydock.lock", cache: "one")
        #expect(other.replays.map(\.baseline) == [.checked])
        // It is recorded once more, for this SQLite.
        try await folder.lock { $0.addsBaselines = true }.expectNothing()
        #expect(try entry(folder).baselines.count == 2)
        #expect(
            try await verify(folder, lock: "drydock.lock", cache: "two").replays.map(\.baseline) == [
                .knownByContent
            ])
        try PlainDatabase(folder.file(Self.name)).execute("UPDATE \"my c\" SET p = 1")
        let edited = try await verify(folder, lock: "drydock.lock", cache: "three")
        #expect(edited.replays.map(\.baseline) == [.checked])
        #expect(edited.rules(.error) == [.snapshotEdited] && edited.rules(.note).isEmpty)
    }

    private func verify(_ folder: TemporaryFolder, lock: String?, cache: String) async throws -> Report {
        var request = VerifyRequest()
        request.migrations.folder = folder.file("Migrations")
        request.snapshots.folder = folder.file("Snapshots")
        request.lock = lock.map(folder.file)
        request.cacheFolder = folder.file(cache)
        return try await Verifier(engine: GRDBDriver()).run(request)
    }
}
