import Drydock
import DrydockReport
import Foundation
import GRDBEngine
import Synchronization
import TestTools
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

/// A run that goes on where an earlier one has been finds what a whole run finds.
@Suite struct ReplayCacheTests {
    private static let schema = """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, CHECK (age < 200));
        CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person(id) ON DELETE CASCADE, name TEXT);
        """
    private static let rows = """
        INSERT INTO person VALUES (1, 'Ada', 36), (2, 'Bob', NULL), (3, 'Cy', 7);
        INSERT INTO pet VALUES (1, 1, 'Rex'), (2, 2, 'Tom'), (3, 3, NULL);
        """

    /// What a migration may do, good and bad. `N` stands for a number of its own.
    private static let steps = [
        "ALTER TABLE person ADD COLUMN cN TEXT DEFAULT 'x';", "CREATE TABLE tN(a INTEGER PRIMARY KEY, b);",
        "CREATE INDEX iN ON pet(name);", "UPDATE person SET age = N WHERE id = 1;", "SELECT N;",
        "INSERT INTO pet VALUES (100 + N, 1, 'new');", "DELETE FROM pet WHERE id = 2;",
        "CREATE VIEW vN AS SELECT name FROM person;",
        "-- drydock: deletes from pet\nDELETE FROM pet WHERE id = 3;",
        "CREATE TABLE rebuilt(id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person(id), name TEXT); "
            + "INSERT INTO rebuilt SELECT id, person_id, name FROM pet; DROP TABLE pet; ALTER TABLE rebuilt RENAME TO pet;",
        "CREATE TEMP TABLE keepN AS SELECT * FROM pet;", "PRAGMA legacy_alter_table = ON;",
        "PRAGMA foreign_keys = OFF;", "PRAGMA foreign_keys = ON;",
        "CREATE TRIGGER gN AFTER INSERT ON pet BEGIN SELECT 1; END;",
        "DROP VIEW IF EXISTS v2;", "ATTACH ':memory:' AS otherN;",
        "PRAGMA ignore_check_constraints = ON; UPDATE person SET age = 999 WHERE id = 2;",
    ]
    /// What is refused, and ends a replay.
    private static let refused = [
        "INSERT INTO pet SELECT * FROM nowhere;", "DELETE FROM person WHERE id = 1;", "COMMIT;",
    ]

    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) | (state << 31)
        }
    }

    private static func text(_ number: Int, _ random: inout Random, _ wrap: (String) -> String) -> String {
        let steps = Int.random(in: 0..<20, using: &random) == 0 ? refused : steps
        let step = steps[Int.random(in: 0..<steps.count, using: &random)]
        return wrap(step.replacing("N", with: "\(number)"))
    }

    /// The report, without what depends on the clock and on the cache.
    private static func words(_ report: Report) -> [Substring] {
        JSONRenderer().render(report, RenderOptions()).split(separator: "\n").filter { line in
            // The seconds of statements stand alone.
            !["econds\"", "\"baseline\""].contains { line.contains($0) }
                && Double(line.filter { $0 != " " && $0 != "," }) == nil
        }
    }

    private func expectSame(
        seed: Int, _ folder: TemporaryFolder, file: (Int) -> String, _ wrap: @escaping (String) -> String,
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws {
        var random = Random(state: UInt64(seed) &* 977 &+ 5)
        var count = 8 + seed % 30
        for number in 2...count {
            try folder.write("Migrations/" + file(number), Self.text(number, &random, wrap))
        }
        var request = VerifyRequest()
        (request.migrations.folder, request.snapshots.folder) = (
            folder.file("Migrations"), folder.file("Snapshots")
        )
        request.cacheFolder = folder.file("cache")
        configure(&request)
        var remembering = Verifier(engine: GRDBDriver())
        remembering.cache = ReplayCache()
        for edit in 0..<6 {
            let again = try await remembering.run(request)
            let whole = try await Verifier(engine: GRDBDriver()).run(request)
            #expect(Self.words(again) == Self.words(whole), "seed \(seed), edit \(edit)")
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                count += 1
                try folder.write("Migrations/" + file(count), Self.text(count, &random, wrap))
            case 1 where count > 3:
                try folder.remove("Migrations/" + file(count))
                count -= 1
            case 2:
                try PlainDatabase(folder.file("Snapshots/snapshot.sqlite")).execute(
                    "UPDATE person SET name = name || 'x'")
            default:
                // Mostly one of the last, as people do.
                let number = Int.random(
                    in: max(2, count - (edit.isMultiple(of: 2) ? 2 : 9))...count, using: &random)
                try folder.write("Migrations/" + file(number), Self.text(number, &random, wrap))
            }
        }
    }

    @Test(arguments: seeds(3, of: 10, known: [5, 7]))
    func findsWhatAWholeRunFinds(seed: Int) async throws {
        let folder = try Scenario(Self.schema, rows: Self.rows, steps: []).write()
        let plain = seed.isMultiple(of: 2)
        try await expectSame(seed: seed, folder, file: { "v\($0).sql" }, { $0 }) { request in
            request.checks.isFull = plain && seed.isMultiple(of: 4)
            request.checks.rollback = seed == 5
            request.checks.crashes = seed == 7
        }
    }

    @Test(arguments: seeds(4, of: 26))
    func alsoForAToolThatKeepsItsConnection(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let isOpen = seed.isMultiple(of: 2) && seed <= 20
        let wrap: (String) -> String = {
            (isOpen ? "-- +goose NO TRANSACTION\n" : "") + "-- +goose Up\n\($0)\n"
        }
        try folder.write("Migrations/00001_first.sql", "-- +goose Up\n\(Self.schema)\n")
        try folder.write("Snapshots/.keep", "")
        try PlainDatabase(folder.file("Snapshots/snapshot.sqlite")).execute(
            """
            CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
            INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
            \(Self.schema) \(Self.rows)
            """)
        try await expectSame(
            seed: seed, folder, file: { String(String(100_000 + $0).dropFirst()) + "_step.sql" }, wrap
        ) {
            $0.checks.crashes = seed.isMultiple(of: 4)
            $0.migrations.options.transaction = seed > 20 ? .all : nil
        }
    }

    /// The migrations that a run has run on snapshots.
    private final class Ran: Sendable {
        let names = Mutex<[String]>([])

        func note(_ event: VerifyEvent) {
            if case .step(_, let migration, _, _) = event { names.withLock { $0.append(migration) } }
        }

        func take() -> [String] {
            names.withLock { names in
                defer { names = [] }; return names
            }
        }
    }

    @Test func onlyTheEditedMigrationAndThoseAfterItAreRunAgain() async throws {
        let folder = try Scenario(
            Self.schema, rows: Self.rows,
            steps: (2...20).map { "CREATE TABLE t\($0)(a); INSERT INTO t\($0) VALUES (\($0));" }
        ).write()
        var request = VerifyRequest()
        (request.migrations.folder, request.snapshots.folder) = (
            folder.file("Migrations"), folder.file("Snapshots")
        )
        request.cacheFolder = folder.file("cache")
        let ran = Ran()
        var verifier = Verifier(engine: GRDBDriver(), onEvent: ran.note)
        verifier.cache = ReplayCache()
        _ = try await verifier.run(request)
        #expect(ran.take().count == 19)

        try folder.write("Migrations/v20.sql", "DELETE FROM pet WHERE id = 1;")
        let lossy = try await verifier.run(request)
        #expect(ran.take() == ["v20"])
        #expect(lossy.rules(.error) == [.rowsLost])
        #expect(lossy.replays.first?.steps.count == 19)

        try folder.write("Migrations/v21.sql", "CREATE TABLE t21(a);")
        _ = try await verifier.run(request)
        #expect(ran.take() == ["v21"])

        try folder.remove("Migrations/v21.sql")
        try folder.write("Migrations/v10.sql", "CREATE TABLE t10(b);")
        _ = try await verifier.run(request)
        #expect(ran.take().count == 19, "nothing was kept before it")
        try folder.write("Migrations/v10.sql", "CREATE TABLE t10(c);")
        _ = try await verifier.run(request)
        #expect(ran.take() == (10...20).map { "v\($0)" })

        _ = try await verifier.run(request)
        #expect(ran.take().isEmpty)
    }

    /// A migration that is not even tried leaves nothing behind once it is edited.
    @Test(arguments: ["COMMIT;", "SELECT 1;\nCOMMIT;"])
    func whatCannotBeRunIsTriedAgain(_ sql: String) async throws {
        let folder = try Scenario(
            Self.schema, rows: Self.rows, steps: ["SELECT 1;", "SELECT 2;", "SELECT 3;", "SELECT 4;"]
        ).write()
        var request = VerifyRequest()
        request.migrations.folder = folder.file("Migrations")
        request.snapshots.folder = folder.file("Snapshots")
        request.cacheFolder = folder.file("cache")
        var verifier = Verifier(engine: GRDBDriver())
        verifier.cache = ReplayCache()
        for name in ["v3", "v5", "v3"] {
            let good = try String(contentsOfFile: folder.file("Migrations/\(name).sql"), encoding: .utf8)
            try folder.write("Migrations/\(name).sql", sql)
            let broken = try await verifier.run(request)
            #expect(broken.notChecked.contains { $0.rule == .schemaMismatch })
            try folder.write("Migrations/\(name).sql", good)
            try await verifier.run(request).expectNothing()
        }
    }

    @Test func whatAConnectionKeepsIsMadeAgain() async throws {
        let folder = try Scenario(
            Self.schema, rows: Self.rows,
            steps: [
                "CREATE TEMP TABLE kept AS SELECT * FROM pet;", "SELECT 1;",
                "INSERT INTO pet SELECT id + 10, 1, name FROM kept;",
            ]
        ).write()
        var request = VerifyRequest()
        (request.migrations.folder, request.snapshots.folder) = (
            folder.file("Migrations"), folder.file("Snapshots")
        )
        request.cacheFolder = folder.file("cache")
        var verifier = Verifier(engine: GRDBDriver())
        verifier.cache = ReplayCache()
        _ = try await verifier.run(request)
        try folder.write("Migrations/v4.sql", "INSERT INTO pet SELECT id + 20, 1, name FROM kept;")
        let report = try await verifier.run(request)
        #expect(!report.findings.contains { $0.rule == .migrationFailed }, "\(report.findings.map(\.line))")
    }
}
