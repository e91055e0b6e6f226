import Foundation
import Testing

@testable import DrydockCommands

/// The built `drydock`, run as people run it: exit status, both streams, and what it leaves behind.
@Suite struct ProcessTests {
    @Test func passes() throws {
        let project = try Project()
        let result = try project.run("verify")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.hasSuffix("\n") && result.output.contains("passed: 1 snapshot, 1 step"))
        #expect(result.errors.isEmpty)
    }

    /// A database without rows proves little, and one whose rows no step touches is proved by its pages.
    @Test func noRowsToCompareIsSaid() throws {
        let project = try Project()
        let added = try project.run("verify", "--no-cache")
        #expect(added.output.contains("1 step, 1 table untouched, "), "\(added)")
        try project.execute("DELETE FROM email", on: "Snapshots/v1.sqlite")
        let empty = try project.run("verify", "--no-cache")
        #expect(empty.status == 0 && empty.output.contains("✓ v1.sqlite"))
        #expect(empty.output.contains("1 step, no rows to compare, "), "\(empty)")
        #expect(empty.output.contains("passed: 1 snapshot, 1 step, no rows to compare, "))
        #expect(empty.output.contains("No migration met a row, which only proves"))
        try project.execute("INSERT INTO grdb_migrations VALUES('v2')", on: "Snapshots/v1.sqlite")
        try project.execute("ALTER TABLE email ADD COLUMN note TEXT", on: "Snapshots/v1.sqlite")
        try project.execute("INSERT INTO email VALUES (1, 'a', 'b')", on: "Snapshots/v1.sqlite")
        let newest = try project.run("verify", "--no-cache")
        #expect(newest.output.contains("0 steps, nothing to compare, "), "\(newest)")
        #expect(!newest.output.contains("met a row"))
    }

    #if os(Linux)
    /// Without /proc the process cannot know its arguments.
    @Test func aMissingFileSystemIsSaid() throws {
        #expect(DrydockCommand.systemFault() == nil)
        let fault = try #require(DrydockCommand.systemFault("/nowhere/cmdline"))
        #expect(fault.contains("there is no '/nowhere/cmdline'; mount /proc"))
        let project = try Project()
        let namespace = "unshare --map-root-user --mount sh -c 'mount -t tmpfs none /proc && "
        // Not every machine lets a user make one.
        guard try project.shell(namespace + "true'").status == 0 else { return }
        let result = try project.shell(namespace + "exec \"$DRYDOCK\" --version'")
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("drydock: error: the command line cannot be read"), "\(result)")
    }
    #endif

    @Test func failsWithStatusOne() throws {
        let project = try Project(second: "DELETE FROM email WHERE id = 1;")
        let result = try project.run("verify")
        #expect(result.status == 1)
        #expect(result.output.contains("error[rows-lost] 1 row of email is gone (of 2)"))
        #expect(result.output.contains("--> Migrations/v2.sql:1:1"))
        #expect(!result.output.contains("\u{1b}"), "no colours in a pipe")
    }

    @Test func jsonIsAloneOnStandardOutput() throws {
        let project = try Project(second: "DELETE FROM email WHERE id = 1;")
        let result = try project.run("verify", "--format", "json", "--report", "json=out.json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(report["tool"] as? String == "drydock" && report["formatVersion"] as? Int == 1)
        #expect(report["command"] as? String == "verify" && report["verdict"] as? String == "failed")
        let findings = try #require(report["findings"] as? [[String: Any]])
        #expect(findings.first?["rule"] as? String == "rows-lost")
        #expect(
            findings.first?["file"] as? String == "Migrations/v2.sql" && findings.first?["line"] as? Int == 1)
        #expect((report["replays"] as? [[String: Any]])?.count == 1)
        #expect(
            try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
                == result.output)
    }

    @Test(arguments: [
        (["verify", "--migrations", "nowhere"], 2, "there is no folder 'nowhere'"),
        (["verify", "nowhere.sqlite"], 2, "there is no snapshot 'nowhere.sqlite'"),
        (["verify", "--up-to", "v3"], 2, "there is no migration 'v3' in Migrations"),
        (["verify", "--config", "nowhere.yml"], 2, "there is no configuration file 'nowhere.yml'"),
        (["verify", "--report", "json=Snapshots/v1.sqlite"], 2, "would overwrite"),
        (["verify", "--report", "json=no/such/folder.json"], 2, "cannot be written"),
        (["verify", "--declare", "v2:delets from a"], 2, "'delets' is not a declaration"),
        (["verify", "--format", "xml"], 64, "there is no format 'xml'"),
        (["verify", "--jobs", "0"], 64, "at least 1"),
        (["verify", "-q", "-v"], 64, "exclude each other"), (["verify", "--nonsense"], 64, "Unknown option"),
        (["verify", "--timeout", "soon"], 64, "timeout"),
        (
            ["verify", "--report", "xunit=x"], 64,
            "no format 'xunit'; choose one of: human, json, junit, sarif"
        ),
        (["verify", "--report", "json"], 64, "write FORMAT=PATH"),
        (["verify", "--report", "json="], 64, "no path"),
        (["health", "a", "--report", "xml=x"], 64, "markdown, html, nagios, prometheus"),
        (["new", "--nonsense"], 64, "Unknown option '--nonsense'"),
        (["stats", "--nonsense"], 64, "Unknown option"),
        (["diff", "--nonsense"], 64, "Unknown option"), (["diff", "a", "-z"], 64, "Unknown option"),
        (["new"], 64, "Missing expected argument"), (["diff", "a"], 64, "Missing expected argument"),
    ]) func saysWhyNot(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let result = try Project().run(arguments)
        #expect(result.status == status)
        #expect(result.errors.contains(message), "\(result.errors)")
        // That a report cannot be written is known only after everything is printed.
        #expect(result.output.isEmpty || message == "cannot be written")
    }

    @Test(arguments: [
        "verify", "lint", "diff", "schema", "new", "stats", "health", "vacuum", "migrate", "lock",
    ])
    func helpNamesEachDefaultOnce(_ command: String) throws {
        let result = try Project().run("help", command)
        // Wrapped lines are joined again.
        let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(result.status == 0 && !text.isEmpty)
        #expect(text.firstMatch(of: #/\(default: [^)]*\)\.? ?\(default:/#) == nil)
    }

    @Test func nothingToVerifyFails() throws {
        let project = try Project()
        try FileManager.default.removeItem(at: project.folder.appending(path: "Snapshots/v1.sqlite"))
        for arguments in [["--no-probe"], ["--snapshots", "Snapshots"]] {
            let result = try project.run(["verify"] + arguments)
            #expect(result.status == 1 && result.output.contains("nothing-verified"), "\(result)")
        }
    }

    @Test func redactsWhereCIIsSet() throws {
        let project = try Project(second: "UPDATE email SET subject = 'changed';")
        #expect(try project.run("verify", "--no-redact").output.contains("'Hi there'"))
        #expect(try !project.run(["verify"], environment: ["CI": "true"]).output.contains("'Hi there'"))
        #expect(try project.run(["verify"], environment: ["CI": "false"]).output.contains("'Hi there'"))
    }

    /// Returns a project that finishes with the first snapshot and never with the second.
    private func endless() throws -> Project {
        let project = try Project(
            second: """
                WITH RECURSIVE c(x) AS (
                    SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE EXISTS (SELECT 1 FROM email WHERE id = 99)
                ) SELECT count(*) FROM c;
                """)
        let snapshots = project.folder.appending(path: "Snapshots")
        try FileManager.default.copyItem(
            at: snapshots.appending(path: "v1.sqlite"), to: snapshots.appending(path: "v2-endless.sqlite"))
        try project.execute("UPDATE email SET id = 99 WHERE id = 2", on: "Snapshots/v2-endless.sqlite")
        return project
    }

    @Test func endsWith130IfInterrupted() async throws {
        let project = try endless()
        let process = try project.process(["verify", "--jobs", "1"], environment: [:])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(!output.fileHandleForReading.availableData.isEmpty, "it says when a snapshot is done")
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
    }

    /// `timeout` sends its signal to the process, and to its group.
    @Test func aSignalThatComesTwiceAtOnceInterrupts() throws {
        let project = try endless()
        let result = try project.shell(
            """
            mkfifo out; "$DRYDOCK" verify --jobs 1 > out & read line < out; kill -TERM $!; sleep 0.02; kill -TERM $!
            wait $!; echo $?
            """)
        #expect(result.output.hasSuffix("130\n"), "\(result)")
    }

    /// Closing the terminal stops the command cleanly.
    @Test func aHangUpInterrupts() throws {
        let project = try endless()
        let result = try project.shell(
            """
            mkfifo out; "$DRYDOCK" verify --jobs 1 > out & read line < out; kill -HUP $!; wait $!; echo $?
            """)
        #expect(result.output.hasSuffix("130\n"), "\(result)")
    }

    @Test func readsItsConfiguration() throws {
        let project = try Project(second: "DELETE FROM email WHERE id = 1;")
        try project.write("drydock.yml", "declarations:\n  v2: deletes from email where id = 1\n")
        #expect(try project.run("verify").status == 0)
    }

    @Test func writesNothingBesideTheSnapshots() throws {
        let project = try Project(second: "DELETE FROM email WHERE id = 1;")
        let snapshot = project.folder.appending(path: "Snapshots/v1.sqlite")
        let before = try Data(contentsOf: snapshot)
        _ = try project.run("verify")
        #expect(try Data(contentsOf: snapshot) == before)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: project.folder.appending(path: "Snapshots").path)
        #expect(names == ["v1.sqlite"])
    }

    @Test func aFullDiskForTheReportIsReported() throws {
        let result = try Project().shell("\"$DRYDOCK\" verify > /dev/full")
        #expect(result.status == 2)
        #expect(result.errors.contains("standard output cannot be written"))
    }

    /// What cannot be opened for want of descriptors is not missing, and a migration is not wrong.
    @Test(arguments: [
        "lint", "verify --jobs 1", "health 'Snapshots/*.sqlite'", "vacuum Snapshots/v1.sqlite --dry-run",
    ])
    func tooManyOpenFilesAreNamed(_ command: String) throws {
        let result = try Project().shell(
            "for n in 7 8 9 10 11 12; do (ulimit -n $n; \"$DRYDOCK\" \(command)) 2>&1; done")
        // Lint opens one file at a time, on a busy machine before the runtime has opened its own.
        let isNamed = result.output.contains("too many files are open: raise the limit")
        #expect(isNamed || command == "lint" && result.output.contains("2 migrations"), "\(result.output)")
        #expect(!result.output.contains("there are no migrations"), "\(result.output)")
        for text in ["no database matches", "Too many open files"] {
            #expect(!result.output.contains(text), "\(result.output)")
        }
        #expect(!result.output.contains("A migration is a readable text file"), "\(result.output)")
    }

    @Test func helpVersionAndCompletions() throws {
        let project = try Project()
        let version = try project.run("--version").output
        #expect(version.contains(/^drydock 0\.1\.0 \(SQLite 3\.[0-9.]+, \/.+sqlite3.+\)\n$/), "\(version)")
        #expect(try project.run("verify", "--version").output == version)
        #expect(try project.run("help", "verify").output.contains("EXIT STATUS"))
        for shell in ["bash", "zsh", "fish"] {
            #expect(try project.run("--generate-completion-script", shell).output.count > 500)
        }
    }

    /// Where there are several libraries, the line says which one was loaded, and not the one beside the tool.
    @Test func versionNamesTheLibraryThatWasLoaded() throws {
        let project = try Project()
        let script = """
            real=$("$DRYDOCK" --version | sed 's/.*, \\(.*\\))$/\\1/')
            [ -f "$real" ] && mkdir -p 'lib (1)' && cp "$real" 'lib (1)/libsqlite3.so.0' && ln -s 'lib (1)' link
            LD_LIBRARY_PATH=./link/../link "$DRYDOCK" --version; pwd -P
            """
        #if os(Linux)
        let lines = try project.shell("cd '\(project.folder.path)' && " + script).output.split(
            separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix(", \(lines[1])/lib (1)/libsqlite3.so.0)"), "\(lines)")
        #endif
    }
}
