import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import TestTools
import Testing

@testable import DrydockState
@testable import DrydockTestSupport

/// What databases with the same schema share changes no report: a run of many finds what runs of one each find.
@Suite struct SchemaCacheTests {
    private static let migrations = [
        (
            name: "v1",
            sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT, y UNIQUE); CREATE INDEX t_x ON t(x);"
        ),
        (
            name: "v2",
            sql:
                "CREATE TABLE child(id INTEGER PRIMARY KEY, t_id REFERENCES t(id)); CREATE VIEW v AS SELECT x FROM t;"
        ),
        (name: "v3", sql: "ALTER TABLE t ADD COLUMN z DEFAULT 1; CREATE TABLE j(a CHECK (json_valid(a)));"),
        (name: "v4", sql: "-- drydock: rewrites t.x\nUPDATE t SET x = x || '!' WHERE id % 3 = 0;"),
        // The rebuild forgets an index, and what follows loses rows and leaves a full-text index behind.
        (
            name: "v5",
            sql: """
            DROP VIEW v; CREATE TABLE t2(id INTEGER PRIMARY KEY, x TEXT, y UNIQUE, z DEFAULT 1);
            INSERT INTO t2 SELECT id, x, y, z FROM t; DROP TABLE t; ALTER TABLE t2 RENAME TO t;
            CREATE VIEW v AS SELECT x FROM t;
            CREATE VIRTUAL TABLE search USING fts5(x, content='t', content_rowid='id');
            INSERT INTO search(search) VALUES ('rebuild');
            """
        ),
        (name: "v6", sql: "DELETE FROM t WHERE id % 7 = 0; ALTER TABLE t RENAME COLUMN z TO w;"),
    ]

    /// What people did by hand, and what apps wrote; most of it makes a schema of its own.
    private static let edits = [
        "", "", "", "CREATE VIEW w AS SELECT missing FROM t;",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO nowhere VALUES (1); END;",
        "ALTER TABLE t ADD COLUMN u AS (datetime(x, 'localtime'));", "INSERT INTO j VALUES ('{}');",
        "INSERT INTO child VALUES (1, 999);", "CREATE TABLE k(v AS (strftime('%s', 'now')));",
        "DROP INDEX t_x;", "CREATE  TABLE extra (a);", "CREATE TABLE extra(a);",
        "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('one');",
        "CREATE VIRTUAL TABLE f USING fts5(a); CREATE VIRTUAL TABLE words USING fts5vocab(f, row);",
    ]

    /// Makes databases of a few schemas at several versions, with different rows, a third of them damaged.
    private func make(_ seed: Int, in folder: TemporaryFolder) throws -> [String] {
        var random = LinearGenerator(seed: UInt64(seed) &* 104_729 &+ 1)
        for (name, sql) in Self.migrations { try folder.write("Migrations/\(name).sql", sql) }
        try folder.write("Snapshots/.keep", "")
        return try (0..<14).map { number in
            let path = folder.file("Snapshots/s\(number).sqlite")
            let rows =
                random.below(4) == 0
                ? ""
                : HealthCase.numbers(1 + random.below(60))
                    + "INSERT INTO t(id, x, y) SELECT n, 'x' || n, n FROM s;"
            var scenario = Scenario(
                migrations: Self.migrations, at: 1 + random.below(Self.migrations.count), rows: rows,
                pragmas: random.below(6) == 0 ? ["PRAGMA encoding = 'UTF-16le'"] : [])
            let edit = Self.edits[random.below(Self.edits.count)]
            scenario.schemaEdit = edit
            // An edit may not fit the version.
            do { try scenario.makeSnapshot(path) } catch is PlainDatabase.Failure {}
            if random.below(3) == 0 { try damage(path, &random) }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
            return path
        }
    }

    private func damage(_ path: String, _ random: inout LinearGenerator) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        for _ in 0...random.below(4) {
            let page = random.below(bytes.count / 4096)
            bytes[page * 4096 + (page == 0 ? 100 : 0) + random.below(3900)] ^= UInt8(1 << random.below(8))
        }
        try bytes.write(to: URL(filePath: path))
    }

    @Test func `health of many is what it is of each`() async throws {
        for seed in seeds(2, of: 4, soak: 400) {
            let folder = try TemporaryFolder()
            var request = HealthRequest()
            (request.slice, request.isDeep, request.jobs) = (.seconds(5), seed % 2 == 0, 2)
            request.databases = try make(seed, in: folder)
            let inspector = HealthInspector(engine: GRDBDriver())
            let together = try await inspector.check(request).databases
            for health in together {
                request.databases = [health.path]
                let alone = try await inspector.check(request).databases[0]
                #expect(text(health) == text(alone), "seed \(seed), \(health.path)")
            }
        }
    }

    private func text(_ health: CheckedDatabase) -> [String] {
        health.findings.map { "\($0)" } + health.notReached.map { "\($0)" }
            + health.health.checked.map(\.rawValue)
    }

    @Test func `a verification of many is what it is of each`() async throws {
        for seed in seeds(2, of: 4, soak: 400) {
            let folder = try TemporaryFolder()
            let paths = try make(seed, in: folder)
            let together = try await folder.verify { $0.jobs = 2 }
            for path in paths {
                let alone = try await folder.verify { $0.snapshots.paths = [path] }
                #expect(text(together, of: path) == text(alone, of: path), "seed \(seed), \(path)")
            }
        }
    }

    private func text(_ report: Report, of path: String) -> [String] {
        // Where a declaration belongs depends on what the other snapshots have applied.
        report.findings.filter { $0.snapshot == path }.map { finding in
            var finding = finding
            finding.advice = ""
            return "\(finding)"
        }.sorted()
            + report.notChecked.filter { $0.snapshot == path }.map { "\($0.rule) \($0.reason)" }.sorted()
            + report.replays.filter { $0.snapshot == path }.map {
                "\($0.from ?? "") \($0.to ?? "") \($0.rowsCompared) \($0.tablesUntouched) \($0.steps.map(\.migration))"
            }
    }

    @Test func `only the same text is the same schema`() throws {
        func facts(_ sql: String, _ memory: SchemaCache) throws -> DrydockState.SchemaFacts? {
            let database = try PlainDatabase()
            try database.execute(sql)
            return try memory.read(database, historyTables: []).facts
        }
        let memory = SchemaCache()
        let first = try facts("CREATE TABLE t(a)", memory)
        #expect(first != nil)
        #expect(try facts("CREATE TABLE t(a); INSERT INTO t VALUES (1)", memory) === first)
        for other in [
            "CREATE TABLE t( a)", "CREATE TABLE T(a)", "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(a)",
            "CREATE TABLE t(a); CREATE VIEW v AS SELECT 1",
        ] {
            #expect(try facts(other, memory) !== first, "\(other)")
        }
        #expect(try facts("CREATE VIRTUAL TABLE f USING fts5(a, tokenize = 'unicode61')", memory) != nil)
    }
}
