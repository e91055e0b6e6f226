import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import TestTools
import Testing

@testable import DrydockCrash
@testable import DrydockReplay
@testable import DrydockShrink
@testable import DrydockTestSupport
@testable import DrydockVerify

/// The smallest database and migration that show a finding.
@Suite struct ShrinkTests {
    private static let history = """
        CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
        INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
        """
    /// Hundreds of rows, of which each column says something about a person.
    private static let rows = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO person SELECT i, 'Person number ' || i % 299 FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO pet SELECT i + 5000, i, 'Secret pet ' || i FROM n
        """

    private func project(_ sql: String..., encoding: String = "UTF-8") throws -> TemporaryFolder {
        var files = ["00001_first.sql": "-- +goose Up\n" + ToolProject.one]
        for (index, text) in sql.enumerated() {
            files["0000\(index + 2)_step.sql"] = "-- +goose Up\n\(text)\n"
        }
        return try ToolProject(
            files: files, history: Self.history,
            schema: "PRAGMA encoding = '\(encoding)';" + ToolProject.one, rows: Self.rows
        ).write()
    }

    private func shrink(
        _ folder: TemporaryFolder, _ target: ShrinkTarget = ShrinkTarget(),
        _ engine: any Engine = GRDBDriver(),
        _ configure: (inout ShrinkRequest) -> Void = { _ in }
    ) async throws -> ShrunkFinding {
        var request = request(folder)
        request.target = target
        configure(&request)
        return try await Verifier(engine: engine).shrink(request)
    }

    private func request(_ folder: TemporaryFolder) -> ShrinkRequest {
        var verify = VerifyRequest()
        verify.migrations.folder = folder.file("Migrations")
        verify.snapshots.folder = folder.file("Snapshots")
        var request = ShrinkRequest(verify, folder: folder.file("found"))
        // What is found does not depend on how busy the machine is.
        request.timeout = nil
        return request
    }

    private func text(of path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    private static let loss = """
        CREATE TABLE tag(a);
        CREATE INDEX pet_name ON pet(name);
        DELETE FROM pet WHERE name LIKE 'Secret pet 27_';
        UPDATE person SET name = name;
        """

    @Test(arguments: [GRDBDriver() as any Engine, NIODriver()])
    func fewRowsAndOneStatementAreLeft(_ engine: any Engine) async throws {
        let folder = try project(Self.loss)
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .rowsLost), engine)
        #expect(shrunk.finding.rule == .rowsLost && shrunk.finding.table == "pet")
        #expect(shrunk.rowCount <= 2)
        #expect(shrunk.statements.before == 4 && shrunk.statements.after == 1)
        #expect(shrunk.project.isVerified && !shrunk.project.isMigrationWhole && shrunk.isSmallest)
        #expect(
            try text(of: folder.file("found/Migrations/00002_step.sql"))
                == "-- +goose Up\nDELETE FROM pet WHERE name LIKE 'Secret pet 27_';\n")
        // What the condition needs of a value stays, and is named.
        #expect(shrunk.keptColumns == ["pet.name"])
    }

    /// The id that a table gave last is part of what a rebuild can lose.
    @Test(arguments: [GRDBDriver() as any Engine, NIODriver()])
    func aMarkOfAutoincrementIsKept(_ engine: any Engine) async throws {
        let folder = try ToolProject(
            files: [
                "00001_first.sql":
                    "-- +goose Up\nCREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT);",
                "00002_step.sql": """
                -- +goose Up
                CREATE TABLE t_new (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT);
                INSERT INTO t_new SELECT * FROM t;
                DROP TABLE t;
                ALTER TABLE t_new RENAME TO t;
                """,
            ], history: Self.history,
            schema: "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT);",
            rows: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                    INSERT INTO t SELECT i, 'Text ' || i FROM n;
                DELETE FROM t WHERE id > 297
                """
        ).write()
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .autoincrementReset), engine)
        #expect(shrunk.finding.table == "t" && shrunk.rowCount <= 2)
        #expect(shrunk.project.isVerified && shrunk.isSmallest)
        let inserts = try #require(shrunk.finding.counterexample?.inserts)
        #expect(inserts.contains { $0.contains("sqlite_sequence") })
    }

    /// An index over the rows of another table is filled from them, so that the step is what makes it stale.
    @Test(arguments: ["UTF-8", "UTF-16le"])
    func anIndexOverOtherRowsIsFilled(encoding: String) async throws {
        let schema = """
            CREATE TABLE d (id INTEGER PRIMARY KEY, t TEXT);
            CREATE VIRTUAL TABLE f USING fts5(t, content='d', content_rowid='id');
            """
        let folder = try ToolProject(
            files: [
                "00001_first.sql": "-- +goose Up\n" + schema,
                "00002_step.sql":
                    "-- +goose Up\n-- drydock: rewrites d.t\nUPDATE d SET t = 'New ' || t WHERE id = 1;",
            ], history: Self.history, schema: "PRAGMA encoding = '\(encoding)';" + schema,
            rows:
                "INSERT INTO d VALUES (1, 'some text'), (2, 'more text'); INSERT INTO f(f) VALUES ('rebuild')"
        ).write()
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .searchIndexStale))
        #expect(shrunk.finding.table == "f" && shrunk.project.isVerified)
        #expect(shrunk.keptColumns == [])
        let inserts = try #require(shrunk.finding.counterexample?.inserts)
        #expect(inserts.count == 2 && inserts.last?.contains("rebuild") == true)
    }

    /// What only the end of a replay shows: an index that somebody dropped by hand.
    @Test func aSchemaThatDiffersFromAFreshInstall() async throws {
        let index = "CREATE INDEX person_by_name ON person(name)"
        let folder = try ToolProject(
            files: [
                "00001_first.sql": "-- +goose Up\n\(ToolProject.one)\n\(index);",
                "00002_step.sql": "-- +goose Up\nCREATE TABLE tag (a);\nALTER TABLE pet ADD COLUMN b;",
            ], history: Self.history, schema: ToolProject.one, rows: Self.rows
        ).write()
        let shrunk = try await shrink(folder)
        #expect(shrunk.finding.rule == .schemaMismatch && shrunk.finding.table == "person")
        #expect(shrunk.rowCount == 0 && shrunk.statements.after == 0 && shrunk.project.isVerified)
    }

    /// A folder that is moved elsewhere gives the finding without anything of the project.
    @Test func theFolderStandsAlone() async throws {
        let folder = try project(Self.loss)
        _ = try await shrink(folder)
        let moved = try TemporaryFolder()
        try FileManager.default.moveItem(atPath: folder.file("found"), toPath: moved.file("found"))
        var request = VerifyRequest()
        request.migrations.folder = moved.file("found/Migrations")
        request.snapshots.folder = moved.file("found/Snapshots")
        let report = try await Verifier(engine: GRDBDriver()).run(request)
        let finding = try report.finding(.rowsLost)
        #expect(finding.table == "pet")
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func valuesThatAreNotNeededAreReplaced(encoding: String) async throws {
        let folder = try project("DELETE FROM pet;", encoding: encoding)
        let shrunk = try await shrink(folder, ShrinkTarget(table: "pet"))
        #expect(shrunk.keptColumns == [])
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.file("found")) {
            guard let bytes = FileManager.default.contents(atPath: folder.file("found/\(name)")) else {
                continue
            }
            for text in ["Secret", "Person number"] {
                for form in [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
                    let stored = try #require(text.data(using: form))
                    #expect(bytes.range(of: stored) == nil, "\(text) in \(name)")
                }
            }
        }
    }

    /// Two rows share a name, and nothing else of it matters.
    @Test func valuesThatRowsShareStayShared() async throws {
        let folder = try project("CREATE UNIQUE INDEX person_name ON person(name);")
        let shrunk = try await shrink(folder)
        #expect(shrunk.finding.rule == .migrationFailed && shrunk.rowCount == 2)
        #expect(shrunk.keptColumns == [])
        let inserts = try #require(shrunk.finding.counterexample).inserts
        #expect(!inserts.joined().contains("Person number"), "\(inserts)")
        #expect(shrunk.project.isVerified)
    }

    /// Tables that a virtual table makes for itself are not in the script, and those that triggers fill are there.
    @Test(arguments: [
        ("CREATE VIRTUAL TABLE f USING fts5(t);", "INSERT INTO f VALUES ('some text'), ('more text')", "f"),
        (
            """
            CREATE TABLE d(id INTEGER PRIMARY KEY, t TEXT);
            CREATE VIRTUAL TABLE f USING fts5(t, content='d', content_rowid='id');
            CREATE TRIGGER di AFTER INSERT ON d BEGIN INSERT INTO f(rowid, t) VALUES (new.id, new.t); END;
            """, "INSERT INTO d VALUES (1, 'some text'), (2, 'more text')", "d"
        ),
    ])
    func searchTablesAreMade(schema: String, rows: String, table: String) async throws {
        let sql = "DELETE FROM \(table);"
        let files = [
            "00001_first.sql": "-- +goose Up\n-- +goose StatementBegin\n\(schema)\n-- +goose StatementEnd\n",
            "00002_step.sql": "-- +goose Up\n\(sql)\n",
        ]
        let folder = try ToolProject(files: files, history: Self.history, schema: schema, rows: rows).write()
        let shrunk = try await shrink(folder, ShrinkTarget(table: table))
        #expect(shrunk.finding.rule == .rowsLost && shrunk.project.isVerified)
        let example = try #require(shrunk.finding.counterexample)
        let plain = try PlainDatabase(folder.file("plain.sqlite"))
        try plain.execute((example.schema + example.inserts + example.migration).joined(separator: ";\n"))
    }

    /// A folder of migrations can be the whole project's, with what nobody may see.
    @Test func nothingButMigrationsIsCopied() async throws {
        let folder = try project(Self.loss)
        try folder.write("Migrations/credentials.json", "{}")
        try folder.write("Migrations/data/dump.sql", "SELECT 1;")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("Migrations/00009_link.md"), withDestinationPath: "/etc/passwd")
        _ = try await shrink(folder)
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: folder.file("found/Migrations")).sorted()
                == ["00001_first.sql", "00002_step.sql"])
    }

    @Test func laterMigrationsAreLeftOut() async throws {
        let folder = try project(Self.loss, "CREATE TABLE late(a);")
        _ = try await shrink(folder, ShrinkTarget(migration: "2"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("found/Migrations/00003_step.sql")))
    }

    // MARK: - Errors

    private func fault(
        _ folder: TemporaryFolder, _ target: ShrinkTarget = ShrinkTarget(),
        _ configure: (inout ShrinkRequest) -> Void = { _ in }
    ) async throws -> String {
        var message = ""
        do {
            _ = try await shrink(folder, target, GRDBDriver(), configure)
        } catch let error as RequestError {
            message = error.description
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file(".")).sorted()
        #expect(names == ["Migrations", "Snapshots"], "half-made files: \(names)")
        return message
    }

    @Test func aFindingThatIsNotThereIsAnError() async throws {
        #expect(
            try await fault(project("CREATE TABLE tag(a);"))
                == "no snapshot gives such a finding: nothing is wrong")
        #expect(
            try await fault(project(Self.loss), ShrinkTarget(table: "person"))
                == "no snapshot gives such a finding; found: rows-lost in pet by 2")
    }

    /// What no report has, nobody wants to reproduce.
    @Test func anIgnoredFindingIsPassedOver() async throws {
        let sql = "INSERT INTO person VALUES (9000, 'New');"
        let target = ShrinkTarget(rule: .rowsAdded)
        #expect(try await shrink(project(sql), target).finding.rule == .rowsAdded)
        #expect(
            try await fault(project("-- drydock: ignore rows-added because it is a sample\n" + sql), target)
                .hasPrefix("no snapshot gives such a finding"))
    }

    @Test func aFolderThatExistsIsNotTouched() async throws {
        let folder = try project(Self.loss)
        #expect(
            try await fault(folder) { $0.folder = folder.file("Snapshots") }
                .hasSuffix("already exists; name a folder that does not, with -o"))
    }

    @Test func aStopBeforeTheSearchWritesNothing() async throws {
        let folder = try project(Self.loss)
        let request = request(folder)
        await #expect(throws: CancellationError.self) {
            try await Verifier(engine: GRDBDriver()).shrink(request, until: { true })
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("found")))
    }

    /// Without time for the search, what shows the finding is written as it is.
    @Test func aStopKeepsTheBestSoFar() async throws {
        let folder = try project(Self.loss)
        let request = request(folder)
        let stop = Stop()
        let shrunk = try await Verifier(engine: GRDBDriver()).shrink(request, until: { stop.isSet }) {
            stage in
            if case .dropping("tables, indexes and triggers", of: _) = stage { stop.set() }
        }
        #expect(shrunk.finding.rule == .rowsLost && shrunk.project.isVerified)
    }

    private final class Stop: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        var isSet: Bool { lock.withLock { value } }
        func set() { lock.withLock { value = true } }
    }

    // MARK: - Delta debugging

    /// Whatever a finding needs is left, and nothing else.
    @Test(arguments: 0..<40)
    func whatIsNeededIsLeft(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let all = Array(0..<Int.random(in: 1...40, using: &random))
        let needed = Set(all.filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
        let left = try await fewest(of: all) { needed.isSubset(of: $0) }
        #expect(left == needed.sorted())
    }

    /// Of a large table only a part is tried, and what a row refers to.
    @Test func aRowComesWithItsParent() async throws {
        let folder = try ToolProject(
            files: [
                "00001_first.sql": "-- +goose Up\n" + ToolProject.one,
                "00002_step.sql":
                    "-- +goose Up\n-- drydock: deletes from person where id = 12000\nDELETE FROM person WHERE id = 12000;\n",
            ], history: Self.history, schema: ToolProject.one,
            rows: Self.rows.replacing("i < 300", with: "i < 25000")
        ).write()
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .rowsLost)) {
            $0.verify.migrations.options.foreignKeys = true
        }
        #expect(shrunk.finding.table == "pet" && shrunk.rowCount == 2 && shrunk.project.isVerified)
    }

    // MARK: - Values

    /// A number that an app gives to any row says nothing.
    @Test(arguments: [(-2, true), (-1, false), (999, false), (1000, true)] as [(Int64, Bool)])
    func aNumberThatMayTellSomethingIsReplaced(_ number: Int64, _ isReplaced: Bool) async throws {
        let row = GeneratedRow(table: "t", columns: ["a"], values: [.integer(number)])
        var values = SharedValues([row], .utf8) { _ in true }
        try await values.replace()
        #expect((values.rows[0].values != [.integer(number)]) == isReplaced)
    }

    @Test func whatOnlyAnotherNeededGoesAfterIt() async throws {
        #expect(try await fewest(of: [1, 2]) { !$0.contains(2) || $0.contains(1) } == [])
    }
}
