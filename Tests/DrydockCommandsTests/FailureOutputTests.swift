import ArgumentParser
import Foundation
import Testing

@testable import DrydockCommands

/// Where no report can be made, JSON is printed and written all the same, once.
@Suite struct FailureOutputTests {
    private func document(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    private func expectFailure(_ text: String, of command: String, _ message: String) throws {
        let document = try document(text)
        #expect(document["tool"] as? String == "drydock" && document["formatVersion"] as? Int == 1)
        #expect(document["command"] as? String == command && document["verdict"] as? String == "failed")
        #expect(
            (document["findings"] as? [Any]) != nil && (document["notChecked"] as? [Any])?.isEmpty != false)
        let error = try #require(document["error"] as? [String: Any], "\(text)")
        #expect((error["message"] as? String)?.contains(message) == true, "\(text)")
        #expect(error["reason"] is String)
    }

    @Test(arguments: [
        (["verify", "--migrations", "nowhere"], "there is no folder 'nowhere'"),
        (["verify", "--config", "nowhere.yml"], "nowhere.yml"),
        (["verify", "--report", "json=Snapshots/v1.sqlite"], "would overwrite"),
        (["migrate", "nowhere.sqlite"], "there is no database"),
        (["migrate", "Snapshots/v1.sqlite", "--migrations", "nowhere"], "there is no folder 'nowhere'"),
        (["lock", "--check"], "lock"), (["lint", "--migrations", "nowhere"], "there is no folder 'nowhere'"),
        (["diff", "a", "b"], "there is no 'a'"), (["diff", "--data", "a", "b"], "there is no 'a'"),
        (["schema", "a"], "there is no 'a'"), (["stats", "a"], "there is no database 'a'"),
        (["health", "Snapshots/v1.sqlite", "--config", "nowhere.yml"], "nowhere.yml"),
        (["vacuum", "a"], "there is no database 'a'"),
    ]) func theErrorIsPrinted(_ arguments: [String], _ message: String) throws {
        let project = try Project()
        let result = try project.run(arguments + ["--format", "json"])
        #expect(result.status == 2)
        try expectFailure(result.output, of: arguments[0], message)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test(arguments: [
        ["verify", "--up-to", "v9"], ["lint", "--since", "v9"],
        ["migrate", "Snapshots/v1.sqlite", "--up-to", "v9"],
        ["lock", "--replace", "v9"], ["diff", "v9", "Migrations"],
    ]) func theErrorIsWritten(_ arguments: [String]) throws {
        let project = try Project()
        let result = try project.run(arguments + ["--report", "json=out.json"])
        #expect(result.status == 2 && result.output.isEmpty, "\(result.output)")
        let written = try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
        try expectFailure(written, of: arguments[0], "v9")
        let both = try project.run(arguments + ["--report", "json=out.json", "--format", "json"])
        #expect(both.output == written)
    }

    @Test func fileAndLineAreGiven() throws {
        let project = try Project()
        try project.write("drydock.yml", "format: json\nmemory: lots\n")
        let result = try project.run("verify", "--format", "json")
        let error = try #require(try document(result.output)["error"] as? [String: Any])
        #expect(error["file"] as? String == "drydock.yml" && error["line"] as? Int == 2)
        try project.write("drydock.yml", "format: json\nreport: json=out.json\n")
        try expectFailure(project.run("verify", "--up-to", "v9").output, of: "verify", "v9")
        #expect(FileManager.default.fileExists(atPath: project.folder.appending(path: "out.json").path))
        try project.write("drydock.yml", "format: [\n")
        let broken = try document(try project.run("verify", "--format", "json").output)
        #expect((broken["error"] as? [String: Any])?["line"] is Int, "\(broken)")
        try project.write("broken.sql", "CREATE TABLE t(a);\nCREATE TABLE (b);\n")
        let dump = try project.run("schema", "broken.sql", "--format", "json", "--config", "good.yml")
        #expect(dump.status == 2)
    }

    /// The first fails while lines are printed, the others before there is a report.
    @Test(arguments: [
        ("verify", "> /dev/full", "standard output cannot be written"),
        ("health Snapshots/v1.sqlite --resume nowhere/state", "", "nowhere/state"),
        ("verify --report html=nowhere/out.html", "", "nowhere"),
    ]) func anOldReportIsReplaced(_ command: String, _ output: String, _ message: String) throws {
        let project = try Project()
        try project.write("out.json", "{\"verdict\": \"passed\"}\n")
        let result = try project.shell("\"$DRYDOCK\" \(command) --report json=out.json \(output)")
        #expect(result.status == 2, "\(result)")
        let text = try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
        try expectFailure(text, of: String(command.prefix { $0 != " " }), message)
    }

    @Test func anOldReportIsReplacedWhereTheReaderHasGone() throws {
        let project = try Project()
        try project.write("out.json", "{\"verdict\": \"passed\"}\n")
        // The pipe's only reader is closed before anything is written.
        let result = try project.shell(
            "mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; \"$DRYDOCK\" verify --report json=out.json >&4; echo $?")
        #expect(result.output == "141\n" && result.errors.isEmpty, "\(result)")
        let text = try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
        try expectFailure(text, of: "verify", "standard output cannot be written")
    }

    @Test(arguments: ["health Snapshots/v1.sqlite", "stats Snapshots/v1.sqlite", "verify -q --format json"])
    func aReportIsWrittenBeforeItIsPrinted(_ command: String) throws {
        let project = try Project()
        let result = try project.shell("\"$DRYDOCK\" \(command) --report json=out.json > /dev/full")
        #expect(
            result.status == 2 && result.errors.contains("standard output cannot be written"), "\(result)")
        let text = try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
        #expect(try document(text)["error"] == nil, "\(text)")
    }

    @Test func aReportThatCannotBeReplacedIsNamed() throws {
        let project = try Project()
        try project.write("out.json", "old\n")
        let result = try project.shell("ulimit -f 1; \"$DRYDOCK\" verify --report json=out.json")
        #expect(result.status == 2 && result.output.contains("v1"), "\(result)")
        #expect(
            result.errors.contains("'out.json' cannot be written: the file cannot grow")
                && result.errors.contains("the old report is still there"), "\(result)")
    }

    /// A report that is there is not followed by another document, and a snapshot is not overwritten by one.
    @Test func nothingElseIsWritten() throws {
        let project = try Project()
        let snapshot = project.folder.appending(path: "Snapshots/v1.sqlite")
        let before = try Data(contentsOf: snapshot)
        #expect(try project.run("verify", "--report", "json=Snapshots/v1.sqlite").status == 2)
        #expect(try Data(contentsOf: snapshot) == before)
        #expect(try project.run("verify", "--up-to", "v9").output.isEmpty)
        #expect(try project.run("verify", "--nonsense", "--format", "json").output.isEmpty)
        let failed = try Project(second: "DELETE FROM email;").run("verify", "--format", "json")
        #expect(failed.status == 1)
        #expect(try document(failed.output)["error"] == nil)
    }

    @Test func aTimeLimitOfTheCommandIsAnError() throws {
        let project = try Project()
        try project.write(
            "endless.sql",
            "CREATE TABLE t(a);\nINSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r;\n"
        )
        let result = try project.run("schema", "endless.sql", "--format", "json", "--timeout", "500ms")
        #expect(result.status == 2)
        try expectFailure(result.output, of: "schema", "not finished after 500 ms")
        let error = try document(result.output)["error"] as? [String: Any]
        #expect(error?["line"] as? Int == 2 && error?["file"] is String, "\(result.output)")
    }

    /// An old report would be taken for this run's.
    @Test(arguments: [
        ["verify"], ["lint"], ["lock"], ["migrate", "Snapshots/v1.sqlite"], ["diff", "a", "b"],
    ])
    func anOldReportIsReplacedIfTheConfigurationIsUnreadable(_ arguments: [String]) throws {
        let project = try Project()
        try project.write("drydock.yml", "format: [\n")
        try project.write("out.json", "old")
        try project.write("out.xml", "old")
        let before = try project.databases()
        let reports = ["json=out.json", "junit=out.xml", "json=Snapshots/v1.sqlite"].flatMap {
            ["--report", $0]
        }
        #expect(try project.run(arguments + reports).status == 2)
        let json = try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
        #expect(try document(json)["verdict"] as? String == "failed")
        let junit = try String(contentsOf: project.folder.appending(path: "out.xml"), encoding: .utf8)
        #expect(junit.contains("<error") && !junit.contains("1970"), "\(junit)")
        #expect(try project.databases() == before)
    }

    private static let earlyFailures = [
        ["verify", "--from", "nowhere"], ["verify", "--config", "link.yml"],
        ["lint", "--config", "link.yml"], ["lint", "--migrations", "nowhere"],
        ["lock", "--config", "link.yml"], ["lock", "--migrations", "nowhere"],
        ["migrate", "--from", "nowhere"], ["migrate", "a.db", "--config", "link.yml"],
        ["diff", "a", "b", "--config", "link.yml"], ["diff", "a", "b"],
        ["health", "--from", "nowhere"], ["health", "a.db", "--config", "link.yml"],
        ["health", "--from", "nowhere", "--format", "nagios"], ["stats", "--from", "nowhere"],
        ["vacuum", "--from", "nowhere"], ["vacuum", "a.db"], ["merge", "nowhere.json"],
        ["merge", "old.json"],
    ]

    /// Whatever fails before the report's own file is checked: each command has its own first step.
    @Test(arguments: earlyFailures)
    func anOldReportIsReplaced(_ arguments: [String]) throws {
        let project = try Project()
        try project.write("out.json", "old")
        try project.write("old.json", "old")
        try FileManager.default.createSymbolicLink(
            atPath: project.folder.appending(path: "link.yml").path, withDestinationPath: "gone.yml")
        let result = try project.run(arguments + ["--report", "json=out.json"])
        #expect(result.status == (arguments.contains("nagios") ? 3 : 2), "\(result)")
        let text = try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
        #expect(try document(text)["verdict"] as? String == "failed")
    }

    @Test func everyCommandWithReportsIsAmongThem() {
        let commands = DrydockCommand.configuration.subcommands.compactMap { command -> String? in
            CommandFacts.of(command)["--report"].map { _ in command._commandName }
        }
        #expect(Set(commands) == Set(Self.earlyFailures.map { $0[0] }))
    }

    /// What the command reads is not a report, whatever fails first.
    @Test(arguments: [
        ["health", "--from", "in.json"], ["stats", "--from", "in.json"], ["vacuum", "--from", "in.json"],
        ["verify", "--from", "in.json"], ["migrate", "--from=in.json"], ["merge", "in.json", "nowhere.json"],
        ["merge", "i*.json", "nowhere.json"], ["verify", "--config", "in.json"],
    ])
    func whatIsReadIsNoOldReport(_ arguments: [String]) throws {
        let project = try Project()
        try project.write("in.json", "{ not a manifest")
        let result = try project.run(arguments + ["--report", "json=in.json"])
        #expect(result.status == 2, "\(result)")
        let text = try String(contentsOf: project.folder.appending(path: "in.json"), encoding: .utf8)
        #expect(text == "{ not a manifest")
    }
}
