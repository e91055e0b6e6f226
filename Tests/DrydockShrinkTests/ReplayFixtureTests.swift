import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockLibraries
@testable import DrydockReplay
@testable import DrydockShrink
@testable import DrydockTestSupport
@testable import DrydockVerify

/// Findings that no single step shows: those of a whole replay, of ways back and of crashes.
@Suite struct ReplayFixtureTests {
    static let engines: [any Engine] = [GRDBDriver(), NIODriver()]

    private static let rows = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO person SELECT i, 'Person number ' || i FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO pet SELECT i, i, nullif('Secret pet ' || i, 'Secret pet 200') FROM n
        """

    /// - Parameter files: what follows `-- +goose Up` in the second file and the next ones.
    private func project(
        _ files: String..., note: String = "", schema: String = ToolProject.one,
        versions: ClosedRange<Int> = 1...1
    ) throws -> TemporaryFolder {
        var all = ["00001_first.sql": "-- +goose Up\n" + ToolProject.one]
        for (index, text) in files.enumerated() {
            all["0000\(index + 2)_step.sql"] = "\(note)-- +goose Up\n\(text)\n"
        }
        let applied = versions.map { ", (\($0), 1)" }.joined()
        return try ToolProject(
            files: all,
            history: """
                CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
                INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1)\(applied);
                """, schema: schema, rows: Self.rows
        ).write()
    }

    private func shrink(
        _ folder: TemporaryFolder, _ target: ShrinkTarget, _ engine: any Engine = GRDBDriver(),
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> ShrunkFinding {
        var verify = VerifyRequest()
        verify.migrations.folder = folder.file("Migrations")
        verify.snapshots.folder = folder.file("Snapshots")
        configure(&verify)
        var request = ShrinkRequest(verify, folder: folder.file("found"))
        (request.target, request.timeout) = (target, nil)
        return try await Verifier(engine: engine).shrink(request)
    }

    private func files(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("found/Migrations")).sorted()
    }

    private func text(_ folder: TemporaryFolder, _ name: String) throws -> String {
        try String(contentsOfFile: folder.file("found/Migrations/" + name), encoding: .utf8)
    }

    /// What the script has.
    private func shell(_ shrunk: ShrunkFinding) throws -> Counterexample {
        try #require(shrunk.finding.counterexample)
    }

    // MARK: - The end of a replay

    /// A NOT NULL that is written into the schema, where integrity_check finds a NULL at the end.
    @Test(arguments: engines) func damageAtTheEnd(_ engine: any Engine) async throws {
        let edit = """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT)', 'name TEXT NOT NULL)') WHERE name = 'pet';
            PRAGMA writable_schema = RESET;
            """
        let folder = try project("CREATE TABLE tag(a);\n" + edit, "CREATE TABLE other(a);")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .integrityFailure), engine)
        #expect(shrunk.finding.rule == .integrityFailure && shrunk.rowCount <= 2)
        #expect(shrunk.project.isVerified && shrunk.statements.after <= 3, "\(shrunk)")
        #expect(try files(folder) == ["00001_first.sql", "00002_step.sql"])
        #expect(try shell(shrunk).checks.last == "PRAGMA integrity_check")
    }

    /// A table that the snapshot has already keeps a migration from making the other one.
    @Test(arguments: engines) func aSchemaThatAnEarlierStepLeaves(_ engine: any Engine) async throws {
        let folder = try project(
            "CREATE TABLE note(a);",
            "CREATE TABLE IF NOT EXISTS tag(a, b);\nCREATE INDEX pet_name ON pet(name);",
            "CREATE TABLE late(a);", schema: ToolProject.one + "CREATE TABLE tag(a);")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .schemaMismatch, table: "tag"), engine)
        #expect(shrunk.finding.table == "tag" && shrunk.rowCount == 0 && shrunk.project.isVerified)
        // The finding is that of a statement, so that only its step is made small.
        #expect(shrunk.migrations == ["3"] && shrunk.statements.before == 2 && shrunk.statements.after == 1)
        #expect(
            try text(folder, "00003_step.sql") == "-- +goose Up\nCREATE TABLE IF NOT EXISTS tag(a, b);\n")
        #expect(try files(folder) == ["00001_first.sql", "00002_step.sql", "00003_step.sql"])
        #expect(try shell(shrunk).sequels.first?.title == "What a fresh install has")
    }

    /// An index that somebody dropped by hand is missing without any migration.
    @Test func aSnapshotThatDiffersByItself() async throws {
        let index = "CREATE INDEX person_by_name ON person(name);"
        let folder = try project(index, "CREATE TABLE tag(a);", versions: 1...2)
        let shrunk = try await shrink(folder, ShrinkTarget())
        #expect(shrunk.finding.rule == .schemaMismatch && shrunk.rowCount == 0)
        #expect(shrunk.statements.after == 0 && shrunk.migrations.isEmpty && shrunk.project.isVerified)
    }

    /// What verify says of a migration's text needs no row.
    @Test func aDeclarationThatIsNotNeeded() async throws {
        let folder = try project(
            "-- drydock: deletes from nowhere\nCREATE TABLE tag(a);", "CREATE TABLE late(a);")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .invalidDeclaration))
        #expect(shrunk.finding.migration == "2" && shrunk.rowCount == 0 && shrunk.project.isVerified)
        #expect(try files(folder) == ["00001_first.sql", "00002_step.sql"])
    }

    /// No statement names the table of the declaration.
    @Test func aDeclarationThatNoRowNeeds() async throws {
        let folder = try project("-- drydock: deletes from pet\nCREATE TABLE tag(a);")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .unusedDeclaration))
        #expect(shrunk.rowCount == 0 && shrunk.statements.after == 1 && shrunk.project.isVerified)
    }

    /// The history of a script is there where it matters.
    @Test func aMigrationThatWouldRunAgain() async throws {
        let folder = try project(
            "CREATE TABLE tag(a);",
            "DELETE FROM goose_db_version WHERE version_id = 2;\nCREATE TABLE late(a);")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .notIdempotent))
        #expect(shrunk.project.isVerified && shrunk.migrations == ["2", "3"] && shrunk.statements.after == 2)
        let example = try shell(shrunk)
        #expect(example.tables == ["goose_db_version"] && example.schema.contains { $0.hasPrefix("INSERT") })
    }

    @Test func aSnapshotWithoutAHistory() async throws {
        let folder = try project("CREATE TABLE tag(a);")
        try PlainDatabase(folder.file("Snapshots/first.sqlite")).execute("DROP TABLE goose_db_version")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .snapshotVersionUnknown)) {
            $0.migrations.format = "goose"
        }
        #expect(shrunk.rowCount == 0 && shrunk.project.isVerified)
    }

    /// Nothing is run where the tool refuses the history.
    @Test func aMigrationThatIsOutOfOrder() async throws {
        let folder = try project("CREATE TABLE tag(a);", "CREATE TABLE late(a);", versions: 1...1)
        try PlainDatabase(folder.file("Snapshots/first.sqlite")).execute(
            "CREATE TABLE late(a); INSERT INTO goose_db_version(version_id, is_applied) VALUES (3, 1)")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .migrationOutOfOrder))
        #expect(shrunk.finding.migration == "2" && shrunk.rowCount == 0 && shrunk.project.isVerified)
    }

    // MARK: - Ways back

    @Test(arguments: engines) func aWayBackThatLeavesSomething(_ engine: any Engine) async throws {
        let folder = try project(
            """
            CREATE TABLE tag(a);
            CREATE TABLE note(a);
            -- +goose Down
            DROP TABLE tag;
            """)
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .rollbackMismatch), engine)
        #expect(shrunk.finding.table == "note" && shrunk.project.isVerified, "\(shrunk.finding.message)")
        #expect(shrunk.statements.before == 3 && shrunk.statements.after <= 3)
        #expect(try text(folder, "00002_step.sql").contains("CREATE TABLE note"))
        #expect(try shell(shrunk).sequels.map(\.title) == ["Undone", "Run again"])
    }

    @Test(arguments: engines) func aWayBackThatFails(_ engine: any Engine) async throws {
        let folder = try project(
            """
            ALTER TABLE pet ADD COLUMN kind TEXT;
            CREATE TABLE tag(a);
            -- +goose Down
            DROP TABLE tag;
            CREATE UNIQUE INDEX pet_name ON pet(person_id + 0 * id, kind IS NULL) WHERE id < 0;
            ALTER TABLE pet DROP COLUMN nowhere;
            """)
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .rollbackFailed), engine)
        #expect(shrunk.finding.rule == .rollbackFailed && shrunk.project.isVerified)
        #expect(shrunk.rowCount == 0 && shrunk.statements.before == 5 && shrunk.statements.after == 2)
    }

    /// The row that a way back loses, where it is asked for as verify is.
    @Test func rowsThatAWayBackLoses() async throws {
        let folder = try project(
            "CREATE TABLE tag(a);\n-- +goose Down\nDROP TABLE tag;\nDELETE FROM pet WHERE id = 77;")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .rowsLost)) { $0.checks.rollback = true }
        #expect(shrunk.finding.table == "pet" && shrunk.rowCount <= 2 && shrunk.project.isVerified)
        #expect(shrunk.finding.message.hasPrefix("undoing 2"))
    }

    // MARK: - Crashes

    private static let bare = "-- +goose NO TRANSACTION\n"

    @Test(arguments: engines) func aStartThatNeverSucceeds(_ engine: any Engine) async throws {
        let folder = try project(
            "CREATE INDEX IF NOT EXISTS pet_name ON pet(name);\nCREATE TABLE tag(a);\nUPDATE pet SET name = name;",
            "CREATE TABLE late(a);", note: Self.bare)
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .crashStuck, migration: "2"), engine)
        #expect(shrunk.rowCount == 0 && shrunk.statements.after == 1 && shrunk.project.isVerified)
        #expect(try files(folder) == ["00001_first.sql", "00002_step.sql"])
        let example = try shell(shrunk)
        #expect(example.migration.contains("CREATE TABLE tag(a)"))
        let sequel = try #require(example.sequels.last)
        #expect(
            sequel.title == "Killed after line 4, the tool is started again"
                && sequel.statements.first == ".bail on")
    }

    @Test(arguments: engines) func aStartThatDoublesRows(_ engine: any Engine) async throws {
        let folder = try project(
            "CREATE TABLE IF NOT EXISTS log(line);\nINSERT INTO log SELECT name FROM pet;\nCREATE TABLE IF NOT EXISTS tag(a);",
            note: Self.bare)
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .crashLoses), engine)
        #expect(shrunk.rowCount <= 2 && shrunk.statements.after == 2 && shrunk.project.isVerified)
        #expect(shrunk.keptColumns == [])
        let statements = try #require(shell(shrunk).sequels.last).statements
        #expect(statements.contains("INSERT INTO log SELECT name FROM pet"))
        #expect(statements.last == "SELECT 'then, log:', * FROM \"log\"")
    }

    /// The later migration relies on a PRAGMA that the earlier one left on its connection.
    @Test func aKillBetweenTwoMigrations() async throws {
        let folder = try project(
            "CREATE TABLE tag(a);\nPRAGMA foreign_keys = ON;",
            "DELETE FROM person WHERE id = 7;", note: Self.bare)
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .crashLoses))
        #expect(shrunk.finding.migration == "3" && shrunk.rowCount <= 3 && shrunk.project.isVerified)
        #expect(shrunk.migrations == ["2", "3"] && shrunk.statements.after == 2)
        #expect(try shell(shrunk).migration.contains("PRAGMA foreign_keys = ON"))
    }

    /// A later migration fails for what an earlier one's second start left.
    @Test func aLaterMigrationThatNeverRuns() async throws {
        let folder = try project(
            "CREATE TABLE IF NOT EXISTS log(line);\nINSERT INTO log SELECT id FROM person;",
            "CREATE TABLE mid(a);",
            "CREATE UNIQUE INDEX log_line ON log(line);", note: Self.bare)
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .crashStuck, migration: "2"))
        #expect(shrunk.finding.message.contains("4 never runs"), "\(shrunk.finding.message)")
        #expect(shrunk.rowCount <= 2 && shrunk.migrations == ["2", "4"] && shrunk.project.isVerified)
    }

    /// Only a power cut between two writes shows it.
    @Test func aPowerCut() async throws {
        let folder = try project(
            "PRAGMA journal_mode = OFF;\nUPDATE pet SET name = 'New ' || name;\nUPDATE person SET name = 'New ' || name;",
            note: "-- drydock: rewrites pet.name\n-- drydock: rewrites person.name\n" + Self.bare)
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .crashLoses)) {
            $0.checks.crashWrites = true
        }
        #expect(shrunk.finding.rule == .crashLoses && shrunk.project.isVerified, "\(shrunk.finding.message)")
        #expect(shrunk.rowCount <= 10)
    }

    // MARK: - Other engines and libraries

    @Test func aStepThatOnlyOneEngineRuns() async throws {
        let folder = try Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)", rows: "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
            steps: ["CREATE TABLE n(b);\nCREATE INDEX localized ON t(a COLLATE swiftLocalizedCompare);"]
        ).write()
        var verify = VerifyRequest()
        verify.migrations.folder = folder.file("Migrations")
        verify.snapshots.folder = folder.file("Snapshots")
        var request = ShrinkRequest(verify, folder: folder.file("found"))
        (request.target, request.timeout) = (ShrinkTarget(rule: .engineDivergence), nil)
        let shrunk = try await Verifier(engine: GRDBDriver(), comparingWith: NIODriver()).shrink(request)
        #expect(shrunk.rowCount == 0 && shrunk.statements.after == 1 && shrunk.project.isVerified)
        #expect(shrunk.project.settings.comparesEngines)
    }

    /// What only another library refuses, where the environment names a folder of them.
    @Test(.enabled(if: OtherLibraries.usable.contains(where: isOld), OtherLibraries.reason))
    func aStepThatAnotherLibraryRefuses() async throws {
        let library = try #require(OtherLibraries.usable.first(where: Self.isOld)?.path)
        let folder = try project("CREATE TABLE tag(a);\nALTER TABLE pet DROP COLUMN name;")
        let shrunk = try await shrink(folder, ShrinkTarget(rule: .migrationFailed)) {
            ($0.checks.sqliteLibraries, $0.checks.libraryProgram) = ([library], Tool.path)
        }
        #expect(shrunk.rowCount == 0 && shrunk.statements.after == 1, "\(shrunk.finding.message)")
        #expect(shrunk.project.isVerified && shrunk.project.settings.checks.sqliteLibraries == [library])
    }

    /// Whether ALTER TABLE DROP COLUMN is unknown there (https://www.sqlite.org/releaselog/3_35_0.html).
    private static func isOld(_ build: SQLiteBuild) -> Bool {
        build.number.map { $0 < SQLiteVersion(3_035_000) } ?? false
    }

    // MARK: - What cannot be made small

    private func fault(_ folder: TemporaryFolder, _ target: ShrinkTarget) async throws -> String {
        do {
            _ = try await shrink(folder, target)
            return ""
        } catch let error as RequestError {
            #expect(!FileManager.default.fileExists(atPath: folder.file("found")))
            return error.description
        }
    }

    @Test func aFileThatCannotBeRead() async throws {
        let folder = try project("CREATE TABLE tag(a);")
        try Data(repeating: 7, count: 5000).write(
            to: URL(fileURLWithPath: folder.file("Snapshots/first.sqlite")))
        let message = try await fault(folder, ShrinkTarget(rule: .snapshotUnreadable))
        #expect(
            message.contains("cannot be read, so there are no rows to leave out")
                && message.contains(".recover"))
    }
}
