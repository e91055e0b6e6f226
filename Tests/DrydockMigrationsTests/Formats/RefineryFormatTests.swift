import DatabaseEngine
import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct RefineryFormatTests {
    static func history(_ rows: String..., type: String = "int4") -> String {
        """
        CREATE TABLE refinery_schema_history(version \(type) PRIMARY KEY, name VARCHAR(255), applied_on VARCHAR(255),
          checksum VARCHAR(255));

        """
            + rows.map { "INSERT INTO refinery_schema_history VALUES \($0);\n" }.joined()
    }

    static let first = """
        CREATE TABLE persons (
            id int,
            name varchar(255),
            city varchar(255)
        );

        """
    /// The checksum that refinery's own tests expect of this file (refinery/tests/rusqlite.rs,
    /// `updates_to_last_working_if_not_grouped`), and the one with `int8-versions` (postgres.rs).
    static let checksum = "2959965718684201605"
    static let wideChecksum = "13938959368620441626"

    static let project = ToolProject(
        files: [
            "V1__initial.sql": first, "later/V2__born.sql": "ALTER TABLE persons ADD COLUMN born TEXT;\n",
            "V10__index.sql": "CREATE INDEX by_name ON persons(name);\n", "mod.rs": "",
        ], history: history("(1, 'initial', '2024-01-01T00:00:00Z', '\(checksum)')"), schema: first,
        rows: "INSERT INTO persons VALUES (1, 'Ada', 'London')")

    /// Returns a project with people and their pets, and this as its last migration.
    private func pets(_ last: String) -> ToolProject {
        ToolProject(
            files: ["V1__pets.sql": ToolProject.one, "V2__born.sql": ToolProject.two, "V3__last.sql": last],
            history: Self.history("(1, 'pets', '2024-01-01T00:00:00Z', NULL)"))
    }

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "10"])
    }

    @Test func aLossIsFound() async throws {
        try await pets(ToolProject.loss).verify { $0.migrations.format = "refinery" }.expect(errors: [
            .rowsLost
        ]
        )
    }

    /// rusqlite's bundled SQLite enforces foreign keys, and nothing turns them off inside the transaction.
    @Test func aRebuildCascades() async throws {
        try await pets(ToolProject.rebuild).verify().expect(errors: [.pragmaIgnored, .rowsLost])
        let linked = try await pets(ToolProject.rebuild).verify { $0.migrations.options.foreignKeys = false }
        #expect(!linked.rules(.error).contains(.rowsLost), "\(linked.faults)")
    }

    @Test func anEditedFileIsRefused() async throws {
        let report = try await Self.project.with("V1__initial.sql", "-- why\n" + Self.first).verify()
        report.expect(errors: [.migrationEdited])
        let renamed = try await Self.project.with("V1__initial.sql", nil).with("V1__people.sql", Self.first)
            .verify()
        renamed.expect(errors: [.migrationEdited])
    }

    @Test func lineEndingsAreReportedAsSuch() async throws {
        let windows = Self.first.replacing("\n", with: "\r\n")
        let report = try await Self.project.with("V1__initial.sql", windows).verify()
        #expect(try report.finding(.migrationEdited).message.contains("only in its line endings"))
    }

    @Test func theHistoryShowsWideVersions() async throws {
        var project = Self.project
        let row = "(1, 'initial', '2024-01-01T00:00:00Z', '\(Self.wideChecksum)')"
        project.history = Self.history(row, type: "int8")
        try await project.verify().expectNothing()
        let dated = project.with("U20240131120000__dated.sql", "CREATE INDEX by_city ON persons(city);\n")
        let report = try await dated.verify()
        report.expectNothing()
        #expect(report.steps == ["2", "10", "20240131120000"])
    }

    @Test(arguments: [("int4", checksum), ("int8", wideChecksum)])
    func theHistoryDecidesWhichChecksumIsKept(_ type: String, _ checksum: String) throws {
        let folder = try Self.project.write()
        let set = try RefineryFormat().load(
            folder: FolderFiles(folder.file("Migrations")), options: FormatOptions())
        let record = try #require(set.migrations[0].record.first)
        let database = try PlainDatabase()
        try database.execute(Self.history(type: type))
        try database.forEachRow(record.sql, record.values) { _ in }
        let kept = try database.rows("SELECT version, name, checksum FROM refinery_schema_history") {
            [$0.string(0), $0.string(1), $0.string(2)]
        }
        #expect(kept == [["1", "initial", checksum]])
    }

    /// A version of more than 32 bits needs the feature, which changes every checksum.
    @Test func aDateAfterNarrowVersionsIsRefused() async throws {
        let dated = Self.project.with(
            "U20240131120000__dated.sql", "CREATE INDEX by_city ON persons(city);\n")
        let report = try await dated.verify()
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.faults[0].contains("20240131120000 needs refinery's feature int8-versions"))
        #expect(report.steps.isEmpty)
    }

    @Test func groupedFilesShareATransaction() async throws {
        let report = try await Self.project.verify { $0.migrations.options.transaction = .all }
        report.expectNothing()
        #expect(report.steps == ["2", "10"])
    }

    @Test func aMigrationBelowTheNewestAppliedStopsRefinery() async throws {
        var project = Self.project
        project.schema += "CREATE INDEX by_name ON persons(name);"
        project.history += "INSERT INTO refinery_schema_history VALUES (10, 'index', '', NULL);"
        let report = try await project.verify()
        #expect(report.rules(.error) == [.migrationOutOfOrder])
        #expect(report.steps.isEmpty)

        let unversioned = project.with("later/V2__born.sql", nil)
            .with("U2__born.sql", "ALTER TABLE persons ADD COLUMN born TEXT;\n")
        let late = try await unversioned.verify()
        late.expect(warnings: [.migrationOutOfOrder])
        #expect(late.steps == ["2"])
    }

    @Test func codeEndsAReplay() async throws {
        let report = try await Self.project.with("V11__code.rs", "pub fn migration() -> String {}").verify()
        #expect(report.steps == ["2", "10"])
        #expect(report.rules(.error) == [.migrationInCode])
    }

    @Test func faultsOfFilesAreReported() async throws {
        let decimal = try await Self.project.with("V10.1__half.sql", "SELECT 1;").verify()
        #expect(decimal.faults == ["V10.1__half.sql:0: 10.1 is not a version that refinery accepts"])
        let twice = try await Self.project.with("V010__again.sql", "SELECT 1;").verify()
        #expect(twice.faults.count == 1)
        #expect(twice.faults[0].contains("two migrations are called '10'"))
        let broken = try await Self.project.with("V10__index.sql", "SELECT 1;\nCREATE INDEX;\n").verify()
        #expect(broken.faults.count == 1)
        #expect(broken.faults[0].hasPrefix("V10__index.sql:2: "), "\(broken.faults)")
    }

    @Test func aFileWithAHyphenIsNotAMigration() async throws {
        var project = Self.project.with("V11__no-such.sql", "SELECT * FROM nowhere;")
        let report = try await project.verify()
        report.expect(warnings: [.migrationFailed])
        #expect(report.steps == ["2", "10"])
        // Flyway would repeat it; refinery has no repeatable migrations.
        project.files["R__views.sql"] = "SELECT 1;"
        try await project.verify().expect(warnings: [.fileLeftOut, .migrationFailed])
    }

    // MARK: - Flyway's names

    /// A project without either tool's history.
    private var unknown: ToolProject {
        var project = pets(ToolProject.three)
        project.history = ""
        return project
    }

    @Test func theHistoryDecidesFirst() async throws {
        let marked = FlywayProject.project.with("../refinery.toml", "[main]\ndb_type = \"Sqlite\"\n")
        #expect(try await marked.verify().migrationFormat == "flyway")
        #expect(try await pets(ToolProject.three).verify().migrationFormat == "refinery")
    }

    @Test(arguments: [
        ("../refinery.toml", "[main]\ndb_type = \"Sqlite\"\n", "refinery"),
        ("../Cargo.toml", "[dependencies]\nrefinery = { version = \"0.8\" }\n", "refinery"),
        ("../Cargo.toml", "[dependencies]\nserde = \"1\"\n", "flyway"),
        ("V4__code.rs", "pub fn migration() -> String {}", "refinery"),
        ("R__view.sql", "CREATE VIEW v AS SELECT 1;", "flyway"),
        ("V3_1__x.sql", "CREATE VIEW v AS SELECT 1;", "flyway"),
        ("U3__last.sql", "DROP INDEX pet_on_person;", "flyway"),
    ]) func thenWhatStandsInTheFolder(_ file: String, _ text: String, _ format: String) async throws {
        #expect(try await unknown.with(file, text).verify().migrationFormat == format)
    }

    /// Flyway takes them for ways back without a way up.
    @Test func aFolderWithOnlyUnversionedMigrationsIsRefinerys() async throws {
        let project = ToolProject(
            files: ["U1__pets.sql": ToolProject.one, "U2__born.sql": ToolProject.two], history: "")
        #expect(try await project.verify().migrationFormat == "refinery")
    }

    /// In Flyway `U4` undoes a `V4`, in refinery it is the fourth migration.
    @Test func anUnversionedMigrationAmongOthersIsAmbiguous() async throws {
        let refusal = try await unknown.with("U4__view.sql", "CREATE VIEW v AS SELECT 1;").refusal()
        #expect(refusal.contains("as flyway (V1__description.sql in "))
        #expect(refusal.contains("as refinery (V1__name.sql in "))
        #expect(refusal.contains("--migration-format"))
    }
}
