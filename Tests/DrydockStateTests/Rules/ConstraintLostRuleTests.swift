import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ConstraintLostRuleTests {
    private static let schema = """
        CREATE TABLE agent(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE run(
          id INTEGER PRIMARY KEY, script INTEGER NOT NULL, hook TEXT NOT NULL COLLATE NOCASE,
          code INTEGER CHECK (code BETWEEN 0 AND 255), agent INTEGER REFERENCES agent(id) ON DELETE CASCADE,
          UNIQUE (script, hook));
        """
    private static let rows = """
        INSERT INTO agent VALUES (1, 'a'), (2, 'b');
        INSERT INTO run VALUES (1, 7, 'Before', 0, 1), (2, 7, 'after', 1, 2), (3, 8, 'before', NULL, NULL);
        """
    private static let whole = """
        script INTEGER NOT NULL, hook TEXT NOT NULL COLLATE NOCASE, code INTEGER CHECK (code BETWEEN 0 AND 255),
        agent INTEGER REFERENCES agent ON DELETE CASCADE, UNIQUE (script, hook)
        """

    /// A rebuild of `run` with other columns.
    private static func rebuild(_ columns: String, named name: String = "run") -> String {
        """
        CREATE TABLE run_new(id INTEGER PRIMARY KEY, \(columns));
        INSERT INTO run_new(id, script, hook, code, agent) SELECT id, script, hook, code, agent FROM run;
        DROP TABLE run; ALTER TABLE run_new RENAME TO \(name);
        """
    }

    private static func without(_ words: String, _ now: String = "") -> String {
        rebuild(whole.replacing(words, with: now))
    }

    private static func it(_ name: String, _ steps: String..., warns: [Rule] = [.constraintLost]) -> RuleCase
    {
        var it = RuleCase(name, schema: schema, rows: rows, warnings: warns)
        it.scenario = Scenario(schema, rows: rows, steps: steps)
        return it
    }

    @Test(arguments: [
        (it("UNIQUE", without(", UNIQUE (script, hook)")), "UNIQUE (script, hook) of run is gone"),
        (
            it("CHECK", without(" CHECK (code BETWEEN 0 AND 255)")),
            "CHECK (code BETWEEN 0 AND 255) of run is gone"
        ),
        (
            it("a weaker CHECK", without("AND 255", "AND 1000")),
            "CHECK (code BETWEEN 0 AND 255) of run is now CHECK (code BETWEEN 0 AND 1000)"
        ),
        (
            it("NOT NULL", without("script INTEGER NOT NULL", "script INTEGER")),
            "NOT NULL of run.script is gone"
        ),
        (it("two NOT NULL", without(" NOT NULL")), "NOT NULL of run.script and run.hook is gone"),
        (it("COLLATE", without(" COLLATE NOCASE")), "COLLATE NOCASE of run.hook is gone"),
        (
            it("REFERENCES", without(" REFERENCES agent ON DELETE CASCADE")),
            "REFERENCES agent (id) ON DELETE CASCADE of run.agent is gone"
        ),
        (
            it("its action", without(" ON DELETE CASCADE")),
            "REFERENCES agent (id) ON DELETE CASCADE of run.agent is now REFERENCES agent"
        ),
        (
            it(
                "a renamed table",
                "-- drydock: renames table run to job\n"
                    + rebuild(whole.replacing(" COLLATE NOCASE", with: ""), named: "job")),
            "COLLATE NOCASE of job.hook is gone"
        ),
        (
            it(
                "a declared rename",
                "-- drydock: renames column run.code to run.result\n"
                    + without("code INTEGER CHECK (code BETWEEN 0 AND 255)", "result INTEGER").replacing(
                        "script, hook, code, agent) S", with: "script, hook, result, agent) S")),
            "CHECK (result BETWEEN 0 AND 255) of run is gone"
        ),
        (
            it(
                "writable_schema",
                "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, ' COLLATE NOCASE', '') WHERE name = 'run'; PRAGMA writable_schema = 0;"
            ), "COLLATE NOCASE of run.hook is gone"
        ),
    ]) func isReported(_ it: RuleCase, _ message: String) async throws {
        var it = it
        if it.name == "writable_schema" {
            // The version of the schema has another finding.
            let report = try await it.scenario.verify()
            #expect(report.findings.contains { $0.rule == .constraintLost && $0.message == message })
            return
        }
        it.notes = try await it.scenario.verify().rules(.note).filter { $0 != .constraintLost }
        let report = try await it.check()
        #expect(try report.finding(.constraintLost).message == message)
    }

    @Test(arguments: [
        it("everything is there", rebuild(whole), warns: []),
        it(
            "another order and form", without(", UNIQUE (script, hook)", ", UNIQUE (hook, script)"), warns: []
        ),
        it(
            "an index in the place of UNIQUE",
            without(", UNIQUE (script, hook)") + "CREATE UNIQUE INDEX run_once ON run(script, hook);",
            warns: []),
        it(
            "a stricter key",
            without("UNIQUE (script, hook)", "UNIQUE (script, hook), UNIQUE (hook, script, code)"), warns: []),
        it("a stricter CHECK", without("AND 255", "AND 100"), warns: []),
        it("more constraints", without("script INTEGER", "script INTEGER CHECK (script > 0)"), warns: []),
        it("a renamed table", "ALTER TABLE run RENAME TO job;", warns: []),
        it("a renamed column", "ALTER TABLE run RENAME COLUMN hook TO point;", warns: []),
        it("a renamed parent", "ALTER TABLE agent RENAME TO person;", warns: []),
        it("an archive", "CREATE TABLE archive AS SELECT * FROM run; DROP TABLE run;", warns: []),
        it("a dropped table", "-- drydock: drops table run\nDROP TABLE run;", warns: []),
        it(
            "a dropped column",
            "-- drydock: drops column run.agent\n"
                + "ALTER TABLE run DROP COLUMN agent;", warns: []),
        it(
            "a table that is moved by several migrations",
            "CREATE TABLE run_new(id INTEGER PRIMARY KEY, \(whole)); INSERT INTO run_new SELECT * FROM run;",
            "DROP TABLE run;", "ALTER TABLE run_new RENAME TO run;", warns: []),
        it(
            "declared",
            "-- drydock: drops constraint unique (hook, script) of run, not null (script) of run\n"
                + without(", UNIQUE (script, hook)").replacing(
                    "script INTEGER NOT NULL", with: "script INTEGER"),
            warns: []),
        it(
            "all of a kind declared",
            "-- drydock: drops constraint not null of run\n-- drydock: drops constraint check of run\n"
                + rebuild(
                    whole.replacing(" NOT NULL", with: "").replacing(
                        " CHECK (code BETWEEN 0 AND 255)", with: "")),
            warns: []),
        it(
            "a CHECK declared",
            "-- drydock: drops constraint check(code  between 0 and 255) of run\n"
                + without(" CHECK (code BETWEEN 0 AND 255)"), warns: []),
        it(
            "a foreign key and a collation declared",
            "-- drydock: drops constraint foreign key (agent) of run\n-- drydock: drops constraint collate (hook) of run\n"
                + rebuild(
                    whole.replacing(" COLLATE NOCASE", with: "").replacing(" ON DELETE CASCADE", with: "")),
            warns: []),
    ]) func isNotReported(_ it: RuleCase) async throws {
        var it = it
        it.notes = try await it.scenario.verify().rules(.note).filter { $0 != .constraintLost }
        try await it.check()
    }

    @Test func aLaterMigrationRestoresIt() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows,
            steps: Self.without(", UNIQUE (script, hook)"),
            "CREATE UNIQUE INDEX run_once ON run(script, hook);"
        ).verify()
        report.expectNothing()
        #expect(try report.finding(.constraintLost).tags == [.healed])
    }

    @Test func whatALaterMigrationOnlyMovesIsStillLost() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows,
            steps: Self.without(", UNIQUE (script, hook)"), "ALTER TABLE run RENAME TO job;",
            "ALTER TABLE job RENAME COLUMN hook TO point;"
        ).verify()
        report.expect(warnings: [.constraintLost])
    }

    @Test func aRebuildOverSeveralMigrations() async throws {
        let columns = Self.whole.replacing(", UNIQUE (script, hook)", with: "")
        let report = try await Scenario(
            Self.schema, rows: Self.rows,
            steps:
                "CREATE TABLE run_new(id INTEGER PRIMARY KEY, \(columns)); INSERT INTO run_new SELECT * FROM run;",
            "DROP TABLE run;", "ALTER TABLE run_new RENAME TO run;"
        ).verify()
        report.expect(warnings: [.constraintLost])
        #expect(try report.finding(.constraintLost).migration == "v3")
    }

    @Test func theHelpSaysWhereItBelongsAndDeclaresIt() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows, steps: Self.rebuild(Self.whole.replacing(" NOT NULL", with: ""))
        ).verify()
        let finding = try report.finding(.constraintLost)
        #expect(
            finding.help == """
                It belongs in the definition of run:
                  script INTEGER NOT NULL
                  hook TEXT NOT NULL
                If it may go, declare it:
                  -- drydock: drops constraint not null (script, hook) of run
                """)
        #expect(finding.place?.line == 1)
    }

    @Test(arguments: [
        (
            "drops constraint unique (script) of run", "no constraint 'unique (script)'",
            "'unique (script, hook)'"
        ),
        ("drops constraint unique (script, hok) of run", "no column 'hok'", "'hook'"),
        (
            "drops constraint check (code > 0) of run", "no constraint 'check (code > 0)'",
            "'check (code BETWEEN 0 AND 255)'"
        ),
        ("drops constraint check of rum", "no table is called 'rum'", "'run'"),
    ]) func wrongDeclarations(_ words: String, _ message: String, _ help: String) async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows, steps: "-- drydock: \(words)\n" + Self.rebuild(Self.whole)
        ).verify()
        let finding = try report.finding(.invalidDeclaration)
        #expect(
            finding.message.contains(message) && finding.help.contains(help),
            "\(finding.message) \(finding.help)")
    }

    @Test func anUnusedDeclaration() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows,
            steps: "-- drydock: drops constraint collate (hook) of run\n" + Self.rebuild(Self.whole)
        ).verify()
        report.expect(warnings: [.unusedDeclaration])
    }

    @Test func aColumnThatWasFilledFromADroppedOneHasConstraintsOfItsOwn() async throws {
        let report = try await Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER NOT NULL);",
            rows: "INSERT INTO t VALUES (1, 7), (2, 8);",
            steps: "ALTER TABLE t ADD COLUMN b INTEGER; UPDATE t SET b = a; ALTER TABLE t DROP COLUMN a;"
        ).verify()
        report.expectNothing()
    }

    @Test func aKeyThatFollowsARenameIsReportedOnce() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows,
            steps: """
                ALTER TABLE agent RENAME TO agent_old; CREATE TABLE agent(id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO agent SELECT * FROM agent_old; DROP TABLE agent_old;
                """
        ).verify()
        #expect(!report.findings.contains { $0.rule == .constraintLost }, "\(report.findings.map(\.line))")
    }

    /// Without a statement, as where the project's own command migrates.
    @Test func generatedRows() async throws {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", Self.schema)
        try folder.write("Migrations/v2.sql", Self.without(", UNIQUE (script, hook)"))
        try folder.write("Snapshots/.keep", "")
        let report = try await folder.verify { $0.probes.use = .always }
        #expect(try report.finding(.constraintLost).severity == .warning)
    }
}
