import Drydock
import Foundation
import Testing

@testable import DrydockCommands

@Suite struct LspCommandTests {
    private func frame(_ json: String) -> Data {
        Data("Content-Length: \(json.utf8.count)\r\n\r\n\(json)".utf8)
    }

    /// Runs the server with all of its input at once.
    private func run(_ project: Project, _ input: [Data]) throws -> Project.Result {
        let file = project.folder.appending(path: ".input")
        try input.reduce(Data(), +).write(to: file)
        let process = try project.process(["lsp"], environment: [:])
        process.standardInput = try FileHandle(forReadingFrom: file)
        return try project.result(of: process)
    }

    private static let start =
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"rootUri":null}}"#
    private static let end = [
        #"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#, #"{"jsonrpc":"2.0","method":"exit"}"#,
    ]

    @Test func aSessionEndsWithZero() throws {
        let project = try Project()
        let result = try run(project, ([Self.start] + Self.end).map(frame))
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasPrefix("Content-Length: "))
        #expect(result.output.contains(#""name":"drydock""#))
        #expect(result.output.hasSuffix(#"{"id":2,"jsonrpc":"2.0","result":null}"#))
    }

    @Test(arguments: [
        "", "nonsense", "Content-Length: 5\r\n\r\n{", "Content-Length: x\r\n\r\n{}", "\u{0}\u{0}\n\n",
    ])
    func aClientThatGoesAwayEndsItWithOne(_ text: String) throws {
        let result = try run(try Project(), [Data(text.utf8)])
        #expect(result.status == 1)
        #expect(result.errors.isEmpty)
    }

    @Test func afterNonsenseItGoesOn() throws {
        let result = try run(
            try Project(), [frame("{"), frame("[]"), frame(Self.start)] + Self.end.map(frame))
        #expect(result.status == 0)
        #expect(result.output.contains("-32700"))
        #expect(result.output.contains("-32600"))
    }

    @Test func aClosedOutputEndsNothingEarly() throws {
        let project = try Project()
        try project.write(
            "input", ([Self.start] + Self.end).map { String(decoding: frame($0), as: UTF8.self) }.joined())
        let result = try project.shell(#"sh -c '"$DRYDOCK" lsp < input; echo $? >&2' | true"#)
        #expect(result.errors == "0\n")
    }

    // MARK: - The project of a file

    private func place(_ project: Project, _ path: String, workspaces: [String] = []) throws -> String? {
        let folder = project.folder.resolvingSymlinksInPath().path
        let found = try EditorProjects().project(
            ofFolder: folder + "/" + path,
            workspaces: workspaces.map { $0.isEmpty ? folder : folder + "/" + $0 })
        return found.map { String($0.request.migrations.folder.dropFirst(folder.count + 1)) }
    }

    @Test func theNearestDrydockYMLCounts() throws {
        let project = try Project()
        try project.write("drydock.yml", "migrations: db/steps\nlint:\n  rules:\n    missing-strict: error\n")
        try project.write("db/steps/v1.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);")
        try project.write("inner/drydock.yml", "migrations: m\n")
        try project.write("inner/m/v1.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);")
        #expect(try place(project, "db/steps") == "db/steps")
        #expect(try place(project, "inner/m") == "inner/m")
    }

    @Test func theMigrationsOfTheWorkspaceAreFound() throws {
        let project = try Project()
        #expect(try place(project, "Migrations", workspaces: [""]) == "Migrations")
        // Of several folders, that of the file.
        let other = try Project()
        try FileManager.default.removeItem(at: other.folder.appending(path: "Migrations"))
        for name in ["one", "two"] {
            try other.write(
                "\(name)/prisma/migrations/20240101_a/migration.sql",
                "CREATE TABLE a (id INTEGER PRIMARY KEY);")
            try other.write("\(name)/prisma/migrations/migration_lock.toml", "provider = \"sqlite\"\n")
        }
        #expect(
            try place(other, "two/prisma/migrations/20240101_a", workspaces: [""]) == "two/prisma/migrations")
        try other.write("queries/all.sql", "SELECT 1;")
        #expect(try place(other, "queries", workspaces: [""]) == nil)
    }

    /// The editor may have a folder open in which there are several projects.
    @Test func aLockShowsTheProject() throws {
        let project = try Project()
        try project.write("app/Migrations/v1.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);")
        let folder = project.folder.resolvingSymlinksInPath().path + "/app"
        _ = try project.shell("cd app && \"$DRYDOCK\" lock")
        let found = try EditorProjects().project(
            ofFolder: folder + "/Migrations", workspaces: [PathParts.folder(of: folder)])
        #expect(found?.request.locked == ["v1"])
        #expect(found?.request.migrations.folder == folder + "/Migrations")
    }

    @Test func settingsThatAreNotValidAreAnError() throws {
        let project = try Project()
        try project.write("drydock.yml", "migrations: Migrations\nlint: 3\n")
        #expect(throws: (any Error).self) { try place(project, "Migrations") }
    }
}
