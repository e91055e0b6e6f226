import Drydock
import Testing

@Suite struct SqlxFormatTests {
    static func history(checksum: String = "") -> String {
        """
        CREATE TABLE _sqlx_migrations(version BIGINT PRIMARY KEY, description TEXT NOT NULL,
          installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL,
          execution_time BIGINT NOT NULL);
        INSERT INTO _sqlx_migrations VALUES (1, 'people', '2024-01-01', 1, x'\(checksum)', 1);
        """
    }

    static let first = "CREATE TABLE person(id INTEGER PRIMARY KEY);\n"
    /// `printf 'CREATE TABLE person(id INTEGER PRIMARY KEY);\n' | sha384sum`
    static let checksum =
        "85beda035de667bef15d0aac5dd57d601fa3f136f1135f95481c0e767b756441b1b1cf71ca60e37d8a563d45539dad2c"

    static let project = ToolProject(
        files: [
            "0001_people.sql": first, "0002_born.sql": "ALTER TABLE person ADD COLUMN born TEXT;\n",
            "0003_pet.sql": "CREATE TABLE pet(id INTEGER PRIMARY KEY);\n",
        ], history: history(checksum: checksum), schema: first, rows: "INSERT INTO person VALUES (1)")

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "3"])
    }

    @Test func anEditedFileIsRefused() async throws {
        let report = try await Self.project.with("0001_people.sql", "-- why\n" + Self.first).verify()
        report.expect(errors: [.migrationEdited])
        #expect(try report.finding(.migrationEdited).migration == "1")
    }

    /// The checksum of the file as Git checks it out on Windows: `printf '...;\r\n' | sha384sum`.
    static let windowsChecksum =
        "721fbd1294087b945d3fb014a83add165baaae19a0c3a6f1d9c849efdb6dafc8034ee57e280cb21e939c483c5326e091"

    @Test func lineEndingsAreReportedAsSuch() async throws {
        let windows = Self.project.with(
            "0001_people.sql", Self.first.replacing("\n", with: "\r\n"))
        let finding = try await windows.verify().finding(.migrationEdited)
        #expect(finding.severity == .error && finding.message.contains("only in its line endings"))
        #expect(finding.help.contains("sqlx refuses") && finding.help.contains(".gitattributes"))
        var unix = Self.project
        unix.history = Self.history(checksum: Self.windowsChecksum)
        #expect(
            try await unix.verify().finding(.migrationEdited).message.contains("only in its line endings"))
        let both = windows.with("0001_people.sql", "-- why\r\n" + Self.first)
        #expect(
            try await !both.verify().finding(.migrationEdited).message.contains("only in its line endings"))
    }

    @Test func reversibleFilesHaveAWayBack() async throws {
        let project = ToolProject(
            files: [
                "0001_people.up.sql": Self.first, "0001_people.down.sql": "DROP TABLE person",
                "0002_born.up.sql": "ALTER TABLE person ADD COLUMN born TEXT",
                "0002_born.down.sql": "ALTER TABLE person DROP COLUMN born",
            ], history: Self.project.history, schema: Self.first, rows: "")
        let report = try await project.verify { $0.checksRollback = true }
        report.expectNothing()
        #expect(report.steps == ["2"])
    }

    @Test func aFileOptsOutOfItsTransaction() async throws {
        let project = ToolProject(
            files: [
                "1_people.sql": ToolProject.one, "2_born.sql": ToolProject.two,
                "3_rebuild.sql": "-- no-transaction\n" + ToolProject.rebuild,
            ], history: Self.history().replacing("x''", with: "x'00'"))
        let report = try await project.verify()
        report.expect(errors: [.migrationEdited])
        let wrapped = try await project.with("3_rebuild.sql", ToolProject.rebuild).verify()
        #expect(wrapped.rules(.error).contains(.rowsLost))
    }

    @Test func aFailedMigrationStopsEveryRun() async throws {
        var project = Self.project
        project.history += "UPDATE _sqlx_migrations SET success = 0"
        let report = try await project.verify()
        report.expect(errors: [.migrationFailed])
        #expect(report.steps.isEmpty)
    }
}
