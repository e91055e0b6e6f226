import Foundation
import Testing

@testable import DrydockCommands

/// `--report sql=FOLDER`: scripts that show what generated rows find.
@Suite struct ReportFileTests {
    private static let first = "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT);"

    private func project(_ second: String) throws -> Project {
        let project = try Project(second: second)
        try FileManager.default.removeItem(at: project.folder.appending(path: "Snapshots"))
        try project.write("Migrations/v1.sql", Self.first)
        return project
    }

    private func names(_ project: Project) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: project.folder.appending(path: "found").path)
            .sorted()
    }

    @Test func `scripts of earlier runs go, and other files stay`() throws {
        let project = try project("DELETE FROM t;")
        #expect(try project.run("verify", "--report", "sql=found").status == 1)
        let script = "01-rows-lost-t-v2.sql"
        #expect(try names(project) == [script])
        // Files that are not Drydock's, one of them with the name of a script.
        try project.write("found/mine.sql", "SELECT 1;")
        try project.write("found/notes.txt", "mine")
        try project.write("found/\(script)", "-- mine now\n")
        let elsewhere = project.folder.appending(path: "kept.sql").path
        #expect(try project.run("verify", "--report", "sql=other").status == 1)
        try FileManager.default.copyItem(
            atPath: project.folder.appending(path: "other/\(script)").path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(
            atPath: project.folder.appending(path: "found/link.sql").path, withDestinationPath: elsewhere)
        try project.write("found/09-old.sql", try String(contentsOfFile: elsewhere, encoding: .utf8))
        let others = [script, "link.sql", "mine.sql", "notes.txt"]
        #expect(try project.run("verify", "--report", "sql=found").status == 1)
        #expect(try names(project) == (others + ["01-rows-lost-t-v2-2.sql"]).sorted())
        // What is fixed leaves no script.
        try project.write("Migrations/v2.sql", "ALTER TABLE t ADD COLUMN y TEXT;")
        #expect(try project.run("verify", "--report", "sql=found").status == 0)
        #expect(try names(project) == others.sorted())
        #expect(FileManager.default.fileExists(atPath: elsewhere))
    }

    @Test(arguments: [["lint"], ["lock"], ["migrate", "app.sqlite"]])
    func `other commands have none`(_ command: [String]) throws {
        let project = try project("DELETE FROM t;")
        let result = try project.run(command + ["--report", "sql=found"])
        #expect(result.status == 64 && result.errors.contains("only for drydock verify"), "\(result.errors)")
        // In drydock.yml it is for all commands.
        try project.write("drydock.yml", "report: [sql=found]\n")
        let quiet = try project.run("lint")
        #expect(quiet.status < 2, "\(quiet.errors)")
        #expect(!FileManager.default.fileExists(atPath: project.folder.appending(path: "found").path))
    }

    @Test(arguments: ["verify", "lint", "lock"])
    func `the configuration that is named is not overwritten`(_ command: String) throws {
        let project = try project("ALTER TABLE t ADD COLUMN y TEXT;")
        try project.write("ci.yml", "timeout: 5m\n")
        let result = try project.run(command, "--config", "ci.yml", "--report", "json=ci.yml")
        #expect(result.status == 2 && result.errors.contains("would overwrite 'ci.yml'"), "\(result.errors)")
        let text = try String(contentsOf: project.folder.appending(path: "ci.yml"), encoding: .utf8)
        #expect(text == "timeout: 5m\n")
    }

    /// A link to a file that is still to be written stays one, and two names of that file are one.
    @Test func `a report goes where a link leads`() throws {
        let project = try project("ALTER TABLE t ADD COLUMN y TEXT;")
        let link = project.folder.appending(path: "link.json").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real.json")
        let both = try project.run("lint", "--report", "json=link.json", "--report", "sarif=real.json")
        #expect(both.status == 2 && both.errors.contains("two reports"), "\(both.errors)")
        #expect(try project.run("lint", "--report", "json=link.json").status < 2)
        #expect(FileManager.default.fileExists(atPath: project.folder.appending(path: "real.json").path))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real.json")
    }

    /// A command that read `--report json=/dev/stdout` would wait for its own output.
    @Test func `a pipe is not read`() throws {
        let project = try Project()
        let path = project.folder.appending(path: "pipe").path
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDWR)
        defer { close(pipe) }
        let text = "what somebody else is to read"
        #expect(write(pipe, text, text.utf8.count) == text.utf8.count)
        let file = try #require(ReportFile(argument: "json=\(path)"))
        #expect(!file.mayHoldReport)
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(read(pipe, &bytes, bytes.count) == text.utf8.count)
    }

    @Test func `none is written among what is verified`() throws {
        let project = try project("DELETE FROM t;")
        let result = try project.run("verify", "--report", "sql=Migrations/found")
        #expect(result.status == 2 && result.errors.contains("among what is verified"), "\(result.errors)")
    }
}
