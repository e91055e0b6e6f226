import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// What `drydock snapshot list` and `check` say of a project.
@Suite struct SnapshotListTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT);")
        try folder.write("Migrations/v2.sql", "ALTER TABLE a ADD COLUMN w TEXT;")
        try folder.write("Migrations/v3.sql", "CREATE TABLE b (id INTEGER PRIMARY KEY);")
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
    }

    private func list(_ change: (inout LockRequest) -> Void = { _ in }) async throws -> SnapshotList {
        var request = LockRequest()
        request.path = folder.file("drydock.lock")
        request.migrations.folder = folder.file("Migrations")
        request.snapshotsFolder = folder.file("Snapshots")
        change(&request)
        return try await Locker(engine: GRDBDriver()).list(request)
    }

    @discardableResult
    private func generate(_ name: String, at version: String?) async throws -> GeneratedSnapshot {
        var request = GeneratedSnapshotRequest(
            source: try SchemaSource(folder.file("Migrations")), output: folder.file("Snapshots/\(name)"))
        request.version = version
        return try await SnapshotGenerator(engine: GRDBDriver()).run(request)
    }

    @Test func `versions, origins and what is missing`() async throws {
        #expect(try await !list().isSound)
        try await generate("v1.sqlite", at: "v1")
        try await generate("v3.sqlite", at: nil)
        let open = try await list()
        #expect(
            open.isSound && open.entries.map(\.version) == ["v1", "v3"] && open.versionsWithout == ["v2"])
        #expect(open.entries.map(\.locked) == [.no, .no] && open.entries.allSatisfy { $0.rows >= 20 })
        try await folder.lock()
        var origin = LockedOrigin(way: .taken, library: "3.40.1", rows: 20, seed: 1, date: "2026-01-31")
        origin.masked = ["a.v"]
        let lock = folder.file("drydock.lock")
        let snapshot = folder.file("Snapshots/v1.sqlite")
        #expect(try Lock.record(origin, of: snapshot, in: lock) == nil)
        #expect(
            try Lock.record(origin, of: snapshot, in: folder.file("no.lock"))
                == "there is no \(folder.file("no.lock"))")
        // What is made for another place is no part of the project.
        let before = try String(contentsOfFile: lock, encoding: .utf8)
        let other = folder.path + "-other/v1.sqlite"
        #expect(try Lock.record(origin, of: other, in: lock) == "\(other) is outside the folder of \(lock)")
        #expect(try String(contentsOfFile: lock, encoding: .utf8) == before)
        // A later lock keeps it.
        try folder.write("Migrations/v4.sql", "CREATE TABLE c (id INTEGER PRIMARY KEY);")
        try await folder.lock()
        let locked = try await list()
        #expect(locked.entries.map(\.locked) == [.unchanged, .unchanged])
        #expect(locked.entries[0].origin?.masked == ["a.v"] && locked.entries[1].origin == nil)
        #expect(locked.versionsWithout == ["v2", "v4"])
        // Another file in its place has another origin, whether or not it is locked.
        try PlainDatabase(snapshot).execute("UPDATE a SET v = 'Anna Meier'")
        for _ in 0..<2 {
            let replaced = try await list().entries[0]
            #expect(replaced.origin == nil && replaced.isReplaced)
            try await folder.lock("Snapshots/v1.sqlite")
        }
    }

    @Test func `a folder in a snapshot's place, and damage, are not taken for something else`() async throws {
        for name in ["a.sqlite", "b.sqlite"] { try await generate(name, at: "v1") }
        try await folder.lock()
        try folder.remove("Snapshots/a.sqlite")
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots/a.sqlite"), withIntermediateDirectories: false)
        let file = folder.file("Snapshots/b.sqlite")
        try Data(contentsOf: URL(filePath: file)).prefix(5000).write(to: URL(filePath: file))
        let found = try await list()
        #expect(!found.isSound && found.missing.map(PathParts.name) == ["a.sqlite"])
        #expect(found.entries.map(\.locked) == [.changed] && found.entries[0].fault != nil)
    }

    @Test func `snapshots that cannot be replayed`() async throws {
        for (name, version) in [("a", "v1"), ("b", "v2"), ("c", "v3")] {
            try await generate(name + ".sqlite", at: version)
        }
        try await folder.lock()
        #expect(try await list().isSound)
        try PlainDatabase(folder.file("Snapshots/a.sqlite")).execute("DELETE FROM a")
        try folder.write("Snapshots/b.sqlite", "no database")
        try folder.remove("Snapshots/c.sqlite")
        let list = try await list()
        #expect(!list.isSound && list.entries.map(\.isSound) == [false, false])
        #expect(list.entries[0].locked == .changed && list.entries[1].fault != nil)
        #expect(list.missing.map { $0.hasSuffix("c.sqlite") } == [true])
        try PlainDatabase(folder.file("Snapshots/d.sqlite")).execute(
            "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v9')"
        )
        #expect(try await self.list().entries.last?.isKnownVersion == false)
    }
}
