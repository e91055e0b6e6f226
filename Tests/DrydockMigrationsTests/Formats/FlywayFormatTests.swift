import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct FlywayFormatTests {
    private func with(_ text: String) -> ToolProject {
        FlywayProject.project.with("later/V2__index.sql", text)
    }

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await FlywayProject.project.verify()
        report.expectNothing()
        #expect(report.steps == ["1.1", "2", "R__names.sql"])
    }

    @Test func aRepeatableMigrationRunsAgainAfterAChange() async throws {
        var project = FlywayProject.project
        project.schema += ToolProject.two + ToolProject.three
        project.history += """
            INSERT INTO flyway_schema_history VALUES
              (2, '1.1', 'born', 'SQL', 'V1_1__born.sql', NULL, 'me', '', 1, 1),
              (3, '2', 'index', 'SQL', 'later/V2__index.sql', NULL, 'me', '', 1, 1),
              (4, NULL, 'names', 'SQL', 'R__names.sql', 7, 'me', '', 1, 1);
            """
        let report = try await project.verify()
        #expect(report.steps == ["R__names.sql"])
        #expect(report.rules(.error).isEmpty, "\(report.faults)")
    }

    @Test func placeholders() async throws {
        let project = with("CREATE INDEX ${prefix}_on_person ON pet(person_id);\n")
        let report = try await project.verify()
        #expect(report.faults == ["V2__index.sql:1: no value is given for the placeholder ${prefix}"])
        try await project.verify { $0.migrations.options.placeholders = ["prefix": "pet"] }.expectNothing()
    }

    @Test func thePragmaMustStandAlone() async throws {
        let report = try await with("SELECT 1;\n" + ToolProject.rebuild).verify()
        #expect(
            report.faults[0].hasPrefix("V2__index.sql:2: PRAGMA foreign_keys stands beside other statements"))
        let open = with(ToolProject.rebuild).with("later/V2__index.sql.conf", "executeInTransaction=false\n")
        try await open.verify { $0.migrations.options.foreignKeys = true }.expectNothing()
    }

    /// Flyway's parser reads a block from BEGIN to END.
    @Test func aFileWithItsOwnTransactionIsRefused() async throws {
        let report = try await with("BEGIN;\n\(ToolProject.three)COMMIT;\n").verify()
        #expect(
            report.faults[0].hasPrefix("V2__index.sql:1: BEGIN opens a block that Flyway reads up to an END"))
        let trigger = "CREATE TRIGGER t AFTER DELETE ON pet BEGIN SELECT 1; END;\n"
        try await with(ToolProject.three + trigger).verify().expectNothing()
    }

    @Test func anEditedFileIsRefused() async throws {
        var project = FlywayProject.project
        project.history = FlywayProject.history(checksum: "42")
        try await project.verify().expect(errors: [.migrationEdited])
    }

    /// CRC-32 of the lines without their endings.
    @Test func lineEndingsDoNotCount() async throws {
        let text = "CREATE TABLE person(id INTEGER PRIMARY KEY);\r\n"
        let project = ToolProject(
            files: ["V1__people.sql": text, "V2__born.sql": "ALTER TABLE person ADD COLUMN born;"],
            history: FlywayProject.history(checksum: "\(Int32(bitPattern: 0x15c66514))"), schema: text,
            rows: "")
        try await project.verify().expectNothing()
    }

    @Test func aMigrationBelowTheNewestAppliedStopsFlyway() async throws {
        var project = FlywayProject.project
        project.schema += ToolProject.three
        project.history += """
            INSERT INTO flyway_schema_history VALUES (2, '2', 'index', 'SQL', 'later/V2__index.sql', NULL, 'me', '', 1, 1);
            """
        let report = try await project.verify()
        #expect(report.rules(.error) == [.migrationOutOfOrder])
        #expect(report.steps.isEmpty)
    }

    @Test func undoIsTheWayBack() async throws {
        let report = try await FlywayProject.project.verify { $0.checks.rollback = true }
        report.expect(notChecked: [.rollbackMismatch, .rollbackMismatch])
    }

    /// With `flyway.mixed`, Flyway runs such a file without a transaction.
    @Test func mixedIsReadFromEverySetting() async throws {
        let project = with("SELECT 1;\n" + ToolProject.rebuild)
        #expect(try await project.verify().faults[0].contains("PRAGMA foreign_keys stands beside"))
        let help = try await project.verify().finding(.migrationFailed).help
        #expect(help.contains("mixed: true") && help.contains("flyway.mixed"))
        try await project.verify { $0.migrations.options.mixed = true }.expectNothing()
        try await project.verify { $0.migrations.options.transaction = ToolPolicy.Transaction.none }
            .expectNothing()
        for (file, text) in [
            ("flyway.toml", "[flyway]\nmixed = true\n"), ("conf/flyway.conf", "# x\nflyway.mixed=true\n"),
            ("application.properties", "spring.flyway.mixed=true\n"),
        ] {
            let folder = try project.write()
            try folder.write(file, text)
            try await folder.verify().expectNothing()
            let told = try await folder.verify { $0.migrations.options.mixed = false }
            #expect(told.rules(.error) == [.migrationFailed], "\(file)")
        }
    }

    @Test func anAppliedMixedFileIsNotAFault() async throws {
        var project = with("SELECT 1;\n" + ToolProject.rebuild)
        project.files["V3__more.sql"] = "ALTER TABLE pet ADD COLUMN age;"
        project.schema += "ALTER TABLE person ADD COLUMN born TEXT DEFAULT '';"
        project.history += """
            INSERT INTO flyway_schema_history VALUES
              (2, '1.1', 'born', 'SQL', 'V1_1__born.sql', NULL, 'me', '', 1, 1),
              (3, '2', 'index', 'SQL', 'later/V2__index.sql', NULL, 'me', '', 1, 1);
            """
        let report = try await project.verify()
        report.expect(notChecked: [.schemaMismatch])
        #expect(report.steps == ["3", "R__names.sql"])
    }

    /// Only the setting distinguishes the folder from one of refinery's.
    @Test func mixedDecidesThatTheFolderIsFlyways() async throws {
        let project = ToolProject(
            files: ["V1__people.sql": ToolProject.one, "V2__born.sql": ToolProject.rebuild], history: "")
        let refusal = try await project.refusal()
        #expect(refusal.contains("flyway") && refusal.contains("refinery"))
        #expect(try await project.verify { $0.migrations.options.mixed = true }.migrationFormat == "flyway")
    }

    @Test func mixedIsRefusedForOtherTools() async throws {
        let refusal = try await GooseProject.project.refusal { $0.migrations.options.mixed = true }
        #expect(refusal.contains("'mixed' is a setting of Flyway's"))
    }

    /// Java, Kotlin and scripts that are kept elsewhere, as the history itself says.
    @Test(arguments: ["JDBC", "SPRING_JDBC", "SCRIPT", "CUSTOM"])
    func historyRowsOfOtherTypesNeedNoSQLFile(_ type: String) async throws {
        var project = FlywayProject.project
        project.history += """
            INSERT INTO flyway_schema_history VALUES (2, '1.0.1', 'code', '\(type)', 'db.V1_0_1__code', NULL, 'me', '', 1, 1);
            """
        let report = try await project.verify()
        report.expectNothing()
        #expect(report.steps == ["1.1", "2", "R__names.sql"])
        let note = try report.finding(.migrationInCode)
        #expect(note.severity == .note && note.message.contains("1.0.1"))
        project.schema += "CREATE TABLE extra(a);"
        let other = try await project.verify()
        other.expect(warnings: [.schemaMismatch])
        #expect(try other.finding(.schemaMismatch).help.contains("1.0.1"))
    }

    @Test func migrationsDeletedByRepairAreNotMissing() async throws {
        var project = FlywayProject.project
        project.history += """
            INSERT INTO flyway_schema_history VALUES
              (2, '1.0.1', 'gone', 'SQL', 'V1_0_1__gone.sql', 3, 'me', '', 1, 1),
              (3, '1.0.1', 'gone', 'DELETE', 'V1_0_1__gone.sql', 3, 'me', '', 0, 1);
            """
        try await project.verify().expectNothing()
    }
}
