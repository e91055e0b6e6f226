import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import TestTools
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

/// Generated rows where the project's own command migrates.
@Suite(.enabled(if: CommandCase.isPossible, "it needs python3 with its module sqlite3"))
struct CommandProbeTests {
    private func verify(
        _ steps: [(String, String)], on engine: any Engine = GRDBDriver(), before: String = "",
        after: String = "",
        isWhole: Bool = false, in folder: TemporaryFolder? = nil,
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        try await (folder ?? project(steps, before: before, after: after)).verifyCommand(
            on: engine, isWhole: isWhole
        ) {
            $0.snapshots.isFolderNamed = false
            configure(&$0)
        }
    }

    /// A project without a snapshot.
    private func project(
        _ steps: [(String, String)], before: String = "", after: String = ""
    ) throws -> TemporaryFolder {
        var project = CommandCase(CommandCase.people + steps.map { (name: $0.0, sql: $0.1) })
        (project.before, project.after) = (before, after)
        let folder = try project.write()
        try FileManager.default.removeItem(atPath: folder.file("Snapshots"))
        return folder
    }

    @Test(arguments: CommandCase.engines.indices) func `a good project passes`(_ engine: Int) async throws {
        let report = try await verify([], on: CommandCase.engines[engine])
        report.expectNothing()
        #expect(report.steps == ["0001_person", "0002_born", "0003_index"] && report.hasPassed)
        #expect(
            report.replays.count == 1 && report.replays[0].isProbe && report.replays[0].rowsGenerated >= 3)
    }

    @Test(arguments: CommandCase.engines.indices) func `a loss is found, and the fewest rows show it`(
        _ engine: Int
    ) async throws {
        let folder = try project([("0004_clean", "DELETE FROM person")])
        let report = try await verify([], on: CommandCase.engines[engine], in: folder)
        report.expect(errors: [.rowsLost])
        let finding = try report.finding(.rowsLost)
        #expect(finding.migration == "0004_clean" && finding.tags.isEmpty)
        let example = try #require(finding.counterexample)
        #expect(example.inserts.count == 1 && example.migration.isEmpty, "\(example.inserts)")
        // Pasted into a shell, it shows the loss.
        let place = try TemporaryFolder()
        let path = place.file(Counterexample.databaseName)
        try PlainDatabase(path).execute((example.schema + example.inserts).joined(separator: ";\n"))
        #expect(try PlainDatabase(path).firstRow("SELECT count(*) FROM person") { $0.integer(0) } == 1)
        chmod(path, 0o600)
        chmod(place.path, 0o700)
        let shell = ChildProcess()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", try #require(example.command)]
        shell.currentDirectoryURL = URL(filePath: place.path)
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(try PlainDatabase(path).firstRow("SELECT count(*) FROM person") { $0.integer(0) } == 0)
    }

    @Test func `what only unusual rows show is a warning`() async throws {
        let report = try await verify([
            ("0004_born", "DELETE FROM person WHERE name = ''"),
            ("0005_unique", "CREATE UNIQUE INDEX one ON person(name)"),
        ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        let lost = try report.finding(.rowsLost)
        #expect(lost.tags == [.probe] && lost.severity == .warning)
        #expect(lost.counterexample?.inserts.count == 1, "\(lost.counterexample?.inserts ?? [])")
        let failed = try report.finding(.migrationFailed)
        #expect(failed.migration == "0005_unique" && failed.tags.contains(.probe))
        #expect(failed.counterexample?.inserts.count == 2, "\(failed.counterexample?.inserts ?? [])")
        #expect(report.hasPassed)
    }

    @Test func `what comes after a migration that fails is checked too`() async throws {
        let report = try await verify([
            ("0004_email", "ALTER TABLE person ADD COLUMN email TEXT NOT NULL"),
            ("0005_clean", "DELETE FROM person"),
        ])
        report.expect(errors: [.migrationFailed, .rowsLost])
        #expect(try report.finding(.migrationFailed).tags == [.dataDependent])
        #expect(report.replays.count == 2)
    }

    @Test func `rows keep what versions in between demand`() async throws {
        let rebuild = { (column: String) in
            """
            CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT, \(column));
            INSERT INTO other SELECT id, name, born, mood FROM person;
            DROP TABLE person;
            ALTER TABLE other RENAME TO person
            """
        }
        let report = try await verify([
            ("0004_mood", "ALTER TABLE person ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'"),
            ("0005_cat", "CREATE TABLE cat (id INTEGER PRIMARY KEY, mood TEXT NOT NULL)"),
            (
                "0006_check",
                """
                CREATE TABLE dog (id INTEGER PRIMARY KEY, mood TEXT NOT NULL CHECK (mood IN ('calm', 'wild')));
                INSERT INTO dog SELECT id, mood FROM cat; DROP TABLE cat; ALTER TABLE dog RENAME TO cat
                """
            ),
            (
                "0007_free",
                """
                CREATE TABLE dog (id INTEGER PRIMARY KEY, mood TEXT NOT NULL);
                INSERT INTO dog SELECT id, mood FROM cat; DROP TABLE cat; ALTER TABLE dog RENAME TO cat
                """
            ),
            ("0008_rebuild", rebuild("mood TEXT NOT NULL") + "; CREATE INDEX person_by_name ON person(name)"),
        ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        #expect(report.findings.contains { $0.migration == "0006_check" && $0.tags.contains(.probe) })
    }

    @Test func `a command that applies all at once leaves no place for rows`() async throws {
        let folder = try project([("0004_clean", "DELETE FROM person")])
        let error = await #expect(throws: RequestError.self) {
            try await verify([], isWhole: true, in: folder)
        }
        #expect(error?.description.contains("'migrate: list'") == true, "\(error?.description ?? "")")
        // Beside a snapshot it is listed.
        var other = CommandCase()
        other.rows = CommandCase.ada
        let report = try await other.verify(isWhole: true) { $0.probes.use = .always }
        report.expect(notChecked: [.rowsLost])
        #expect(report.notChecked[0].reason.contains("'migrate: list'"))
    }

    @Test func `tables of a base get rows, also before a command that applies all at once`() async throws {
        var project = CommandCase([(name: "0001_clean", sql: "DELETE FROM person")])
        project.at = 0
        project.rows = "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"
        let folder = try project.write()
        try FileManager.default.removeItem(atPath: folder.file("Snapshots"))
        try folder.write("base.sql", project.rows + ";")
        for isWhole in [true, false] {
            let report = try await verify([], isWhole: isWhole, in: folder) {
                $0.migrations.options.base = SchemaBase(path: folder.file("base.sql"))
            }
            report.expect(errors: [.rowsLost])
        }
    }

    @Test func `the app's own table of versions stays as it is`() async throws {
        let report = try await verify([("0004_kind", "ALTER TABLE knex_migrations ADD COLUMN kind TEXT")]) {
            $0.command?.history = CommandHistory(
                query: "SELECT name FROM knex_migrations", table: "knex_migrations")
        }
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        #expect(report.steps.count == 4)
    }

    @Test func `a command that does not end with unusual rows is not checked with them`() async throws {
        let report = try await verify(
            [("0004_note", "ALTER TABLE person ADD COLUMN note TEXT")],
            after: """
                if only == "0004_note" and connection.execute("SELECT 1 FROM person WHERE name = ''").fetchone(): time.sleep(600)
                """
        ) { $0.timeout = .seconds(600) }
        report.expect(notChecked: [.migrationFailed])
        #expect(report.notChecked[0].reason.contains("set of unusual rows"))
    }

    @Test func `a time limit is an error`() async throws {
        let report = try await verify([], before: "time.sleep(60)") { $0.timeout = .seconds(1) }
        #expect(report.rules(.error) == [.timeLimit] && !report.hasPassed, "\(report.findings.map(\.line))")
    }

    @Test func `the same project gives the same rows`() async throws {
        func once() async throws -> [[String]] {
            try await verify([("0004_clean", "DELETE FROM person")]).findings.map {
                [$0.message] + ($0.counterexample?.inserts ?? [])
            }
        }
        #expect(try await once() == once())
    }
}
