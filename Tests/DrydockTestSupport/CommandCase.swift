import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing
import TestTools

/// A project with a script that migrates, as Knex does, and a snapshot that an earlier release left.
struct CommandCase {
    /// Names and SQL, in their order.
    var steps: [(name: String, sql: String)]
    /// How many of them the snapshot has applied.
    var at = 1
    var rows = ""
    var snapshotName = "first.sqlite"
    /// Python that runs before anything else in the script, with `database` for the path.
    var before = ""
    /// Python that runs when everything is applied.
    var after = ""

    static let engines: [any Engine] = [GRDBDriver(), NIODriver()]

    /// Whether the script can be run: a machine that builds Drydock has Python for the pages, but perhaps without SQLite.
    static let isPossible: Bool = {
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "python3 -c 'import sqlite3'"]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            print("SKIPPED: the tests of 'migrate: command' need python3 with its module sqlite3")
        }
        return process.terminationStatus == 0
    }()

    /// Whether a process runs: one that ended and was not waited for does not.
    static func isRunning(_ number: Substring) -> Bool {
        guard let process = pid_t(number), kill(process, 0) == 0 else { return false }
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return !stat.contains(") Z ")
    }

    static let people = [
        (name: "0001_person", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"),
        (name: "0002_born", sql: "ALTER TABLE person ADD COLUMN born TEXT"),
        (name: "0003_index", sql: "CREATE INDEX person_by_name ON person(name)"),
    ]
    static let ada = "INSERT INTO person(id, name) VALUES (1, 'Ada'), (2, 'Bob'), (5, 'Eve')"

    init(_ steps: [(name: String, sql: String)] = people, at: Int = 1, rows: String = ada) {
        (self.steps, self.at, self.rows) = (steps, at, rows)
    }

    /// Applies what is pending, or the one that DRYDOCK_MIGRATION names; `list` prints all.
    private static let script = """
        import os, pathlib, sqlite3, stat, subprocess, sys, time
        here = pathlib.Path(__file__).parent
        names = sorted(path.stem for path in (here / "steps").glob("*.sql"))
        if sys.argv[1:] == ["list"]:
            print(*names, sep="\\n")
            sys.exit()
        database = os.environ["DRYDOCK_DATABASE"]
        assert stat.S_IMODE(os.stat(database).st_mode) == 0o600, "the copy can be read by others"
        assert stat.S_IMODE(os.stat(os.path.dirname(database)).st_mode) == 0o700, "its folder can be read by others"
        with open(here / "log" / "copies.txt", "a") as log: log.write(database + "\\n")
        %BEFORE%
        connection = sqlite3.connect(database, isolation_level=None)
        connection.execute("CREATE TABLE IF NOT EXISTS knex_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, batch INTEGER)")
        done = {row[0] for row in connection.execute("SELECT name FROM knex_migrations")}
        only = os.environ.get("DRYDOCK_MIGRATION")
        for name in names:
            if name in done or only not in (None, "", name): continue
            connection.execute("BEGIN")
            for statement in (here / "steps" / (name + ".sql")).read_text().split(";"): connection.execute(statement)
            connection.execute("INSERT INTO knex_migrations(name, batch) VALUES (?, 1)", (name,))
            connection.execute("COMMIT")
        %AFTER%

        """

    func write() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("log/copies.txt", "")
        for (name, sql) in steps { try folder.write("steps/\(name).sql", sql) }
        try folder.write(
            "migrate.py",
            Self.script.replacing("%BEFORE%", with: before).replacing("%AFTER%", with: after))
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try write(to: folder.file("Snapshots/\(snapshotName)"))
        return folder
    }

    private func write(to path: String) throws {
        let database = try PlainDatabase(path)
        try database.execute(
            "CREATE TABLE knex_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, batch INTEGER)")
        for step in steps.prefix(at) {
            try database.execute(step.sql)
            try database.execute("INSERT INTO knex_migrations(name, batch) VALUES ('\(step.name)', 1)")
        }
        try database.execute(rows)
    }

    /// Verifies with the script, one step at a time, and expects that nothing of a copy is left.
    func verify(
        on engine: any Engine = GRDBDriver(), comparingWith other: (any Engine)? = nil,
        isWhole: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        try await write().verifyCommand(
            on: engine, comparingWith: other, isWhole: isWhole, sourceLocation: sourceLocation, configure)
    }
}

extension TemporaryFolder {
    func verifyCommand(
        on engine: any Engine = GRDBDriver(), comparingWith other: (any Engine)? = nil,
        isWhole: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        var command = ProjectCommand(command: "python3 migrate.py")
        command.folder = path
        command.writable = [file("log")]
        if !isWhole { command.list = "python3 migrate.py list" }
        var request = VerifyRequest()
        request.command = command
        request.snapshots.folder = file("Snapshots")
        configure(&request)
        defer { expectNoCopies(sourceLocation) }
        return try await Verifier(engine: engine, comparingWith: other).run(request)
    }

    /// Every copy that the script saw is deleted, with its folder.
    func expectNoCopies(_ sourceLocation: SourceLocation = #_sourceLocation) {
        let copies = (try? String(contentsOfFile: file("log/copies.txt"), encoding: .utf8)) ?? ""
        for copy in Set(copies.split(separator: "\n")) {
            let place = String(copy[..<(copy.lastIndex(of: "/") ?? copy.endIndex)])
            #expect(!FileManager.default.fileExists(atPath: place), sourceLocation: sourceLocation)
        }
    }
}
