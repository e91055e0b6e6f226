import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// Statements that met no generated row: what they do was not seen.
struct IdleStatementTests {
    private static let tables = """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT, age INTEGER);
        CREATE TABLE pet (
          id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE, name TEXT);
        CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL, changed_at TEXT);
        """

    private func verify(_ migrations: [String], _ engine: Int = 0) async throws -> Report {
        let folder = try TemporaryFolder()
        for (index, sql) in migrations.enumerated() {
            try folder.write("Migrations/v\(index + 1).sql", sql)
        }
        return try await folder.verify(ProbeReplayTests.engines[engine]) {
            $0.snapshots.isFolderNamed = false
        }
    }

    /// Conditions that are beyond the search for rows, or that no row can meet.
    private static let idle: [(sql: String, rule: Rule)] = [
        ("DELETE FROM person WHERE age IN (SELECT 1 WHERE 0)", .rowsLost),
        ("DELETE FROM \"Person\" AS p WHERE p.age > 3 AND p.age < 2", .rowsLost),
        (
            "WITH old AS (SELECT 1 AS n) UPDATE person SET name = 'x' WHERE age > 3 AND age < (SELECT n FROM old)",
            .valuesChanged
        ),
        (
            "UPDATE OR IGNORE main.person SET name = 'x' FROM pet WHERE pet.id = person.id AND pet.id > 5 AND person.id < 5",
            .valuesChanged
        ),
        ("DELETE FROM pet WHERE person_id NOT IN (SELECT id FROM person) RETURNING id", .rowsLost),
        ("CREATE TABLE t AS SELECT * FROM person;\nDELETE FROM t WHERE age > 3 AND age < 2;", .rowsLost),
        ("CREATE TABLE t (a);\nINSERT INTO t SELECT name FROM person WHERE age > 3 AND age < 2;", .rowsLost),
        (
            "CREATE TABLE t (a);\nINSERT INTO t SELECT id FROM person;\nUPDATE t SET a = 1 WHERE a < 3 AND a > 4;",
            .valuesChanged
        ),
        ("ALTER TABLE person RENAME TO human;\nDELETE FROM human WHERE age > 3 AND age < 2;", .rowsLost),
    ]

    @Test(arguments: idle.indices, [0, 1])
    func `a statement that no row meets is not checked`(_ index: Int, _ engine: Int) async throws {
        let (sql, rule) = Self.idle[index]
        let report = try await verify([Self.tables, sql], engine)
        let found = report.notChecked.filter { $0.reason.contains("met no generated row") }
        #expect(found.map(\.rule) == [rule], "\(report.notChecked)")
        let line = sql.split(separator: "\n").count
        #expect(found.first?.reason.hasPrefix("v2: ") ?? false)
        #expect(found.first?.reason.contains("/Migrations/v2.sql:\(line))") ?? false, "\(found)")
        #expect(report.hasPassed, "\(report.findings.map(\.line))")
    }

    @Test(arguments: [
        // What it finds, or that it needs to find nothing.
        "DELETE FROM person WHERE age > 3",
        "UPDATE person SET name = 'x'",
        "INSERT INTO setting (key, value) VALUES ('a', 'b') ON CONFLICT DO NOTHING",
        "INSERT OR REPLACE INTO person (name) VALUES ('a')",
        "INSERT OR REPLACE INTO person VALUES (NULL, 'a', 'b', 3)",
        "INSERT INTO person (name) VALUES ('a') ON CONFLICT (id) DO UPDATE SET name = 'b'",
        // Nobody has rows in what the step creates.
        "CREATE TABLE t (a);\nINSERT INTO t VALUES (1), (2);\nDELETE FROM t WHERE a = 3;\nDROP TABLE t;",
        "CREATE TEMP TABLE t (a);\nUPDATE t SET a = 1 WHERE a = 2;",
        "CREATE TABLE t (a PRIMARY KEY);\nINSERT OR REPLACE INTO t VALUES (1);",
        "CREATE TABLE t (a PRIMARY KEY);\nINSERT INTO t SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM t WHERE a = 1);",
        "CREATE TABLE t (a PRIMARY KEY);\nINSERT OR REPLACE INTO t SELECT id FROM person;",
        // A view or a trigger is not run.
        "CREATE VIEW v AS SELECT * FROM person WHERE id < 0",
        "CREATE TRIGGER t AFTER DELETE ON pet BEGIN DELETE FROM person WHERE id < 0; END",
        "DELETE FROM sqlite_sequence WHERE name = 'nothing'",
    ])
    func `what meets rows, or what nobody has rows in, is checked`(_ sql: String) async throws {
        let tables = Self.tables + "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT);"
        let report = try await verify([tables, sql])
        #expect(!report.notChecked.contains { $0.reason.contains("met no") }, "\(report.notChecked)")
    }

    @Test func `rows that an earlier migration inserted are met`() async throws {
        let report = try await verify([
            "CREATE TABLE role (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO role VALUES (1, 'a'), (2, 'b');",
            "UPDATE role SET name = 'c' WHERE id = 1;\nREPLACE INTO role VALUES (2, 'd');",
            "DELETE FROM role WHERE id > 100 AND id < 50;",
        ])
        #expect(report.notChecked.map(\.rule) == [.rowsLost], "\(report.notChecked)")
        #expect(report.notChecked.first?.reason.hasPrefix("v3: ") ?? false)
    }

    @Test func `of many statements the first are quoted`() async throws {
        let lines = (1...7).map {
            "DELETE FROM person WHERE age > \($0) AND age < \($0) AND name <> '\(String(repeating: "x", count: 200))';"
        }
        let report = try await verify([Self.tables, lines.joined(separator: "\n")])
        let reason = try #require(report.notChecked.first?.reason)
        #expect(report.notChecked.count == 1)
        #expect(reason.contains("DELETE FROM person WHERE age > 1 AND age < 1 AND"), "\(reason)")
        #expect(reason.contains("3 more statements in line 5, 6, 7"), "\(reason)")
        #expect(reason.count < 700)
    }

    @Test func `released migrations are not listed`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", Self.tables)
        try folder.write("Migrations/v2.sql", "DELETE FROM person WHERE age > 3 AND age < 2;")
        var lock = LockRequest()
        lock.migrations.folder = folder.file("Migrations")
        lock.snapshotsFolder = folder.file("Snapshots")
        lock.path = folder.file("drydock.lock")
        lock.migrations.format = "drydock"
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        _ = try await Locker(engine: GRDBDriver()).run(lock)
        try folder.write("Migrations/v3.sql", "CREATE TABLE last (id INTEGER PRIMARY KEY);")
        let report = try await folder.verify {
            $0.snapshots.isFolderNamed = false
            $0.lock = lock.path
        }
        #expect(report.notChecked.isEmpty, "\(report.notChecked)")
    }
}
