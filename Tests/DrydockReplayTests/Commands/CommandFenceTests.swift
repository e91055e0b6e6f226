import Drydock
import Foundation
import GRDBEngine
import TestTools
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

/// A project's own command can change nothing of the project but its private copy, whatever it opens.
@Suite(.enabled(if: CommandCase.isPossible, "it needs python3 with its module sqlite3"))
struct CommandFenceTests {
    /// A tool that goes up and down to the migration that is named, in a database of its own choice.
    private static let tool = """
        import os, pathlib, sqlite3, sys
        here = pathlib.Path(__file__).parent
        STEPS = [("0001", "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT)", "DROP TABLE note"),
                 ("0002", "ALTER TABLE note ADD COLUMN tag TEXT", "ALTER TABLE note DROP COLUMN tag"),
                 ("0003", "CREATE TABLE later(a)", "DROP TABLE later")]
        if sys.argv[1:] == ["list"]: sys.exit(print("0001\\n0002\\n0003"))
        target = os.environ.get("DRYDOCK_MIGRATION", "0003")
        copy, real = os.environ["DRYDOCK_DATABASE"], str(here / "data" / "app.sqlite3")
        def migrate(path):
            db = sqlite3.connect(path, isolation_level=None, timeout=0)
            db.execute("CREATE TABLE IF NOT EXISTS done(name TEXT PRIMARY KEY)")
            have = {n for n, in db.execute("SELECT name FROM done")}
            for name, up, _ in STEPS:
                if name <= target and name not in have:
                    db.execute(up), db.execute("INSERT INTO done VALUES(?)", (name,))
            for name, _, down in reversed(STEPS):
                if name > target and name in have:
                    db.execute(down), db.execute("DELETE FROM done WHERE name = ?", (name,))
        %BODY%

        """
    /// What a tool may do wrong, and what it should not be able to do.
    private static let bodies = [
        "migrate(real)",
        "migrate(real if 'DRYDOCK_MIGRATION' in os.environ else copy)",
        "migrate(copy); migrate(real)",
        "migrate(copy); open(real, 'wb').write(b'gone')",
        "migrate(copy); os.remove(real)",
        "migrate(copy); os.rename(real, real + '.old')",
        "migrate(copy); open(real + '-wal', 'ab').write(b'x')",
        "migrate(copy); os.truncate(here / 'Snapshots' / os.listdir(here / 'Snapshots')[0], 512)",
        "migrate(copy); assert 0 == os.system(f\"python3 -c 'import sys; open(sys.argv[1], \\\"r+b\\\").write(b\\\"x\\\")' {real}\")",
    ]

    private static let applied = """
        CREATE TABLE done(name TEXT PRIMARY KEY); INSERT INTO done VALUES ('0001'), ('0002');
        CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT, tag TEXT); INSERT INTO note VALUES (1, 'a', 'b')
        """
    private static let old = """
        CREATE TABLE done(name TEXT PRIMARY KEY); INSERT INTO done VALUES ('0001');
        CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); INSERT INTO note VALUES (1, 'x')
        """

    private static func project(_ body: String, mode: String = "DELETE", snapshots: Bool = true) throws
        -> TemporaryFolder
    {
        let folder = try TemporaryFolder()
        try folder.write("tool.py", tool.replacing("%BODY%", with: body))
        try folder.write("data/.keep", "")
        try folder.write("Snapshots/.keep", "")
        try PlainDatabase(folder.file("data/app.sqlite3")).execute(
            "PRAGMA journal_mode = \(mode); \(applied)")
        if snapshots { try PlainDatabase(folder.file("Snapshots/v1.sqlite")).execute(old) }
        return folder
    }

    private static func verify(
        _ folder: TemporaryFolder, snapshots: Bool = true, writable: [String] = []
    ) async throws -> Report {
        var command = ProjectCommand(command: "python3 tool.py")
        (command.folder, command.writable) = (folder.path, writable)
        command.list = "python3 tool.py list"
        command.history = CommandHistory(query: "SELECT name FROM done", table: "done")
        var request = VerifyRequest()
        request.command = command
        request.snapshots.folder = folder.file("Snapshots")
        request.snapshots.isFolderNamed = snapshots
        return try await Verifier(engine: GRDBDriver()).run(request)
    }

    /// Another program that has the database open, and ends with this object.
    private final class User {
        private let process = ChildProcess()
        private let input = Pipe()

        /// - Parameter begins: SQL that it runs first.
        init(_ path: String, _ begins: String) throws {
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c",
                """
                import sqlite3, sys
                db = sqlite3.connect(sys.argv[1], isolation_level=None)
                for sql in sys.argv[2].split(";"): db.execute(sql).fetchall()
                print("ready", flush=True)
                sys.stdin.read()
                """, path, begins,
            ]
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            _ = output.fileHandleForReading.availableData
        }

        deinit {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    /// The files but those in which SQLite counts its readers.
    private static func files(_ folder: TemporaryFolder) throws -> [String: Data] {
        try folder.contents().filter { !$0.key.hasSuffix("-shm") }.mapValues { Data($0) }
    }

    @Test(arguments: bodies.indices, ["DELETE", "WAL"])
    func `not a byte of the project changes`(_ body: Int, _ mode: String) async throws {
        // Each of both with both modes, over the bodies.
        let (isOpen, snapshots) = (body % 2 == 0, body % 4 < 2)
        let folder = try Self.project(Self.bodies[body], mode: mode, snapshots: snapshots)
        let user = isOpen ? try User(folder.file("data/app.sqlite3"), "SELECT * FROM note") : nil
        let before = try Self.files(folder)
        let report = try await Self.verify(folder, snapshots: snapshots)
        #expect(!report.hasPassed, "\(Self.bodies[body])")
        #expect(try Self.files(folder) == before, "\(Self.bodies[body]), open: \(isOpen)")
        withExtendedLifetime(user) {}
    }

    /// As on a system that does not limit what a command may write.
    @Test(arguments: ["DELETE", "WAL"], [true, false])
    func `locks alone keep SQLite out`(_ mode: String, _ isOpen: Bool) async throws {
        let folder = try Self.project("migrate(copy); migrate(real)", mode: mode)
        let user = isOpen ? try User(folder.file("data/app.sqlite3"), "SELECT * FROM note") : nil
        let before = try Self.files(folder)
        let finding = try await Self.verify(folder, writable: [folder.path]).finding(.migrationFailed)
        #expect(finding.evidence?.details.last?.contains("database is locked") == true, "\(finding)")
        #expect(try Self.files(folder) == before)
        withExtendedLifetime(user) {}
    }

    @Test func `what was written past all locks is an error, and the last run`() async throws {
        let folder = try Self.project("migrate(copy); open(real, 'r+b').write(b'X')")
        let report = try await Self.verify(folder, writable: [folder.path])
        let said = report.findings.map(\.message)
        #expect(said.contains { $0.contains("app.sqlite3, which is not its private copy") }, "\(said)")
        #expect(!report.hasPassed)
    }

    @Test func `a command that ignores the copy is refused, and nothing else is run`() async throws {
        let folder = try Self.project("migrate(real)")
        let report = try await Self.verify(folder)
        report.expect(errors: [.migrationFailed])
        let finding = try report.finding(.migrationFailed)
        #expect(finding.message.contains("did not open the database in $DRYDOCK_DATABASE"))
        #expect(finding.help.contains("app.sqlite3 and 1 other database were locked"), "\(finding.help)")
        #expect(report.replays.isEmpty)
    }

    @Test func `the help says how the settings follow the copy`() async throws {
        let folder = try Self.project("migrate(real)")
        try folder.write("manage.py", "import runpy; runpy.run_path('tool.py')")
        var request = VerifyRequest()
        request.command = ProjectCommand(command: "python3 manage.py migrate")
        request.command?.folder = folder.path
        request.snapshots.folder = folder.file("Snapshots")
        let finding = try await Verifier(engine: GRDBDriver()).run(request).finding(.migrationFailed)
        #expect(
            finding.help.contains("settings.py must first take the path from DRYDOCK_DATABASE"),
            "\(finding.help)")
    }

    @Test(arguments: ["DELETE", "WAL"]) func `a command that takes the copy passes beside the app`(
        _ mode: String
    ) async throws {
        let folder = try Self.project("migrate(copy)", mode: mode)
        let user = try User(folder.file("data/app.sqlite3"), "SELECT * FROM note")
        try await Self.verify(folder).expectNothing()
        withExtendedLifetime(user) {}
    }

    @Test func `it is not run while another program writes`() async throws {
        let folder = try Self.project("migrate(copy)")
        let user = try User(folder.file("data/app.sqlite3"), "BEGIN IMMEDIATE; DELETE FROM note")
        let finding = try await Self.verify(folder).finding(.migrationFailed)
        #expect(finding.message.contains("was not run, because another program is writing"))
        #expect(finding.message.contains("app.sqlite3") && finding.tags == [.notChecked])
        withExtendedLifetime(user) {}
    }

    @Test func `databases elsewhere that the environment names are locked`() async throws {
        let other = try TemporaryFolder()
        try PlainDatabase(other.file("live data.bin")).execute(Self.applied)
        let before = try Data(contentsOf: URL(filePath: other.file("live data.bin")))
        let folder = try Self.project(
            "migrate(copy); sqlite3.connect(os.environ['LIVE'], timeout=0).execute('DROP TABLE note')")
        try folder.write(".env", "APP_URL=\"sqlite:///\(other.file("live%20data.bin"))?mode=rwc\"\n")
        var command = ProjectCommand(command: "LIVE='\(other.file("live data.bin"))' python3 tool.py")
        command.folder = folder.path
        var request = VerifyRequest()
        request.command = command
        request.snapshots.folder = folder.file("Snapshots")
        let report = try await Verifier(engine: GRDBDriver()).run(request)
        let finding = try report.finding(.migrationFailed)
        #expect(finding.evidence?.details.last?.contains("OperationalError") == true, "\(finding)")
        #expect(try Data(contentsOf: URL(filePath: other.file("live data.bin"))) == before)
    }

    @Test(arguments: [
        ("app.db", "app.db"), ("sqlite:///data/app.db", "data/app.db"),
        ("sqlite:////data/app.db", "/data/app.db"),
        ("\"file:app.db?mode=rwc\"", "app.db"), ("jdbc:sqlite:/data/app.db", "/data/app.db"),
        ("Data Source=data/app.db;Cache=Shared", "data/app.db"), ("sqlite:a%20b.db", "a b.db"),
        ("DataSource=app.db", "app.db"),
    ])
    func `values name paths`(_ value: String, _ path: String) {
        #expect(ProjectDatabases.paths(in: value).contains(path), "\(ProjectDatabases.paths(in: value))")
    }
}
