import DrydockDiff
import Foundation
import GRDBEngine
import SQLiteSchema
import Testing

@testable import Drydock
@testable import DrydockTestSupport

/// The schema's history in a report: for each migration what `drydock diff` would say of the schemas around it.
@Suite struct SchemaHistoryReaderTests {
    private static let migrations = [
        "v1.sql": """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, mail TEXT);
        CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id), name TEXT);
        CREATE INDEX pet_on_person ON pet(person_id);
        CREATE VIEW names AS SELECT name, mail FROM person;
        CREATE TRIGGER gone AFTER DELETE ON person BEGIN DELETE FROM pet WHERE person_id = old.id; END;
        """,
        "v2.sql": "INSERT INTO person(name) VALUES ('Ada');",
        // A rebuild: the index and the trigger come back as they were.
        "v3.sql": """
        DROP VIEW names;
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '', mail TEXT);
        INSERT INTO new_person SELECT id, name, mail FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;
        CREATE VIEW names AS SELECT name, mail FROM person;
        CREATE TRIGGER gone AFTER DELETE ON person BEGIN DELETE FROM pet WHERE person_id = old.id; END;
        """,
        "v4.sql": """
        ALTER TABLE person RENAME COLUMN mail TO email;
        ALTER TABLE pet RENAME TO animal;
        """,
        "v5.sql": """
        DROP VIEW names;
        DROP TRIGGER gone;
        CREATE UNIQUE INDEX "person mail" ON person(email);
        CREATE VIRTUAL TABLE search USING fts5(name);
        """,
        "v6.sql": "PRAGMA user_version = 4;",
        "v7.sql":
            "DROP TABLE animal; CREATE TABLE other(a INTEGER PRIMARY KEY, b INTEGER REFERENCES nowhere(b), c REFERENCES other(a));",
    ]

    @Test func `the differences are those of the schemas around each migration`() async throws {
        let folder = try project(Self.migrations)
        let history = try #require(try await report(folder).history)
        #expect(history.versions.map { $0.migrations.map(\.name) } == (1...7).map { ["v\($0)"] })
        #expect(history.versions[2].migrations[0].file.hasSuffix("Migrations/v3.sql"))
        var before = Schema()
        for (index, version) in history.versions.enumerated() {
            let after = try await schema(Self.migrations, upTo: index + 1)
            let hints =
                index == 3
                ? RenameHints(tables: ["pet": "animal"], columns: ["person": ["mail": "email"]])
                : RenameHints()
            let expected = SchemaDiff(from: before, to: after, hints: hints).changes().filter { !$0.isQuiet }
            #expect(version.changes == expected, "v\(index + 1)")
            before = after
        }
        #expect(history.schema == before)
        #expect(history.unknown.isEmpty && history.failure == nil)
    }

    @Test func `renames, rebuilds and what changes nothing`() async throws {
        let history = try #require(try await report(try project(Self.migrations)).history)
        let words = history.versions.map { $0.changes.map(\.description) }
        #expect(words[1] == [] && words[5] == [])
        #expect(words[2] == ["table person: column name: DEFAULT: none -> ''"])
        #expect(words[3].contains("rename table pet to animal"))
        #expect(words[3].contains("table person: rename column mail to email"))
        #expect(
            words[4] == [
                "add virtual table search", #"add unique index "person mail" on person (email)"#,
                "drop view names",
                "drop trigger gone on person",
            ])
        // What is shown beside a change are its neighbours, and no table in which a module keeps its data.
        #expect(Set(history.versions[2].excerpt.schema.tables.keys) == ["person", "pet"])
        #expect(history.versions[4].excerpt.schema.virtualTables.keys.sorted() == ["search"])
        #expect(history.versions[1].excerpt.schema.tables.isEmpty)
    }

    @Test func `a rebuild that renames a column`() async throws {
        let history = try #require(
            try await report(
                try project([
                    "v1.sql": "CREATE TABLE t(id INTEGER PRIMARY KEY, sender TEXT);",
                    "v2.sql": """
                    CREATE TABLE n(id INTEGER PRIMARY KEY, from_address TEXT);
                    INSERT INTO n(id, from_address) SELECT id, sender FROM t;
                    DROP TABLE t;
                    ALTER TABLE n RENAME TO t;
                    """,
                ])
            ).history)
        #expect(
            history.versions[1].changes.map(\.description) == [
                "table t: rename column sender to from_address"
            ])
    }

    @Test func `what is released is what a snapshot has`() async throws {
        let folder = try project(Self.migrations)
        try PlainDatabase(folder.file("Snapshots/a.sqlite")).execute(
            (Self.migrations["v1.sql"] ?? "")
                + "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1');"
        )
        let history = try #require(try await report(folder).history)
        #expect(
            history.versions.map { $0.migrations[0].isReleased } == [true] + Array(repeating: false, count: 6)
        )
        let probes = try #require(try await report(try project(Self.migrations)).history)
        #expect(probes.versions.allSatisfy { $0.migrations[0].isReleased == nil })
    }

    @Test func `a migration that fails`() async throws {
        var migrations = Self.migrations
        migrations["v4.sql"] = "ALTER TABLE nowhere ADD COLUMN x;"
        let history = try #require(try await report(try project(migrations)).history)
        #expect(history.versions.count == 3)
        #expect(history.unknown.map(\.name) == ["v4", "v5", "v6", "v7"])
        #expect(history.failure?.contains("v4 fails on an empty database: no such table: nowhere") == true)
    }

    @Test func `up to a version, and what existed before the first one`() async throws {
        let folder = try project(["v1.sql": "ALTER TABLE base ADD COLUMN b;", "v2.sql": "CREATE TABLE t(a);"])
        try folder.write("base.sql", "CREATE TABLE base(a);")
        let history = try #require(
            try await report(folder) {
                $0.migrations.options.base = SchemaBase(path: folder.file("base.sql"))
                $0.upTo = "v1"
            }.history)
        #expect(history.versions.map { $0.changes.map(\.description) } == [["table base: add column b"]])
        #expect(history.schema.tables.keys.sorted() == ["base"])
    }

    @Test func `nothing is read unless it is wanted`() async throws {
        let report = try await report(try project(Self.migrations)) { $0.wantsHistory = false }
        #expect(report.history == nil)
    }

    @Test func `another tool's migrations in one transaction`() async throws {
        let folder = try project([:])
        try folder.write(
            "Migrations/0001_a.up.sql", "CREATE TABLE a(x);")
        try folder.write("Migrations/0002_b.up.sql", "CREATE TABLE b(x);")
        let history = try #require(
            try await report(folder) { $0.migrations.format = "golang-migrate" }.history)
        #expect(history.versions.map { $0.changes.map(\.description) } == [["add table a"], ["add table b"]])
    }

    // MARK: - Helpers

    private func project(_ migrations: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, sql) in migrations { try folder.write("Migrations/\(name)", sql) }
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        return folder
    }

    private func report(
        _ folder: TemporaryFolder, _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        try await folder.verify {
            $0.wantsHistory = true
            $0.snapshots.isFolderNamed = false
            configure(&$0)
        }
    }

    /// Returns the schema that SQLite makes of the first migrations.
    private func schema(_ migrations: [String: String], upTo count: Int) async throws -> Schema {
        let folder = try TemporaryFolder()
        let database = try PlainDatabase(folder.file("a.sqlite"))
        for (_, sql) in migrations.sorted(by: { $0.key < $1.key }).prefix(count) { try database.execute(sql) }
        var schema = try await SchemaComparer(engine: GRDBDriver()).schema(
            of: try SchemaSource(folder.file("a.sqlite")))
        schema.settings = DatabaseSettings()
        return schema
    }
}

extension Report {
    fileprivate var history: SchemaHistory? {
        if case .verify(let verify) = body { verify.history } else { nil }
    }
}
