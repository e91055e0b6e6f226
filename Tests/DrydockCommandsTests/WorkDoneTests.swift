import Foundation
import Testing

/// Where databases were written and nothing can be said of it where it was to be said, the error says it.
@Suite struct WorkDoneTests {
    private static let count = 20

    /// Returns a project with many copies of its snapshot in the folder `many`.
    private func fleet() throws -> Project {
        let project = try Project()
        let made = try project.shell(
            "mkdir many; for i in $(seq \(Self.count)); do cp Snapshots/v1.sqlite many/$i.db; done")
        #expect(made.status == 0)
        return project
    }

    /// Returns how many of those copies are migrated.
    private func migrated(_ project: Project) throws -> Int {
        try (1...Self.count).count {
            try project.query("SELECT max(identifier) FROM grdb_migrations", on: "many/\($0).db") == "v2"
        }
    }

    private func document(_ path: String, _ project: Project) throws -> [String: Any] {
        let data = try Data(contentsOf: project.folder.appending(path: path))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test(arguments: [
        ("migrate Snapshots/v1.sqlite --apply", "the database is migrated all the same"),
        ("migrate Snapshots/v1.sqlite --apply --format json", "the database is migrated all the same"),
        ("migrate many --apply", "20 of 20 databases are migrated all the same"),
        ("vacuum Snapshots/v1.sqlite", "the database is vacuumed all the same"),
        ("vacuum Snapshots/v1.sqlite --format json", "the database is vacuumed all the same"),
        ("vacuum Snapshots/v1.sqlite --into new.db", "the copy is written all the same"),
        ("vacuum many -q --format json", "20 of 20 databases are vacuumed all the same"),
        ("vacuum Snapshots/v1.sqlite many/1.db", "1 of 2 databases is vacuumed all the same"),
    ]) func `a full standard output does not hide it`(_ command: String, _ message: String) throws {
        let project = try fleet()
        let result = try project.shell("\"$DRYDOCK\" \(command) --report json=out.json > /dev/full")
        #expect(
            result.status == 2 && result.errors.contains("standard output cannot be written"), "\(result)")
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test(arguments: ["migrate Snapshots/v1.sqlite", "vacuum Snapshots/v1.sqlite --dry-run"])
    func `nothing is claimed where nothing was done`(_ command: String) throws {
        let project = try Project()
        let before = try project.databases()
        let result = try project.shell("\"$DRYDOCK\" \(command) > /dev/full")
        #expect(result.status == 2 && !result.errors.contains("all the same"), "\(result)")
        #expect(try project.databases() == before)
    }

    /// The file may grow by so little that the run does not come to its end.
    @Test(arguments: [
        ("log", #"{"count":1,"event":"start","time":"2026-01-01T00:00:00Z"}"#),
        ("resume", "drydock results 1"),
    ]) func `a record that cannot be written does not hide how many are migrated`(
        _ option: String, _ line: String
    ) throws {
        let project = try fleet()
        try project.write("out.json", "old")
        let limit = 256 * 512
        let filler = option == "log" ? line : String(repeating: "x", count: 50)
        let lines = [line] + Array(repeating: filler, count: (limit - 2000 - line.count) / (filler.count + 1))
        try project.write("record", lines.joined(separator: "\n") + "\n")
        let result = try project.shell(
            "ulimit -f 256; \"$DRYDOCK\" migrate many --apply --no-backup -j 2 --\(option) record --report json=out.json"
        )
        let count = try migrated(project)
        #expect(result.status == 2 && count > 1 && count < Self.count, "\(count) \(result)")
        let message = "\(count) of 20 databases are migrated all the same"
        #expect(result.errors.contains(message) && result.errors.contains("ulimit -f"), "\(result.errors)")
        let error = try #require(try document("out.json", project)["error"] as? [String: Any])
        #expect((error["message"] as? String)?.contains(message) == true, "\(error)")
    }

    @Test func `a record that cannot be written is no trouble of what is vacuumed`() throws {
        let project = try fleet()
        let filler = String(repeating: "x", count: 50)
        let lines = Array(repeating: filler, count: (256 * 512 - 500) / (filler.count + 1))
        try project.write("record", "drydock results 1\n" + lines.joined(separator: "\n") + "\n")
        let result = try project.shell(
            "ulimit -f 256; \"$DRYDOCK\" vacuum many --resume record --report json=out.json")
        #expect(result.status == 2 && result.output.contains("20 databases: 20 vacuumed"), "\(result)")
        #expect(!result.output.contains("not done") && !result.output.contains("--resume"))
        let message = "the file of --resume cannot be written: the file cannot grow"
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.errors.contains("20 of 20 databases are vacuumed all the same"))
        let document = try document("out.json", project)
        #expect(document["verdict"] as? String == "passed" && document["error"] == nil)
    }

    /// The report that was written stays, whatever becomes of the other.
    @Test func `a report that was written is not replaced with the failure of another`() throws {
        let project = try Project()
        let result = try project.run(
            "vacuum", "Snapshots/v1.sqlite", "--report", "json=out.json", "--report", "json=/dev/full")
        #expect(
            result.status == 2 && result.errors.contains("the database is vacuumed all the same"), "\(result)"
        )
        let document = try document("out.json", project)
        #expect(document["verdict"] as? String == "passed" && document["method"] as? String == "installed")
    }

    @Test(arguments: [
        "vacuum Snapshots/v1.sqlite", "vacuum many", "health Snapshots/v1.sqlite",
        "stats Snapshots/v1.sqlite",
        "migrate Snapshots/v1.sqlite --apply", "verify",
    ]) func `the folder of a report is looked for before the work`(_ command: String) throws {
        let project = try fleet()
        let before = try project.databases()
        try project.write("out.json", "old")
        let result = try project.run(
            command.split(separator: " ").map(String.init)
                + ["--report", "json=out.json", "--report", "json=nowhere/x"])
        #expect(result.status == 2 && result.output.isEmpty, "\(result)")
        #expect(
            result.errors.contains("'nowhere/x' cannot be written: there is no folder"), "\(result.errors)")
        #expect(try document("out.json", project)["verdict"] as? String == "failed")
        #expect(try project.databases() == before)
    }

    /// What is no file cannot be read to see what an earlier run has begun.
    @Test(arguments: ["/dev/full", "/dev/null", "pipe", "Migrations"]) func `a log is a file`(_ log: String)
        throws
    {
        let project = try Project()
        #expect(mkfifo(project.folder.appending(path: "pipe").path, 0o600) == 0)
        try project.write("out.json", "old")
        let before = try project.databases()
        let result = try project.run(
            "migrate", "Snapshots/v1.sqlite", "--apply", "--log", log, "--report", "json=out.json")
        #expect(result.status == 2 && result.output.isEmpty, "\(result)")
        #expect(result.errors.contains("'\(log)' is not a file; --log takes the path"), "\(result.errors)")
        #expect(try document("out.json", project)["verdict"] as? String == "failed")
        #expect(try project.databases() == before)
    }

    @Test(arguments: [
        "health Snapshots/v1.sqlite", "stats Snapshots/v1.sqlite", "vacuum Snapshots/v1.sqlite", "verify",
        "lint",
        "migrate Snapshots/v1.sqlite --apply",
    ]) func `two reports in one file are refused before anything`(_ command: String) throws {
        let project = try Project()
        let before = try project.databases()
        for name in ["out.json", "other.json"] { try project.write(name, "old") }
        let format = command.hasPrefix("stats") ? "html" : "junit"
        let reports = ["json=out.json", "\(format)=out.json", "json=other.json"].flatMap { ["--report", $0] }
        let result = try project.run(command.split(separator: " ").map(String.init) + reports)
        #expect(result.status == 2 && result.errors.contains("two reports would be written"), "\(result)")
        for name in ["out.json", "other.json"] {
            #expect(try document(name, project)["verdict"] as? String == "failed")
        }
        #expect(try project.databases() == before)
    }
}
