import DrydockFiles
import DrydockFindings
import Foundation
import TestTools
import Testing

/// Shards, their merge, and runs that go on after a kill.
@Suite struct ShardCommandTests {
    /// Five snapshots: one loses a row, one is up to date, one is damaged, one is no database.
    private func project() throws -> Project {
        let project = try Project(second: "-- drydock: drops table gone\nDELETE FROM email WHERE id = 7;")
        let snapshot = project.folder.appending(path: "Snapshots/v1.sqlite")
        for name in ["loses", "newest", "damaged", "plain"] {
            try FileManager.default.copyItem(
                at: snapshot, to: project.folder.appending(path: "Snapshots/\(name).sqlite"))
        }
        try project.execute("INSERT INTO email VALUES(7, 'seven')", on: "Snapshots/loses.sqlite")
        try project.execute("INSERT INTO grdb_migrations VALUES('v2')", on: "Snapshots/newest.sqlite")
        let damaged = try FileHandle(forUpdating: project.folder.appending(path: "Snapshots/damaged.sqlite"))
        try damaged.seek(toOffset: 4096)
        try damaged.write(contentsOf: Data(repeating: 0xFF, count: 200))
        try damaged.close()
        try project.write("Snapshots/other.sqlite", "not a database at all, but a text that is long enough")
        return project
    }

    @Test func aListTakesThePlaceOfTheFolder() throws {
        let project = try Project()
        try FileManager.default.copyItem(
            at: project.folder.appending(path: "Snapshots/v1.sqlite"),
            to: project.folder.appending(path: "other.sqlite"))
        try project.write("list.txt", "other.sqlite\n")
        let result = try project.run("verify", "--from", "list.txt", "--format", "json")
        #expect(
            result.output.contains("other.sqlite") && !result.output.contains("Snapshots/v1.sqlite"),
            "\(result)")
    }

    private static let formats = ["json", "junit", "sarif", "github", "gitlab", "tap", "markdown", "html"]

    private static func formats(_ command: String) -> [String] {
        command.hasPrefix("stats") ? ["json", "human", "html"] : formats
    }

    /// Leaves out what differs between two runs of the same.
    private func withoutTimes(_ text: String) -> String {
        text.replacing(/"statementSeconds" ?: ?\[[^\]]*\]/, with: "")
            .replacing(/"(seconds|finishedAt|forecastSeconds|lockSeconds|freeBytes)" ?: ?[-0-9.e]+/, with: "")
            .replacing(/, [0-9.]+ [KMGT]iB free/, with: "")
            .replacing(/about (a second|[0-9]+ (s|min))/, with: "T")
            .replacing(/[0-9]+(\.[0-9]+)? m?s\b/, with: "T")
            .replacing(/[0-9]+\.[0-9]+([eE]-?[0-9]+)?/, with: "T")
            .replacing(/"disk_free[a-z_]+" ?: ?[0-9T]+/, with: "")
            .replacing(/"[0-9-]+T[0-9:]+Z?"/, with: "")
            .replacing(/<div><dt>time<\/dt><dd>[^<]*<\/dd><\/div>/, with: "")
            .replacing(/"folder" : "[^"]*"/, with: "")
    }

    @Test(
        arguments: few(
            8,
            of: pairs(
                [
                    "verify --no-cache", "health --without disk-space", "stats", "migrate --check", "migrate",
                    "vacuum --dry-run",
                ], [1, 2, 3, 7])))
    func theMergeIsTheWhole(_ command: String, _ count: Int) throws {
        let project = try project()
        let words =
            command.split(separator: " ").map(String.init)
            + (command.hasPrefix("verify") ? [] : ["Snapshots"])
        let formats = Self.formats(command)
        let files = { (name: String) in formats.flatMap { ["--report", "\($0)=\(name).\($0)"] } }
        let whole = try project.run(words + files("whole"))
        for shard in 1...count {
            let run = try project.run(
                words + ["--shard", "\(shard)/\(count)", "--report", "json=part-\(shard).json", "-q"])
            #expect([0, 1, 2].contains(run.status), "\(run.errors)")
        }
        let merged = try project.run(["merge", "part-*.json"] + files("merged"))
        #expect(merged.status == whole.status && merged.status != 0, "\(merged.errors)")
        #expect(withoutTimes(merged.output) == withoutTimes(whole.output))
        for format in formats {
            let texts = try ["whole", "merged"].map {
                withoutTimes(
                    try String(contentsOf: project.folder.appending(path: "\($0).\(format)"), encoding: .utf8)
                )
            }
            let lines = texts.map { $0.components(separatedBy: "\n") }
            let different = zip(lines[0], lines[1]).first { $0 != $1 }.map { "\($0)" }
            #expect(different == nil && lines[0].count == lines[1].count, "\(format)")
        }
    }

    @Test func namesThePartThatIsWrong() throws {
        let project = try project()
        for shard in 1...3 {
            _ = try project.run("verify", "--shard", "\(shard)/3", "--report", "json=p\(shard).json")
            _ = try project.run(
                "health", "Snapshots", "--shard", "\(shard)/3", "--report", "json=h\(shard).json")
        }
        _ = try project.run("verify", "--report", "json=whole.json")
        _ = try project.run("verify", "--strict", "--shard", "3/3", "--report", "json=strict.json")
        _ = try project.run("verify", "Snapshots/v1.sqlite", "--shard", "3/3", "--report", "json=list.json")
        try project.write("text.json", "{")
        for (parts, message) in [
            (["p1.json", "p2.json"], "1 shard of 3 is missing: 3"),
            (["p1.json"], "2 shards of 3 are missing: 2, 3"),
            (["p1.json", "p2.json", "p3.json", "p2.json"], "shard 2 is included twice"),
            (["p1.json", "h2.json", "p3.json"], "'h2.json' does not belong to 'p1.json'"),
            (
                ["p1.json", "p2.json", "strict.json"],
                "'strict.json' does not belong to 'p1.json': the settings"
            ),
            (
                ["p1.json", "p2.json", "list.json"],
                "'list.json' does not belong to 'p1.json': it is from a different list"
            ),
            (["p1.json", "whole.json"], "'whole.json' is the report of a whole run"),
            (["p1.json", "text.json"], "'text.json' is not a whole JSON report"),
            (["p1.json", "none.json"], "'none.json'"),
        ] {
            let result = try project.run(["merge"] + parts)
            #expect(result.status == 2 && result.errors.contains(message), "\(parts): \(result.errors)")
        }
        try project.write("Migrations/v3.sql", "SELECT 1;")
        let changed = try project.run("merge", "p1.json", "p2.json", "p3.json")
        #expect(
            changed.status == 2 && changed.errors.contains("the migrations here are not those of the parts"))
    }

    /// Two that write: each shard does its part, and the merge writes nothing.
    @Test(arguments: ["migrate --apply --no-backup --max-failures 99", "vacuum"], [1, 3])
    func theMergeOfWhatWasWrittenIsTheWhole(_ command: String, _ count: Int) throws {
        let words = command.split(separator: " ").map(String.init) + ["Snapshots"]
        let (one, several) = (try project(), try project())
        let files = { (name: String) in Self.formats.flatMap { ["--report", "\($0)=\(name).\($0)"] } }
        let whole = try one.run(words + files("whole"))
        for shard in 1...count {
            let part = ["--shard", "\(shard)/\(count)", "--report", "json=part-\(shard).json", "-q"]
            let run = try several.run(words + part)
            #expect([0, 1, 2].contains(run.status), "\(run.errors)")
        }
        let before = try several.databases()
        let merged = try several.run(["merge", "part-*.json"] + files("merged"))
        #expect(try several.databases() == before, "a merge opens no database")
        #expect(merged.status == whole.status && merged.status != 0, "\(merged.errors)")
        #expect(withoutTimes(merged.output) == withoutTimes(whole.output))
        for format in Self.formats {
            let texts = try [(one, "whole"), (several, "merged")].map { project, name in
                withoutTimes(
                    try String(
                        contentsOf: project.folder.appending(path: "\(name).\(format)"), encoding: .utf8))
            }
            #expect(texts[0] == texts[1], "\(format)")
        }
    }

    /// The report of a roll-out that was killed says what all its attempts did.
    @Test func aRollOutGoesOnAfterAKill() async throws {
        let project = try Project()
        let snapshot = project.folder.appending(path: "Snapshots/v1.sqlite")
        for number in 1...30 {
            try FileManager.default.copyItem(
                at: snapshot, to: project.folder.appending(path: "Snapshots/more\(number).sqlite"))
        }
        let words = [
            "migrate", "Snapshots", "--apply", "--backup-folder", ".", "--jobs", "1", "--resume", "state",
            "--canary", "2", "--wave", "50%,100%",
        ]
        try await project.runKilled(words, afterLines: 6, in: "state")
        let again = try project.run(words + ["--format", "json"])
        #expect(again.status == 0, "\(again.errors)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any])
        let databases = try #require(report["databases"] as? [[String: Any]])
        let applied = databases.filter { $0["outcome"] as? String == "applied" }
        // One may have been installed and not noted yet.
        #expect(databases.count == 31 && applied.count >= 30, "\(applied.count)")
        #expect(applied.allSatisfy { $0["version"] as? String == "v2" && $0["backup"] != nil })
        let waves = try #require((report["rollOut"] as? [String: Any])?["waves"] as? [[String: Any]])
        #expect(waves.first?["name"] as? String == "canary" && waves.first?["applied"] as? Int == 2)
        #expect(waves.reduce(0) { $0 + ($1["applied"] as? Int ?? 0) } == applied.count)
        // Of one that is as it was before, nothing is said that is no longer so.
        let backup = try #require(applied.first?["backup"] as? String)
        let path = try #require(applied.first?["path"] as? String)
        try project.copy(backup, over: path)
        let third = try project.run(words + ["--format", "json"])
        #expect(
            third.status == 0 && third.output.contains(/"applied" : 31|"applied" : 30/), "\(third.output)")
        #expect(try project.query("SELECT count(*) FROM pragma_table_info('email')", on: path) == "3")
    }

    /// What a killed vacuum has done is not done again, unless it was written since.
    @Test func aVacuumGoesOnAfterAKill() async throws {
        let project = try Project()
        for number in 1...20 {
            try project.execute(
                "CREATE TABLE big(x); INSERT INTO big VALUES (zeroblob(50000)); DROP TABLE big",
                on: "Snapshots/more\(number).sqlite")
        }
        let words = ["vacuum", "Snapshots", "--resume", "state", "--format", "json"]
        try await project.runKilled(words, afterLines: 6, in: "state")
        // What was written a moment ago could have been written again.
        try await Task.sleep(for: .seconds(4))
        let done = project.lines(of: "state")
        try project.execute("CREATE TABLE other(x)", on: "Snapshots/more1.sqlite")
        let again = try project.run(words)
        #expect(again.status == 0, "\(again.errors)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any])
        let databases = try #require(report["databases"] as? [[String: Any]])
        #expect(databases.count == 21)
        // One may have been done and not noted yet; that which was written is done again.
        let small = databases.filter { $0["bytesBefore"] as? Int ?? 0 < 50_000 }.count
        #expect((2...3).contains(small), "\(small)")
        #expect((21 - done + 2...21 - done + 5).contains(project.lines(of: "state") - done))
    }

    @Test func aManifestSaysVersions() throws {
        let project = try project()
        func versions(_ words: [String]) throws -> [String: String] {
            let run = try project.run(["manifest", "Snapshots"] + words)
            #expect(run.status == 1 && run.errors.contains("other.sqlite"), "\(run.errors)")
            let manifest = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            let databases = try #require(manifest?["databases"] as? [[String: Any]])
            return databases.reduce(into: [:]) { versions, entry in
                if let path = entry["path"] as? String { versions[path] = entry["version"] as? String }
            }
        }
        let expected = [
            "Snapshots/v1.sqlite": "v1", "Snapshots/loses.sqlite": "v1", "Snapshots/plain.sqlite": "v1",
            "Snapshots/newest.sqlite": "v2", "Snapshots/damaged.sqlite": "v1",
        ]
        let found = try versions([])
        #expect(
            found.filter { $0.key != "Snapshots/damaged.sqlite" }
                == expected.filter { $0.key != "Snapshots/damaged.sqlite" })
        #expect(try versions(["-m", "Migrations", "--migration-format", "drydock"]) == found)
        try FileManager.default.removeItem(at: project.folder.appending(path: "Migrations"))
        #expect(try versions([]).isEmpty)
        let named = try project.run("manifest", "Snapshots", "-m", "Migrations")
        #expect(named.status == 2 && named.output.isEmpty && named.errors.contains("Migrations"))
    }

    /// Every command names a file whose name is not valid UTF-8, and does the others.
    @Test(
        arguments: ["health", "stats", "verify", "vacuum", "migrate --check", "manifest", "schema", "diff"],
        ["Snapshots/bad*", "link.sqlite"])
    func namesWhatIsNotText(_ command: String, _ name: String) throws {
        let project = try Project()
        let made = try project.shell(
            #"cp Snapshots/v1.sqlite "$(printf 'Snapshots/bad\351.sqlite')" && "#
                + #"ln -s "$(printf 'Snapshots/bad\351.sqlite')" link.sqlite"#)
        #expect(made.status == 0, "\(made.errors)")
        // These read it through any name.
        let reads = ["verify", "schema", "diff"].contains(command) && name == "link.sqlite"
        let run = try project.shell("\"$DRYDOCK\" \(command) Snapshots/v1.sqlite \(name)")
        let text = run.output + run.errors
        if !reads {
            #expect(
                run.status
                    == (command == "manifest"
                        ? 1 : command == "verify" ? 1 : command.hasPrefix("migrate") ? 1 : 2),
                "\(text)")
            #expect(text.contains(#"bad\xE9.sqlite"#) && text.contains("not valid UTF-8"), "\(text)")
        }
        #expect(!text.contains("\u{FFFD}"), "\(text)")
    }

    @Test func aShardHidesValuesAsItsReportDoes() throws {
        let project = try Project(second: "UPDATE email SET subject = 'changed';")
        try project.execute("UPDATE email SET subject = 'a very secret subject'", on: "Snapshots/v1.sqlite")
        for (name, flag) in [("open", "--no-redact"), ("hidden", "--redact")] {
            _ = try project.run("verify", flag, "--shard", "1/1", "--report", "json=\(name).json")
        }
        let texts = try ["open", "hidden"].map {
            try String(contentsOf: project.folder.appending(path: "\($0).json"), encoding: .utf8)
        }
        #expect(texts[0].contains("very secret") && !texts[1].contains("very secret"))
        let merged = try project.run("merge", "hidden.json", "-v")
        #expect(merged.status == 1 && !merged.output.contains("very secret"))
    }

    /// Killed after some of the databases: they are not checked again, and the report is that of a run without a kill.
    @Test func goesOnAfterAKill() async throws {
        let project = try Project()
        let snapshot = project.folder.appending(path: "Snapshots/v1.sqlite")
        for number in 1...40 {
            try FileManager.default.copyItem(
                at: snapshot, to: project.folder.appending(path: "Snapshots/more\(number).sqlite"))
        }
        let last = project.folder.appending(path: "Snapshots/more40.sqlite").path
        // What was written a moment ago is checked again, since a write could go unnoticed.
        while KeptResults.stamp(of: last) == nil { try await Task.sleep(for: .milliseconds(100)) }
        let state = project.folder.appending(path: "state")
        let lines = { (try? String(contentsOf: state, encoding: .utf8))?.split(separator: "\n").count ?? 0 }
        let words = ["health", "Snapshots", "--without", "disk-space", "--jobs", "1"]
        let killed = try project.process(words + ["--resume", "state"], environment: [:])
        (killed.standardOutput, killed.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try killed.run()
        while lines() < 5, killed.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        kill(killed.processIdentifier, SIGKILL)
        killed.waitUntilExit()
        let done = lines()
        #expect(done >= 5)
        let resumed = try project.run(words + ["--resume", "state", "--format", "json"])
        let whole = try project.run(words + ["--format", "json"])
        #expect(withoutTimes(resumed.output) == withoutTimes(whole.output) && resumed.status == whole.status)
        // The head, and each database once; the one that the kill cut short has a line that does not count.
        #expect((42...43).contains(lines()) && done <= 42, "\(lines()) lines")
    }

    /// `--from <(command)` names a pipe.
    @Test func aListMayBeAPipe() throws {
        let run = try Project().shell(
            "mkfifo pipe; printf 'Snapshots/v1.sqlite\\n' > pipe & \"$DRYDOCK\" health --from pipe")
        #expect(run.status == 0 && run.output.contains("v1.sqlite"), "\(run.output) \(run.errors)")
    }

    @Test func anEmptyShardSaysSo() throws {
        let project = try Project()
        let run = try project.run("verify", "--shard", "2/2", "--format", "json", "--report", "human=text")
        #expect(run.status == 0)
        let text = try String(contentsOf: project.folder.appending(path: "text"), encoding: .utf8)
        #expect(text.contains("shard 2 of 2: 0 of 1 database"), "\(text)")
    }

    @Test(arguments: [
        (["verify", "--shard", "0/3"], 64, "there is no shard 0 of 3"),
        (["verify", "--shard", "x"], 64, "is not a shard"),
        (["verify", "--shard", "auto"], 64, "found no variable"),
        (["health", "--shard", "1/2"], 64, "no database is named"),
        (["health", "a", "--shard", "1/2", "--accept"], 64, "exclude each other"),
        (["health", "--from", "nowhere"], 2, "'nowhere' cannot be read"),
        (["health", "--from", "-", "--from", "-"], 64, "standard input can be read only once"),
        (["health", "--from-query", "SELECT 1"], 64, "is not a database and a query"),
        (["health", "--resume", "Snapshots/v1.sqlite", "Snapshots"], 2, "is not a file of results"),
        (["stats", "Snapshots", "--shard", "3/2"], 64, "there is no shard 3 of 2"),
        (["stats", "Snapshots", "--shard", "1/2", "--compare", "a"], 64, "--compare takes one database"),
        (["vacuum", "Snapshots", "--shard", "auto"], 64, "found no variable"),
        (["vacuum", "a", "--shard", "1/2", "--into", "b"], 64, "--into names one file"),
        (["vacuum", "a", "--report", "json=a"], 2, "the report would overwrite 'a'"),
        (["vacuum", "Snapshots", "--report", "json=Snapshots/v1.sqlite"], 2, "would overwrite"),
        (["stats", "Snapshots", "--report", "json=Snapshots/v1.sqlite"], 2, "would overwrite"),
        (["migrate", "Snapshots", "--resume", "Snapshots/v1.sqlite"], 2, "is not a file of results"),
        (
            ["migrate", "Snapshots", "--shard", "1/2", "--apply", "--backup", "b"], 2,
            "--backup names one file"
        ),
        (["merge"], 64, "no part is named"), (["manifest"], 64, "no database is named"),
    ]) func saysWhyNot(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let result = try Project().run(arguments)
        #expect(
            result.status == status && result.errors.contains(message), "\(result.status) \(result.errors)")
    }

    /// The name of the shard comes from the flag, even where the environment names another.
    @Test func theFlagWins() throws {
        let project = try project()
        let environment = ["CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "2"]
        let own = try project.run(["verify", "--shard", "2/2", "--format", "json"], environment: environment)
        #expect(own.output.contains(/"shard" ?: ?2/))
        let auto = try project.run(
            ["verify", "--shard", "auto", "--format", "json"], environment: environment)
        #expect(auto.output.contains(/"shard" ?: ?1/))
    }
}
