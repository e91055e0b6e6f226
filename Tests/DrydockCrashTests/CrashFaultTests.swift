import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import SQLiteSchema
import Testing

@testable import DrydockCrash
@testable import DrydockMigrations
@testable import DrydockReplay
@testable import DrydockTestSupport

/// What is left where the disk is full or another program has a lock, and where the power is cut between two writes.
@Suite struct CrashFaultTests {
    private static let history = """
        CREATE TABLE flyway_schema_history(installed_rank INT NOT NULL PRIMARY KEY, version VARCHAR(50), description VARCHAR(200) NOT NULL, type VARCHAR(20) NOT NULL, script VARCHAR(1000) NOT NULL, checksum INT, installed_by VARCHAR(100) NOT NULL, installed_on TEXT NOT NULL DEFAULT '', execution_time INT NOT NULL, success BOOLEAN NOT NULL);
        INSERT INTO flyway_schema_history VALUES (1, '1', 'first', 'SQL', 'V1__first.sql', NULL, '', '', 0, 1);
        """

    /// A project of Drydock's own format, whose migrations are committed with their record, on a database of some pages.
    private func project(_ sql: String, journal: String = "delete") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/a.sql", ToolProject.one)
        try folder.write("Migrations/b.sql", sql)
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/a.sqlite")).execute(
            """
            PRAGMA journal_mode = \(journal); \(ToolProject.one)
            CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('a');
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 300)
            INSERT INTO person SELECT n, 'name ' || hex(zeroblob(50)) || n FROM s
            """)
        return folder
    }

    private func flyway(_ sql: String, config: String = "executeInTransaction=false") throws
        -> TemporaryFolder
    {
        try ToolProject(
            files: ["V1__first.sql": ToolProject.one, "V2__step.sql": sql, "V2__step.sql.conf": config],
            history: Self.history
        ).write()
    }

    private func crashes(
        _ folder: TemporaryFolder, _ engine: any Engine = GRDBDriver(), writes: Bool = false
    ) async throws -> Report {
        try await folder.verify(engine) { request in
            request.checks.crashes = !writes
            request.checks.crashWrites = writes
        }
    }

    private func found(_ report: Report) -> [Finding] {
        report.findings.filter { $0.rule.rawValue.hasPrefix("crash-") }
    }

    private static let rebuild = """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT);
        INSERT INTO new_person(id, name) SELECT id, name FROM person;
        DROP TABLE person; ALTER TABLE new_person RENAME TO person;
        """

    @Test(arguments: ["delete", "wal"])
    func `a migration in a transaction survives a full disk, a lock and a power cut`(journal: String)
        async throws
    {
        for engine in [GRDBDriver() as any Engine, NIODriver()] {
            let folder = try project(Self.rebuild, journal: journal)
            for writes in [false, true] {
                let report = try await crashes(folder, engine, writes: writes)
                #expect(found(report).isEmpty, "\(report.findings.map(\.line))")
                #expect(try #require(report.replays.first?.crashFaults) > 10)
                let powerCuts = report.replays.first?.crashPowerCuts
                #expect(writes ? powerCuts ?? 0 > 50 : powerCuts == nil)
            }
        }
    }

    // MARK: - A tool that marks what failed

    @Test func `Flyway marks a file that failed outside a transaction`() async throws {
        let safe = "CREATE TABLE IF NOT EXISTS tag(a); CREATE INDEX IF NOT EXISTS pet_name ON pet(name);"
        let finding = try await crashes(try flyway(safe)).finding(.crashStuck)
        #expect(finding.severity == .warning)
        #expect(
            finding.message
                == "2: where a statement fails, as on a full disk, flyway refuses every later start until someone runs 'flyway repair'"
        )
        let within = try await crashes(try flyway(safe, config: ""))
        #expect(found(within).isEmpty, "\(within.findings.map(\.line))")
    }

    @Test func `repair does not help where the file cannot run twice`() async throws {
        let report = try await crashes(
            try flyway("CREATE TABLE tag(a); CREATE INDEX pet_name ON pet(name);"))
        let errors = found(report).filter { $0.severity == .error }
        #expect(errors.map(\.rule) == [.crashStuck], "\(report.findings.map(\.line))")
        #expect(errors.first?.message.contains("table tag already exists") == true)
    }

    // MARK: - Recovery that is turned off

    private static let careless = [
        "PRAGMA journal_mode = OFF;", "PRAGMA journal_mode = MEMORY;", "PRAGMA synchronous = OFF;",
    ]

    /// In the same file, or in an earlier one.
    @Test(arguments: careless, [false, true])
    func `a migration that turns recovery off is found by power cuts`(pragma: String, isEarlier: Bool)
        async throws
    {
        let open = "-- +goose NO TRANSACTION\n-- +goose Up\n\(pragma)\n"
        let steps =
            isEarlier
            ? ["00002_step.sql": open, "00003_rebuild.sql": "-- +goose Up\n\(Self.rebuild)\n"]
            : ["00002_step.sql": "\(open)BEGIN;\n\(Self.rebuild)\nCOMMIT;\n"]
        let folder = try ToolProject(
            files: steps.merging(["00001_first.sql": "-- +goose Up\n" + ToolProject.one]) { $1 },
            history: """
                CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
                INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
                """,
            rows: """
                WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 300)
                INSERT INTO person SELECT n, 'name ' || hex(zeroblob(50)) || n FROM s
                """
        ).write()
        let report = try await crashes(folder, writes: true)
        let lost = try #require(
            report.findings.last { $0.rule == .crashLoses && $0.message.contains("the database is damaged") },
            "\(report.findings.map(\.line))")
        #expect(lost.help.hasPrefix("Remove \(pragma.dropLast()) from 2: "), "\(lost.help)")
        // The file that has it is to blame, not the one in which it comes to light.
        #expect(lost.migration == "2" && (!isEarlier || lost.place?.line == 3))
        #expect(!report.findings.contains { $0.migration == "3" && $0.rule.rawValue.hasPrefix("crash-") })
        let words = "2: \(pragma.dropLast()) is still on in 3, and "
        #expect(lost.message.hasPrefix(words) == isEarlier, "\(lost.message)")
    }

    /// A later file has put it right again.
    @Test func `a pragma that is taken back is not blamed`() throws {
        func migration(_ name: String, _ sql: String) -> Migration {
            Migration(identifier: name, path: "", statements: SQLSource(name: "", sql).statements())
        }
        let (off, safe, last) = (
            migration("a", "PRAGMA journal_mode = OFF; PRAGMA journal_mode = DELETE;"),
            migration("b", "PRAGMA journal_mode = DELETE"), migration("c", "SELECT 1")
        )
        #expect(UnsafePragma(of: off, in: [off], after: [])?.text == "PRAGMA journal_mode = OFF")
        #expect(UnsafePragma(of: last, in: [last], after: [off, safe]) == nil)
        let slow = migration("d", "PRAGMA synchronous = 0")
        #expect(UnsafePragma(of: last, in: [safe, last], after: [slow])?.step.identifier == "d")
    }

    @Test func `of each statement the first and the last growth is tried`() {
        let operations = CrashFaults.Operations(count: 100, ends: [10, 10, 20, 90])
        #expect(operations.chosen(8) == [0, 9, 10, 19, 20, 89, 90, 99])
        #expect(operations.chosen(100) == Array(0..<100))
        #expect(operations.chosen(20).count == 20 && Set(operations.chosen(20)).isSuperset(of: [19, 20]))
        #expect(CrashFaults.Operations(count: 0, ends: [0]).chosen(5).isEmpty)
    }

    @Test func `what is not tried is said`() async throws {
        let report = try await folderWithLimit()
        let reasons = report.notChecked.filter { $0.rule == .crashStuck }.map(\.reason)
        #expect(
            reasons.contains {
                $0.hasPrefix("tried 3 of the ") && $0.contains("states that a power cut during b can leave")
            })
        #expect(
            reasons.contains {
                $0.hasPrefix("tried 3 of the ") && $0.contains("growths and locks of b that can fail")
            })
    }

    private func folderWithLimit() async throws -> Report {
        try await project(Self.rebuild).verify { request in
            request.checks.crashWrites = true
            request.checks.crashStates = 3
        }
    }
}
