import Foundation
import Testing

/// The command `drydock lint` as people run it.
@Suite struct LintCommandTests {
    private static let unique = "CREATE UNIQUE INDEX email_on_subject ON email(subject);"

    @Test func passes() throws {
        let result = try Project().run("lint")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.hasPrefix("passed: 2 migrations, 2 statements linted") && result.errors.isEmpty)
    }

    @Test func failsWithStatusOne() throws {
        let result = try Project(second: "SELECT 1;\n  DELETE FROM email;").run("lint")
        #expect(result.status == 1)
        #expect(result.output.contains("error[destructive-undeclared] DELETE removes every row of email"))
        #expect(result.output.contains("--> Migrations/v2.sql:2:3"))
        #expect(result.output.contains("-- drydock: deletes from email"))
    }

    @Test func needsNoSnapshot() throws {
        let project = try Project()
        try FileManager.default.removeItem(at: project.folder.appending(path: "Snapshots"))
        #expect(try project.run("lint").status == 0)
    }

    @Test func warningsFailWithStrict() throws {
        let project = try Project(second: Self.unique)
        #expect(try project.run("lint").status == 0)
        #expect(try project.run("lint", "--strict").status == 1)
        #expect(try project.run("lint", "--strict", "--rule", "unique-over-existing=off").status == 0)
        #expect(try project.run("lint", "--rule", "unique-over-existing=error").status == 1)
    }

    @Test func theConfigurationSetsSeverities() throws {
        let project = try Project(second: Self.unique + "\nALTER TABLE email DROP COLUMN subject;")
        try project.write(
            "drydock.yml",
            """
            sqlite: android-11
            lint:
              rules: {unique-over-existing: off, minimum-sqlite: warning, missing-strict: note}
            declarations: {v2: drops column email.subject}
            """)
        let second = Self.unique + "\nALTER TABLE email ADD COLUMN x; ALTER TABLE email DROP COLUMN x;"
        try project.write("Migrations/v2.sql", second)
        let result = try project.run("lint", "-v")
        #expect(!result.output.contains("unique-over-existing"))
        #expect(
            result.output.contains(
                "warning[minimum-sqlite] DROP COLUMN came with SQLite 3.35, and the oldest to be supported is 3.28"
            ))
        #expect(result.output.contains("note[missing-strict]"))
    }

    @Test func jsonIsAContract() throws {
        let project = try Project(second: "DELETE FROM email;")
        let result = try project.run("lint", "--format", "json", "--report", "json=out.json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(report["command"] as? String == "lint" && report["verdict"] as? String == "failed")
        #expect(report["formatVersion"] as? Int == 1 && report["replays"] == nil)
        #expect((report["linted"] as? [String: Int]) == ["migrations": 2, "statements": 2])
        let finding = try #require((report["findings"] as? [[String: Any]])?.first)
        #expect(finding["rule"] as? String == "destructive-undeclared")
        #expect(finding["line"] as? Int == 1 && finding["linePosition"] as? Int == 1)
        #expect(finding["migration"] as? String == "v2" && finding["table"] as? String == "email")
        #expect(
            try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
                == result.output)
    }

    @Test func fixWritesWhatIsCertainAndNothingElse() throws {
        let project = try Project(
            second: "CREATE TABLE n(subject TEXT, id INTEGER);\r\nINSERT INTO n SELECT * FROM email; -- é\r\n"
        )
        let before = try String(
            contentsOf: project.folder.appending(path: "Migrations/v1.sql"), encoding: .utf8)
        let result = try project.run("lint", "--fix")
        #expect(result.status == 0 && result.errors == "drydock: rewrote Migrations/v2.sql\n")
        #expect(!result.output.contains("error["))
        #expect(
            result.output.contains(
                "fixed[positional-copy] Migrations/v2.sql:2: INSERT INTO n (subject, id) SELECT subject, id FROM email; -- é\n"
            ))
        #expect(
            result.output.contains("passed: 2 migrations, 3 statements linted, 1 fixed"), "\(result.output)")
        #expect(
            try String(contentsOf: project.folder.appending(path: "Migrations/v2.sql"), encoding: .utf8)
                == "CREATE TABLE n(subject TEXT, id INTEGER);\r\nINSERT INTO n (subject, id) SELECT subject, id FROM email; -- é\r\n"
        )
        #expect(
            try String(contentsOf: project.folder.appending(path: "Migrations/v1.sql"), encoding: .utf8)
                == before)
        let again = try project.run("lint", "--fix")
        #expect(again.status == 0 && again.errors == "drydock: there is nothing to rewrite\n")
    }

    @Test func remainingFindingsCountAfterAFix() throws {
        let copy = "CREATE TABLE n(subject TEXT, id INTEGER);\nINSERT INTO n SELECT * FROM email;\n"
        let project = try Project(second: copy + "ALTER TABLE email ADD COLUMN note TEXT NOT NULL;")
        let result = try project.run("lint", "--fix", "--format", "json")
        #expect(result.status == 1)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let findings = try #require(report["findings"] as? [[String: Any]])
        #expect(
            findings.filter { $0["severity"] as? String == "error" }.map { $0["rule"] as? String }
                == ["add-column-fails"])
        let fixed = try #require(report["fixed"] as? [[String: Any]])
        #expect(fixed.map { $0["rule"] as? String } == ["positional-copy"])
        #expect(fixed[0]["file"] as? String == "Migrations/v2.sql" && fixed[0]["line"] as? Int == 2)
        #expect(try project.run("lint", "--format", "json").output.contains("\"fixed\"") == false)
    }

    /// Several edits in a line, after characters of four bytes, with CRLF and a byte order mark; insertions and
    /// replacements.
    @Test(arguments: [
        "CREATE TABLE n(subject TEXT, id INTEGER);\nINSERT INTO n SELECT * FROM email; -- é\n",
        "CREATE TABLE n(subject TEXT, id INTEGER);\r\n/* 🚢é */ INSERT INTO n SELECT * FROM email; INSERT INTO \"n\" SELECT * FROM email;\r\n",
        "CREATE TABLE n(subject TEXT, id INTEGER);\nINSERT INTO n\nSELECT\n*\nFROM email;\n",
        "\u{FEFF}CREATE TABLE \"n n\"(subject TEXT, id INTEGER); INSERT INTO \"n n\" SELECT * FROM email;\n",
    ])
    func theEditsOfTheReportAreWhatFixWrites(_ step: String) throws {
        let project = try Project(second: step)
        let result = try project.run("lint", "--format", "json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let findings = try #require(report["findings"] as? [[String: Any]])
        var edits = findings.flatMap { $0["edits"] as? [[String: Any]] ?? [] }
        #expect(!edits.isEmpty, "\(result.output)")
        func number(_ edit: [String: Any], _ key: String) throws -> Int { try #require(edit[key] as? Int) }
        try edits.sort {
            try (number($0, "line"), number($0, "linePosition"))
                > (number($1, "line"), number($1, "linePosition"))
        }
        var text = step.unicodeScalars.map(\.self)
        for edit in edits {
            #expect(edit["file"] as? String == "Migrations/v2.sql")
            let breaks = text.indices.filter { text[$0] == "\n" }.map { $0 + 1 }
            let line = try number(edit, "line")
            let start = try (line == 1 ? 0 : breaks[line - 2]) + number(edit, "linePosition") - 1
            let replaced = try #require(edit["replace"] as? String).unicodeScalars.map(\.self)
            let range = start..<start + replaced.count
            try #require(Array(text[range]) == replaced, "\(edit)")
            text.replaceSubrange(range, with: try #require(edit["with"] as? String).unicodeScalars)
        }
        _ = try project.run("lint", "--fix")
        var applied = ""
        applied.unicodeScalars.append(contentsOf: text)
        // Foundation leaves out the mark at the start when it reads a file as text.
        let written = try Data(contentsOf: project.folder.appending(path: "Migrations/v2.sql"))
        #expect(written == Data(applied.utf8))
    }

    @Test func whatFixLeavesAloneHasNoEdits() throws {
        let copy = "CREATE TABLE n(subject TEXT, id INTEGER);\nINSERT INTO n SELECT * FROM email;\n"
        let project = try Project(second: copy)
        #expect(try project.run("lint", "--format", "json").output.contains("\"edits\""))
        #expect(try project.run("lock").status == 0)
        #expect(try !project.run("lint", "--all", "--format", "json").output.contains("\"edits\""))
        #expect(try project.run("lint", "--all").output.contains("[positional-copy]"))
    }

    @Test func readOnlyFilesAreLeftAlone() throws {
        let copy = "CREATE TABLE n(subject TEXT, id INTEGER);\nINSERT INTO n SELECT * FROM email;\n"
        let project = try Project(second: copy)
        try project.write("Migrations/v3.sql", "INSERT INTO n SELECT * FROM email;")
        let before = try project.shell("cat Migrations/*").output
        #expect(try project.shell("chmod a-w Migrations").status == 0)
        let none = try project.run("lint", "--fix")
        #expect(try project.shell("chmod u+w Migrations").status == 0)
        #expect(none.status == 2 && none.errors.contains("cannot be rewritten: its folder is read-only"))
        #expect(none.output.contains("linted, 0 fixed") && !none.output.contains("fixed["), "\(none.output)")
        #expect(try project.shell("cat Migrations/*").output == before)
        // What may be written is written, and the report covers both.
        #expect(try project.shell("chmod a-w Migrations/v2.sql").status == 0)
        let some = try project.run("lint", "--fix")
        #expect(try project.shell("chmod u+w Migrations/v2.sql").status == 0)
        #expect(some.status == 2 && some.errors.contains("drydock: rewrote Migrations/v3.sql\n"))
        #expect(some.errors.contains("'Migrations/v2.sql' cannot be rewritten: it is read-only"))
        #expect(some.output.contains("fixed[positional-copy] Migrations/v3.sql:1"), "\(some.output)")
        #expect(some.output.contains("[positional-copy]") && some.output.contains("--> Migrations/v2.sql:2"))
        #expect(some.output.contains(", 1 fixed"))
        #expect(try project.shell("cat Migrations/v2.sql").output == copy)
        try project.write("Migrations/v3.sql", "INSERT INTO n SELECT * FROM email;")
        #expect(try project.shell("chmod 640 Migrations/v3.sql").status == 0)
        #expect(try project.run("lint", "--fix").status == 0)
        #expect(try project.shell("ls -l Migrations/v3.sql").output.hasPrefix("-rw-r-----"))
        #expect(try project.shell("ls Migrations").output == "v1.sql\nv2.sql\nv3.sql\n")
    }

    @Test func onlyTheLocksFormatSaysWhatIsLocked() throws {
        let project = try Project()
        let copy = "CREATE TABLE n(subject, id);\nINSERT INTO n SELECT * FROM email;\n"
        #expect(
            try project.shell("rm Migrations/v2.sql && mv Migrations/v1.sql Migrations/1_a.sql").status == 0)
        try project.write("Migrations/2_b.sql", copy)
        #expect(try project.run("lock", "--migration-format", "drydock").status == 0)
        let other = try project.run("lint", "--fix", "--migration-format", "sqlx")
        #expect(other.status == 2 && other.errors.contains("was made from drydock migrations, not from sqlx"))
        #expect(try project.shell("sed -i.old s/format=drydock/format=sqlx/ drydock.lock").status == 0)
        let edited = try project.run("lint", "--fix")
        #expect(edited.status == 2 && edited.errors.contains("the lock says format=sqlx"))
        #expect(try project.shell("cat Migrations/2_b.sql").output == copy)
    }

    @Test func aLinkToALockedMigrationIsNotWrittenThrough() throws {
        let project = try Project(
            second: "CREATE TABLE n(subject, id);\nINSERT INTO n SELECT * FROM email;\n")
        #expect(try project.run("lock").status == 0)
        let before = try project.shell("cat Migrations/v2.sql").output
        try project.write("Migrations/v3.sql", "DROP TABLE n;")
        #expect(try project.shell("ln -s v2.sql Migrations/v4.sql").status == 0)
        let result = try project.run("lint", "--fix")
        #expect(
            result.errors
                == "drydock: Migrations/v4.sql was not changed: it is another name of a locked file\n")
        #expect(try project.shell("cat Migrations/v2.sql").output == before)
    }

    @Test func withALockOnlyNewMigrationsAreLinted() throws {
        let project = try Project(second: "CREATE TABLE n(subject, id); INSERT INTO n SELECT * FROM email;")
        #expect(try project.run("lock").status == 0)
        let locked = try project.run("lint", "-v")
        #expect(locked.status == 0 && locked.output.contains("every migration is locked"), "\(locked.output)")
        #expect(try project.run("lint", "--new").status == 0)
        try project.write("Migrations/v3.sql", "DELETE FROM n;")
        let new = try project.run("lint")
        #expect(new.status == 1 && new.output.contains("1 migration, 1 statement linted"))
        #expect(new.output.contains("v3.sql") && !new.output.contains("v2.sql"))
        // The lock does not cover another folder's migrations.
        #expect(try project.shell("cp -r Migrations other").status == 0)
        #expect(try project.run("lint", "-m", "other").output.contains("3 migrations"))
        #expect(try project.run("lint", "-m", "other", "--new").status == 2)
        #expect(try project.run("lint", "-m", "other", "--lock", "drydock.lock").status == 2)
        // Locked migrations are reported if requested, and never rewritten; their declarations go elsewhere.
        let all = try project.run("lint", "--all", "--fix")
        #expect(all.output.contains("v2.sql") && all.output.contains("3 migrations"))
        #expect(all.errors == "drydock: Migrations/v2.sql was not changed: it is locked\n")
        try project.write("drydock.lock", "version 9\n")
        let newer = try project.run("lint")
        #expect(newer.status == 2 && newer.errors.contains("drydock.lock:1: a newer drydock wrote this lock"))
    }

    @Test func textFromPlaceholdersIsLeftAlone() throws {
        let project = try Project(
            second: "CREATE TABLE n(subject, id);\nINSERT INTO n SELECT * FROM ${table};\n")
        let result = try project.run("lint", "--fix", "--placeholder", "table=email")
        #expect(
            result.errors
                == "drydock: Migrations/v2.sql was not changed: it was linted with placeholders filled in\n"
        )
    }

    @Test func listsItsRules() throws {
        let result = try Project().run("lint", "--list-rules")
        #expect(result.status == 0 && result.output.contains("\nunique-over-existing"))
        #expect(
            try Project().run("lint", "--list-rules", "--format", "markdown").output.hasPrefix("# The rules"))
    }

    @Test(arguments: [
        (["--migrations", "nowhere"], 2, "there is no folder 'nowhere'"),
        (["--since", "v3"], 2, "there is no migration 'v3' in Migrations"),
        (["--new"], 2, "there is no lock"), (["--base", "nowhere.sql"], 2, "nowhere.sql"),
        (["--rule", "unique-over-exsting=off"], 64, "did you mean 'unique-over-existing'?"),
        (["--rule", "unique-over-existing"], 64, "write RULE=SEVERITY"),
        (
            ["--sqlite", "oberon-1"], 64,
            "--sqlite 'oberon-1' is not a version of SQLite 3, such as 3.24, or of a system"
        ),
        (["--sqlite", "oberon-1"], 64, "that is known: android-5, "),
        (["--sqlite", "ios15"], 64, "did you mean 'ios-15'?"),
        (["--foreign-keys"], 2, "'foreignKeys' does not apply to Drydock's own format: GRDB checks"),
        (["--no-foreign-keys"], 2, "'-- drydock: foreign-keys immediate'"),
        (["--format", "nagios"], 64, "there is no format 'nagios'"),
        (["--new", "--all"], 64, "exclude each other"),
    ]) func saysWhyNot(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let result = try Project().run(["lint"] + arguments)
        #expect(result.status == status)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        (
            "lint: {rules: {unique-over-exsting: off}}",
            "drydock.yml:1:16: 'unique-over-exsting' is not a rule"
        ),
        ("lint: {rules: {unique-over-existing: loud}}", "drydock.yml:1:38"),
        ("lint: {rule: {}}", "drydock.yml:1:8: 'rule' is not a key of lint; write it as 'lint: rules'"),
        ("sqlite: ios15", "drydock.yml:1:9: sqlite: 'ios15' is not a version of SQLite 3"),
        ("sqlite: ios15", "did you mean 'ios-15'?"),
        ("foreignKeys: true", "'foreignKeys' does not apply"),
    ]) func saysWhatIsWrongInTheConfiguration(_ text: String, _ message: String) throws {
        let project = try Project()
        try project.write("drydock.yml", text)
        let result = try project.run("lint")
        #expect(result.status == 2)
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}
