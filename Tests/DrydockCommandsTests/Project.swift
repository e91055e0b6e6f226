import CSQLite
import Foundation
import Testing
import TestTools

/// A user's folder: two migrations and a snapshot of the first.
final class Project {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    let folder: URL

    init(second: String = "ALTER TABLE email ADD COLUMN note TEXT;") throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "drydock project \(UUID().uuidString)")
        let first = "CREATE TABLE email(id INTEGER PRIMARY KEY, subject TEXT);"
        try write("Migrations/v1.sql", first)
        try write("Migrations/v2.sql", second)
        try write("Snapshots/v1.sqlite", "")
        try execute(
            first + """
                CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
                INSERT INTO grdb_migrations VALUES('v1');
                INSERT INTO email VALUES(1, 'Hi there'), (2, NULL);
                """, on: "Snapshots/v1.sqlite")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ path: String, _ text: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func execute(_ sql: String, on path: String) throws {
        var handle: OpaquePointer?
        sqlite3_open(folder.appending(path: path).path, &handle)
        defer { sqlite3_close(handle) }
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    /// Returns the only value of a query.
    func query(_ sql: String, on path: String) throws -> String? {
        var (handle, statement): (OpaquePointer?, OpaquePointer?)
        sqlite3_open(folder.appending(path: path).path, &handle)
        defer { sqlite3_close(handle) }
        #expect(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }

    /// Returns the bytes of the files in Snapshots, by name.
    func databases() throws -> [String: Data] {
        let snapshots = folder.appending(path: "Snapshots")
        return try FileManager.default.contentsOfDirectory(atPath: snapshots.path).reduce(into: [:]) {
            $0[$1] = try Data(contentsOf: snapshots.appending(path: $1))
        }
    }

    func copy(_ path: String, over other: String) throws {
        let target = folder.appending(path: other)
        try FileManager.default.removeItem(at: target)
        let source = path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appending(path: path)
        try FileManager.default.copyItem(at: source, to: target)
    }

    func lines(of path: String) -> Int {
        let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
        return text?.split(separator: "\n").count ?? 0
    }

    /// Runs a command, and kills it as soon as a file has so many lines.
    func runKilled(_ arguments: [String], afterLines count: Int, in file: String) async throws {
        let killed = try process(arguments, environment: [:])
        (killed.standardOutput, killed.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try killed.run()
        while lines(of: file) < count, killed.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        kill(killed.processIdentifier, SIGKILL)
        killed.waitUntilExit()
        #expect(lines(of: file) >= count)
    }

    func run(_ arguments: String...) throws -> Result { try run(arguments) }

    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
        try result(of: process(arguments, environment: environment))
    }

    func shell(_ command: String) throws -> Result {
        let process = try process([], environment: [:])
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        return try result(of: process)
    }

    /// Writes a script that can be run. Another process writes it: whatever this one starts meanwhile would hold a file
    /// that is open here, and a file that is open for writing cannot be run (`ETXTBSY`).
    func writeProgram(_ path: String, _ script: String) throws {
        try write("program.text", script)
        let made = try shell("install -D -m 755 program.text '\(path)' && rm program.text")
        #expect(made.status == 0, "\(made.errors)")
    }

    func process(_ arguments: [String], environment: [String: String]) throws -> ChildProcess {
        let process = ChildProcess()
        process.executableURL = try Self.tool()
        process.arguments = arguments
        process.currentDirectoryURL = folder
        var all = ProcessInfo.processInfo.environment
        all["CI"] = nil
        all["DRYDOCK"] = try Self.tool().path
        process.environment = all.merging(environment) { _, new in new }
        return process
    }

    func result(of process: ChildProcess) throws -> Result {
        // Files instead of pipes: a pipe that nobody reads would fill up.
        let (output, errors) = (folder.appending(path: ".output"), folder.appending(path: ".errors"))
        for file in [output, errors] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit, "drydock was ended by a signal")
        return Result(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    /// Returns the product beside the running tests.
    private static func tool() throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<6 {
            let candidate = folder.appending(path: "drydock")
            if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
