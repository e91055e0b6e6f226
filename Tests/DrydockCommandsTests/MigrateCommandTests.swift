import Foundation
import Testing

/// The command `drydock migrate` as a user runs it.
@Suite struct MigrateCommandTests {
    private let database = "Snapshots/v1.sqlite"

    @Test func rehearsesChecksAndApplies() throws {
        let project = try Project()
        #expect(try project.run("migrate", database, "--check").status == 1)
        let rehearsal = try project.run("migrate", database)
        #expect(rehearsal.status == 0 && rehearsal.output.contains("nothing was written"), "\(rehearsal)")
        let json = try project.run(
            "migrate", database, "--apply", "--format", "json", "--report", "human=out.txt")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["command"] as? String == "migrate" && object["verdict"] as? String == "passed")
        let migration = try #require(object["migration"] as? [String: Any])
        #expect(migration["outcome"] as? String == "applied" && migration["pending"] as? [String] == ["v2"])
        let backup = try #require(migration["backup"] as? String)
        #expect(FileManager.default.fileExists(atPath: backup))
        #expect(
            try String(contentsOf: project.folder.appending(path: "out.txt"), encoding: .utf8).contains(
                "migrated"))
        let check = try project.run("migrate", database, "--check")
        #expect(check.status == 0 && check.output.contains("nothing is pending"))
    }

    @Test(arguments: [["--wave", "10"], ["--wave", "10%,5%"], ["--canary", "-1"], ["--canary", "x"]])
    func aWrongWaveIsAFaultOfUsage(_ options: [String]) throws {
        let project = try Project()
        let result = try project.run(["migrate", database, "--apply"] + options)
        #expect(result.status == 64 && !result.errors.isEmpty, "\(result)")
    }

    @Test func statsOfSeveralMayBeQuiet() throws {
        let project = try Project()
        try project.write("Snapshots/other.sqlite", "not a database at all, but a text that is long enough")
        let result = try project.run("stats", database, "Snapshots/other.sqlite", "-q", "-j", "1")
        #expect(
            result.status == 2 && result.output.hasPrefix("?") && !result.output.contains("VACUUM"),
            "\(result)")
    }

    @Test func aPatternOfPartsThatMatchesNothingIsNamed() throws {
        let result = try Project().run("merge", "zz*.json")
        #expect(
            result.status == 2 && result.errors.contains("no report of a shard matches 'zz*.json'"),
            "\(result)")
    }

    @Test func declaresAndFails() throws {
        let project = try Project(second: "DELETE FROM email WHERE id = 1;")
        let result = try project.run("migrate", database, "--apply")
        #expect(result.status == 1 && result.output.contains("error[rows-lost]"), "\(result)")
        #expect(result.output.contains("refused, nothing was written"))
        let declared = try project.run(
            "migrate", database, "--apply", "--no-backup", "--declare", "v2:deletes from email where id = 1")
        #expect(declared.status == 0, "\(declared)")
    }

    @Test func saysThatItIsMigratedWhenTheReportCannotBeWritten() throws {
        let project = try Project()
        let result = try project.run("migrate", database, "--apply", "--report", "json=/dev/full")
        #expect(
            result.status == 2 && result.errors.contains("the database is migrated all the same"), "\(result)"
        )
        #expect(try project.run("migrate", database, "--check").status == 0)
    }

    @Test(arguments: [
        (["nowhere.db"], 2, "there is no database 'nowhere.db'"),
        (["Migrations"], 2, "there is no database in 'Migrations'"),
        (["Migrations/v1.sql"], 2, "is not a SQLite database"),
        (["Snapshots/v1.sqlite", "-m", "nowhere"], 2, "there is no folder 'nowhere'"),
        (["Snapshots/v1.sqlite", "--up-to", "v9"], 2, "there is no migration 'v9'"),
        (["Snapshots/v1.sqlite", "--temporary-folder", "nowhere"], 2, "there is no folder 'nowhere'"),
        (["Snapshots/v1.sqlite", "--report", "json=Snapshots/v1.sqlite"], 2, "would overwrite"),
        (
            ["Snapshots/v1.sqlite", "--report", "json=Snapshots/v1.sqlite-wal"], 2,
            "would be read as part of the database"
        ),
        (["Snapshots/v1.sqlite", "--apply", "--report", "json=no/out"], 2, "there is no folder"),
        (["Snapshots/v1.sqlite", "--apply", "--report", "json=Snapshots"], 2, "it is a folder"),
        (
            ["Snapshots/v1.sqlite", "--apply", "--backup", "Snapshots/v1.sqlite-journal"], 2,
            "which it deletes"
        ),
        (["Snapshots/v1.sqlite", "--apply", "--backup", "Migrations/v1.sql"], 2, "already exists"),
        (["Snapshots/v1.sqlite", "--apply", "--check"], 64, "exclude each other"),
        (["Snapshots/v1.sqlite", "--no-backup", "--backup", "x"], 64, "exclude each other"),
        (["Snapshots/v1.sqlite", "--busy-timeout", "soon"], 64, "busy-timeout"),
        (["Snapshots/v1.sqlite", "--format", "xml"], 64, "there is no format 'xml'"),
        ([], 64, "no database is named"),
    ]) func saysWhyNot(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let project = try Project()
        let snapshot = project.folder.appending(path: database)
        let before = try Data(contentsOf: snapshot)
        let result = try project.run(["migrate"] + arguments)
        #expect(result.status == status && result.output.isEmpty, "\(result)")
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(try Data(contentsOf: snapshot) == before)
    }

    @Test func endsWith130IfInterrupted() throws {
        let project = try Project(
            second: """
                WITH RECURSIVE c(x) AS (
                    SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE EXISTS (SELECT 1 FROM email)
                ) SELECT count(*) FROM c;
                """)
        let before = try Data(contentsOf: project.folder.appending(path: database))
        let temporary = project.folder.appending(path: "tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let process = try project.process(
            ["migrate", database, "--temporary-folder", "tmp"], environment: [:])
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // The copy exists while the rehearsal runs.
        while process.isRunning, try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty {
            usleep(1000)
        }
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
        #expect(try Data(contentsOf: project.folder.appending(path: database)) == before)
    }

    /// A killed run leaves its backup, and the message says that it holds nothing else than the database.
    @Test func saysWhatTheFileInABackupsPlaceIs() throws {
        let project = try Project()
        let before = try project.databases()
        func errors(_ backup: String) throws -> String {
            let result = try project.run("migrate", database, "--apply", "--backup", backup)
            #expect(result.status == 2 && result.errors.contains("already exists"), "\(result)")
            return result.errors
        }
        #expect(try !errors(database).contains("byte for byte"), "it is the database itself")
        try FileManager.default.copyItem(
            at: project.folder.appending(path: database), to: project.folder.appending(path: "kept"))
        #expect(try errors("kept").contains("byte for byte the same as"))
        try project.execute("DELETE FROM email", on: "kept")
        #expect(try !errors("kept").contains("byte for byte"))
        try FileManager.default.createSymbolicLink(
            atPath: project.folder.appending(path: "link").path, withDestinationPath: "nowhere")
        #expect(try !errors("link").contains("byte for byte"))
        #expect(try project.databases() == before)
    }

    /// The shell of a user does not ignore the signal that comes with the limit.
    @Test func saysThatAFileMayNotGrow() throws {
        let project = try Project()
        let result = try project.shell(#"ulimit -f 1; "$DRYDOCK" migrate Snapshots/v1.sqlite --apply"#)
        #expect(result.status == 2 && result.errors.contains("ulimit -f"), "\(result)")
    }

    @Test(arguments: ["0", "0s"]) func needNotWait(_ time: String) throws {
        let project = try Project()
        #expect(try project.run("migrate", database, "--apply", "--busy-timeout", time).status == 0)
    }
}
