import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// Snapshots of generated rows.
@Suite struct SnapshotGeneratorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            "Migrations/v1.sql",
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY, email TEXT UNIQUE NOT NULL);
            CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL REFERENCES parent, size INTEGER CHECK (size > 3));
            INSERT INTO parent VALUES (1, 'first@example.com');
            """)
        try folder.write(
            "Migrations/v2.sql", "CREATE TABLE never (v TEXT CHECK (v IS NOT NULL AND v IS NULL));")
        try folder.write("Migrations/v3.sql", "nonsense;")
    }

    private func make(
        _ name: String, on engine: any Engine = GRDBDriver(),
        _ change: (inout GeneratedSnapshotRequest) -> Void
    ) async throws -> (GeneratedSnapshot, PlainDatabase) {
        var request = GeneratedSnapshotRequest(
            source: try SchemaSource(folder.file("Migrations")), output: folder.file(name))
        change(&request)
        let made = try await SnapshotGenerator(engine: engine).run(request)
        return (made, try PlainDatabase(folder.file(name)))
    }

    @Test func `rows satisfy the constraints, and the version is recorded`() async throws {
        for engine in [GRDBDriver(), NIODriver()] as [any Engine] {
            let (made, database) = try await make("\(engine.name).sqlite", on: engine) {
                ($0.version, $0.rows) = ("v2", 40)
            }
            #expect(made.version == "v2" && made.rows["child"] ?? 0 >= 40 && made.rows["parent"] == 1)
            #expect(made.empty.map(\.table) == ["never"])
            #expect(try database.rows("PRAGMA integrity_check") { $0.string(0) } == ["ok"])
            #expect(try database.rows("PRAGMA foreign_key_check") { _ in }.isEmpty)
            #expect(
                try database.rows("SELECT identifier FROM grdb_migrations") { $0.string(0) } == ["v1", "v2"])
        }
    }

    @Test func `the same seed gives the same rows`() async throws {
        func rows(_ name: String, _ seed: UInt64) async throws -> [[String]] {
            try await make(name) { ($0.version, $0.seed) = ("v1", seed) }.1.literals("SELECT * FROM child")
        }
        for seed in [1, 2] as [UInt64] {
            #expect(try await rows("a\(seed).sqlite", seed) == rows("b\(seed).sqlite", seed))
        }
    }

    @Test func `bad requests leave nothing`() async throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for (version, message) in [("v33", "did you mean 'v3'?"), ("v3", "v3 fails on an empty database")] {
            let error = await #expect(throws: RequestError.self) {
                _ = try await make("x.sqlite") { $0.version = version }
            }
            #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        }
        try folder.write("there.sqlite", "mine")
        let error = await #expect(throws: RequestError.self) {
            _ = try await make("there.sqlite") { $0.version = "v1" }
        }
        #expect(error?.description.contains("already exists") == true)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                == (before + ["there.sqlite"]).sorted())
    }
}
