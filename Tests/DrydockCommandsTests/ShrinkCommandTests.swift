import Foundation
import Testing

/// The command `drydock shrink` as a user runs it.
@Suite struct ShrinkCommandTests {
    private static let loss = "DELETE FROM email WHERE subject LIKE 'Hi %';"

    private func document(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func writesAProjectThatGivesTheFinding() throws {
        let project = try Project(second: Self.loss)
        let spaced = try project.run("shrink", "-o", "it's found/")
        #expect(spaced.output.contains("cd 'it'\\''s found' && drydock verify"), "\(spaced.output)")
        let result = try project.run("shrink", "-o", "found")
        #expect(result.status == 0 && result.output.contains("error[rows-lost] 1 row of email is gone"))
        #expect(result.output.contains("1 row in 1 table, 1 of 1 statement of v2"), "\(result.output)")
        #expect(result.output.contains("values of the snapshot are left in email.subject"))
        let again = try project.run("verify", "--config", "found/drydock.yml")
        #expect(again.status == 1 && again.output.contains("rows-lost"), "\(again.errors)")
        let script = try String(
            contentsOf: project.folder.appending(path: "found/finding.sql"), encoding: .utf8)
        #expect(script.hasPrefix("-- Written by drydock shrink\n") && script.contains(Self.loss))
    }

    @Test func takesAFindingOfAReport() throws {
        let project = try Project(second: Self.loss)
        _ = try project.run("verify", "--report", "json=verify.json")
        let result = try project.run(
            "shrink", "--from-report", "verify.json", "-o", "found", "--format", "json")
        let object = try document(result.output)
        #expect(result.status == 0 && object["verdict"] as? String == "passed")
        #expect(object["rows"] as? Int == 1 && object["isVerified"] as? Bool == true)
        #expect(object["keptColumns"] as? [String] == ["email.subject"])
        let finding = try #require((object["findings"] as? [[String: Any]])?.first)
        #expect(finding["counterexample"] != nil)
    }

    /// What verify gives only with an option: the report's rule is enough, and the folder needs no option.
    @Test(arguments: ["crash-stuck", "rollback-mismatch"])
    func whatOnlyAnOptionShows(rule: String) throws {
        let project = try Project(second: "CREATE TABLE tag(a);")
        try FileManager.default.removeItem(at: project.folder.appending(path: "Migrations"))
        try project.write(
            "Migrations/00001_first.sql",
            "-- +goose NO TRANSACTION\n-- +goose Up\nCREATE TABLE email(subject TEXT);\n")
        try project.write(
            "Migrations/00002_step.sql",
            "-- +goose NO TRANSACTION\n-- +goose Up\nCREATE TABLE tag(a);\n-- +goose Down\nDROP TABLE email;\n"
        )
        try project.write(
            "base.sql",
            """
            CREATE TABLE email(subject TEXT);
            CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
            INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
            """)
        try FileManager.default.removeItem(at: project.folder.appending(path: "Snapshots"))
        let verify = ["verify", "base.sql", "--crash", "--rollback", "--report", "json=verify.json"]
        #expect(try project.run(verify).status == 1)
        let result = try project.run("shrink", "base.sql", "--rule", rule, "-o", "found")
        #expect(result.status == 0 && result.output.contains("error[\(rule)]"), "\(result)")
        #expect(result.output.contains("cd found && drydock verify      reports the finding"))
        let taken = try project.run(
            "shrink", "--from-report", "verify.json", "--crash", "--rollback", "-o", "taken")
        #expect(taken.status == 0, "\(taken)")
        let config = try String(
            contentsOf: project.folder.appending(path: "found/drydock.yml"), encoding: .utf8)
        #expect(config.contains(rule == "crash-stuck" ? "crash: true" : "rollback: true"))
        let script = try String(
            contentsOf: project.folder.appending(path: "found/finding.sql"), encoding: .utf8)
        #expect(
            script.contains(rule == "crash-stuck" ? "the tool is started again" : "-- Undone\n.bail on\n"))
    }

    /// A tick is for what whoever gets the folder will see.
    @Test func optionsThatTheFolderLacksAreSaid() throws {
        let project = try Project(second: "UPDATE email SET subject = shout(id);")
        let result = try project.run(
            "shrink", "--function", "shout=$0", "-o", "found", "--rule", "values-changed")
        #expect(result.status == 1, "\(result.output) \(result.errors)")
        #expect(result.output.contains("warning: drydock verify does not report the finding in that folder"))
        // In drydock.yml it goes with the folder.
        try project.write("drydock.yml", "functions: {shout: {argument: 0}}\nsnapshots: Snapshots\n")
        let other = try project.run("shrink", "-o", "other", "--rule", "values-changed")
        #expect(other.status == 0, "\(other.output) \(other.errors)")
    }

    /// Nothing is run on a snapshot that does not say what it has applied.
    @Test func aFindingWithoutRowsAndStatements() throws {
        let project = try Project()
        try project.execute("DROP TABLE grdb_migrations", on: "Snapshots/v1.sqlite")
        let result = try project.run("shrink", "-o", "found", "--migration-format", "drydock")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("error[snapshot-version-unknown]"))
        #expect(result.output.contains("no row, and no migration is run\n"), "\(result.output)")
    }

    @Test func whatCIHidesIsHidden() throws {
        let project = try Project(second: Self.loss)
        for format in ["human", "json"] {
            let result = try project.run(
                ["shrink", "-o", "found-" + format, "--format", format], environment: ["CI": "true"])
            #expect(result.status == 0 && !result.output.contains("Hi there"), "\(result.output)")
            #expect(!result.output.contains("INSERT INTO"))
        }
    }

    @Test(arguments: [
        (["shrink"], 64, "--output"),
        (["shrink", "-o", "found", "--rule", "rows-los"], 64, "did you mean 'rows-lost'?"),
        (["shrink", "-o", "found", "--format", "xml"], 64, "there is no format 'xml' of shrink"),
        (["shrink", "-o", "found", "--from-report", "a", "--table", "b"], 64, "leave out --rule"),
        (["shrink", "-o", "found", "--from-report", "nowhere.json"], 2, "'nowhere.json' cannot be read"),
        (
            ["shrink", "-o", "found", "--from-report", "Migrations/v1.sql"], 2,
            "is not a JSON report of drydock verify"
        ),
        (["shrink", "-o", "Snapshots"], 2, "'Snapshots' already exists"),
        (
            ["shrink", "-o", "no/such/found"], 2,
            "there is no folder 'no/such' in which 'no/such/found' could be created; create it first: mkdir -p no/such"
        ),
        (["shrink", "-o", "found", "--table", "grdb_migrations"], 2, "found: rows-lost in email by v2"),
        (
            ["shrink", "-o", "found", "--table", "emial"], 2,
            "there is no table 'emial'; did you mean 'email'?; found: rows-lost in email by v2"
        ),
        (
            ["shrink", "-o", "found", "--migration", "v22"], 2,
            "there is no migration 'v22' in Migrations; did you mean 'v2'?"
        ),
        (["shrink", "-o", "found", "--migration", "v1"], 2, "found: rows-lost in email by v2"),
        (["shrink", "-o", "found", "nowhere.sqlite"], 2, "there is no snapshot 'nowhere.sqlite'"),
    ])
    func badInputLeavesNothing(arguments: [String], status: Int32, message: String) throws {
        let project = try Project(second: Self.loss)
        let result = try project.run(arguments)
        #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: project.folder.path)
            .filter { ![".errors", ".output"].contains($0) }.sorted()
        #expect(names == ["Migrations", "Snapshots"])
    }

    /// Another finding than the report's must not be taken for it.
    @Test func aReportWithAnUnknownRuleIsRefused() throws {
        let project = try Project(second: Self.loss)
        try project.write(
            "other.json",
            """
            {"tool": "drydock", "command": "verify", "findings":
              [{"rule": "of-tomorrow", "severity": "error", "migration": "v2", "snapshot": "Snapshots/v1.sqlite"}]}
            """)
        let result = try project.run("shrink", "--from-report", "other.json", "-o", "found")
        #expect(result.status == 2 && result.errors.contains("there is no rule 'of-tomorrow'"), "\(result)")
        let misspelt = try project.run("shrink", "--rule", "rows-lot", "-o", "found")
        #expect(
            misspelt.status == 64 && misspelt.errors.contains("did you mean 'rows-lost'?\n"), "\(misspelt)")
    }
}
