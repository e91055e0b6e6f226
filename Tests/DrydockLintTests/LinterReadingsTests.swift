import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// A folder that may belong to several tools is linted as each of them would run it.
@Suite struct LinterReadingsTests {
    private static let rebuild = """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '');
        INSERT INTO new_person(id, name) SELECT id, name FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;

        """

    private func folder(_ names: [String], _ second: String = rebuild) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, text) in zip(names, [ToolProject.one, second]) {
            try folder.write("Migrations/\(name)", text)
            if name.hasSuffix(".up.sql") {
                try folder.write("Migrations/" + name.replacing(".up.", with: ".down."), "SELECT 1;")
            }
        }
        return folder
    }

    private func lint(
        _ folder: TemporaryFolder, _ configure: (inout LintRequest) -> Void = { _ in }
    ) async throws -> Report {
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        configure(&request)
        return try await Linter(engine: GRDBDriver()).run(request).report
    }

    static let names = [
        (["0001_people.sql", "0002_rebuild.sql"], ["drydock", "sqlx", "d1"]),
        (["1_people.up.sql", "2_rebuild.up.sql"], ["golang-migrate", "sqlx"]),
        (["V1__people.sql", "V2__rebuild.sql"], ["flyway", "refinery"]),
    ]

    @Test(arguments: names)
    func aCascadeUnderOnlyOneToolIsReportedAsItsOwn(_ names: [String], _ formats: [String]) async throws {
        let folder = try folder(names)
        let report = try await lint(folder)
        #expect(!report.hasPassed && report.migrationFormat == formats[0])
        #expect(Set(report.readings.flatMap(\.formats)).isSuperset(of: formats))
        let finding = try #require(report.findings.first { $0.rule == .dropParentCascades })
        #expect(finding.place?.file.hasSuffix(names[1]) == true && finding.place?.line == 3)
        #expect(finding.tags.contains(.reading(formats[1])) && !finding.tags.contains(.reading(formats[0])))
        #expect(finding.message.contains("runs them (foreign keys on"), "\(finding.message)")
        #expect(finding.help.contains("--migration-format") && finding.help.contains("drydock.yml"))
        let said = try await lint(folder) { $0.migrations.format = formats[1] }
        #expect(said.findings.contains { $0.rule == .dropParentCascades })
        #expect(said.readings.isEmpty)
        #expect(try await lint(folder) { $0.migrations.format = formats[0] }.hasPassed)
    }

    /// Each way has its name in what it finds.
    @Test func whatDoubleQuotesAreIsNamed() async throws {
        let text = "CREATE INDEX i ON person(\"nmae\");\n"
        let report = try await lint(try folder(["0001_people.sql", "0002_index.sql"], text))
        let found = report.findings.filter { !$0.tags.isEmpty && $0.severity > .note }
        #expect(
            found.contains {
                $0.tags.contains(.reading("sqlx"))
                    && $0.message.contains("double-quoted text that is not a column is a string")
            }, "\(found.map(\.line))")
    }

    /// Tables without foreign keys, so that it does not matter whether they are enforced.
    private static let plain = "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"

    /// What all find is said once, and in nobody's name.
    @Test(arguments: names)
    func whatAllReadingsFindIsSaidOnce(_ names: [String], _ formats: [String]) async throws {
        let report = try await lint(folder(names, ToolProject.loss))
        let losses = report.findings.filter { $0.rule == .destructiveUndeclared && $0.severity == .error }
        #expect(losses.count == 1 && losses[0].tags.isEmpty, "\(report.findings.map(\.line))")
        #expect(!losses[0].message.contains("runs them") && !losses[0].help.contains("--migration-format"))
        #expect(Set(report.readings.flatMap(\.formats)).isSuperset(of: formats))
    }

    @Test(arguments: names)
    func readingsDoNotDifferWhereThereAreNoForeignKeys(_ names: [String], _ formats: [String]) async throws {
        let folder = try folder(names, ToolProject.two)
        try folder.write("Migrations/\(names[0])", Self.plain)
        let plain = try await lint(folder)
        #expect(plain.hasPassed && plain.readings.isEmpty)
        try folder.write("Migrations/\(names[1])", "DELETE FROM person WHERE id = 2;\n")
        let report = try await lint(folder)
        #expect(report.findings.contains { $0.rule == .destructiveUndeclared && $0.severity == .error })
        #expect(report.migrationFormat == formats[0])
    }

    static let projects = [
        ("Cargo.toml", "[dependencies]\nsqlx = { version = \"0.8\" }\n", "sqlx"),
        ("Cargo.toml", "[target.'cfg(unix)'.dependencies.sqlx]\nversion = \"0.8\"\n", "sqlx"),
        ("Cargo.toml", "[dependencies]\n# sqlx = \"0.8\"\nserde = \"1\" # not sqlx\n", ""),
        ("wrangler.toml", "[[d1_databases]]\nbinding = \"DB\"\n", "d1"),
        ("wrangler.jsonc", "{ // D1\n \"d1_databases\": [] }\n", "d1"),
        ("wrangler.toml", "name = \"app\"\n", ""),
    ]

    /// A file of the project decides, in the folder of the migrations or in any above it up to the project's root.
    @Test(arguments: projects, ["Migrations/", "", "../"])
    func theProjectDecides(_ file: (String, String, String), _ place: String) async throws {
        let root = try folder(["0001_people.sql", "0002_rebuild.sql"])
        try root.write("work/.git/HEAD", "")
        try root.write("work/server/\(place)\(file.0)", file.1)
        try FileManager.default.moveItem(
            atPath: root.file("Migrations"), toPath: root.file("work/server/Moved"))
        if place == "Migrations/" {
            try FileManager.default.moveItem(
                atPath: root.file("work/server/Migrations/\(file.0)"),
                toPath: root.file("work/server/Moved/\(file.0)"))
        }
        // What is above the project's root is another project's.
        try root.write("Cargo.toml", "[dependencies]\nsqlx = \"0.8\"\n")
        var request = LintRequest()
        request.migrations.folder = root.file("work/server/Moved")
        let linter = Linter(engine: GRDBDriver())
        let report = try await linter.run(request).report
        #expect(report.readings.isEmpty == !file.2.isEmpty)
        if !file.2.isEmpty { #expect(report.migrationFormat == file.2) }
        #expect(report.findings.contains { $0.rule == .dropParentCascades })
    }

    @Test(arguments: [
        (
            ["1_people.up.sql", "2_rebuild.up.sql"], "go.mod",
            "require github.com/golang-migrate/migrate/v4 v4.17.0\n", "golang-migrate"
        ),
        (["1_people.up.sql", "2_rebuild.up.sql"], "Cargo.toml", "[dependencies]\nsqlx = \"0.8\"\n", "sqlx"),
        (["1_people.sql", "2_rebuild.sql", "seed.sql"], "Cargo.toml", "[dependencies.sqlx]\n", "sqlx"),
        (
            ["V1__people.sql", "V2__rebuild.sql"], "build.gradle.kts",
            "plugins { id(\"org.flywaydb.flyway\") }\n", "flyway"
        ),
        (
            ["V1__people.sql", "V2__rebuild.sql"], "pom.xml", "<artifactId>flyway-core</artifactId>\n",
            "flyway"
        ),
        (
            ["V1__people.sql", "V2__rebuild.sql"], "Cargo.toml", "[dependencies]\nrefinery = \"0.8\"\n",
            "refinery"
        ),
    ]) func toolsOfProjectsAreRecognised(_ names: [String], _ file: String, _ text: String, _ format: String)
        async throws
    {
        let folder = try folder(names)
        if names.count > 2 { try folder.write("Migrations/\(names[2])", "SELECT 1;\n") }
        try folder.write(file, text)
        #expect(try await lint(folder).migrationFormat == format)
        // A name on the command line is stronger.
        #expect(try await lint(folder) { $0.migrations.format = "drydock" }.migrationFormat == "drydock")
    }

    /// What a tool writes into the folder is stronger than what a project depends on.
    @Test func marksInTheFolderAreStronger() async throws {
        let folder = try folder(["1_people.sql", "2_rebuild.sql"])
        try folder.write("Migrations/1_people.sql", "-- +goose Up\n" + ToolProject.one)
        try folder.write("Migrations/2_rebuild.sql", "-- +goose Up\n" + ToolProject.two)
        try folder.write("Cargo.toml", "[dependencies]\nsqlx = \"0.8\"\n")
        #expect(try await lint(folder).migrationFormat == "goose")
    }

    /// Two tools in the same file leave the question open.
    @Test func twoToolsOfAProjectAreAmbiguous() async throws {
        let folder = try folder(["0001_people.sql", "0002_rebuild.sql"])
        try folder.write("wrangler.toml", "[[d1_databases]]\n")
        try folder.write("Cargo.toml", "[dependencies]\nsqlx = \"0.8\"\n")
        // Both enforce foreign keys, so that they run alike.
        #expect(try await lint(folder).findings.contains { $0.rule == .dropParentCascades })
    }

    @Test func aLockDecides() async throws {
        let folder = try folder(["0001_people.sql", "0002_rebuild.sql"], ToolProject.two)
        var request = LockRequest()
        request.migrations.folder = folder.file("Migrations")
        request.path = folder.file("drydock.lock")
        request.snapshotsFolder = nil
        request.migrations.format = "sqlx"
        #expect(try await Locker(engine: GRDBDriver()).run(request).hasPassed)
        try PlainDatabase(folder.file("plain.sqlite")).execute("CREATE TABLE t(a)")
        let verified = try Tool(folder: folder).run(
            "verify", "plain.sqlite", "--no-cache", "--format", "json")
        #expect(verified.output.contains("\"migrationFormat\" : \"sqlx\""), "\(verified)")
    }

    @Test func aSnapshotShowsTheFormatOfTheFolder() async throws {
        let folder = try folder(["0001_people.sql", "0002_rebuild.sql"])
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/first.sqlite")).execute(
            ToolProject.one + SqlxProject.history())
        let report = try await lint(folder) { $0.snapshotsFolder = folder.file("Snapshots") }
        #expect(report.migrationFormat == "sqlx")
        #expect(report.findings.contains { $0.rule == .dropParentCascades })
    }

    /// Every folder of SQL may be Drydock's own: a file more does not make it so.
    @Test(
        arguments: [
            ["20240101000000_people.sql", "20240102000000_rebuild.sql"], ["1_people.sql", "2_rebuild.sql"],
        ], ["seed.sql", "zz.sql", "begin.sql"])
    func aFileMoreDoesNotSettleWhoseTheFolderIs(_ names: [String], _ more: String) async throws {
        let folder = try folder(names)
        try folder.write("Migrations/\(more)", "CREATE TABLE more(a);\n")
        let report = try await lint(folder)
        #expect(Set(report.readings.flatMap(\.formats)).isSuperset(of: ["drydock", "sqlx"]))
        let finding = try #require(report.findings.first { $0.rule == .dropParentCascades })
        #expect(finding.place?.file.hasSuffix(names[1]) == true && finding.tags.contains(.reading("sqlx")))
        // What stands in a file that sqlx would ignore is not its own.
        #expect(
            !report.findings.contains { $0.place?.file.hasSuffix(more) == true && !$0.tags.isEmpty },
            "\(report.findings.map(\.line))")
        #expect(try await lint(folder) { $0.migrations.format = "drydock" }.hasPassed)
    }

    /// What differs between the readings must matter, in a file that both run.
    @Test func aFileMoreIsNoDoubtWhereNothingDiffers() async throws {
        let names = ["20240101000000_people.sql", "20240102000000_second.sql"]
        let folder = try folder(names, ToolProject.two)
        try folder.write("Migrations/seed.sql", Self.rebuild)
        try folder.write("Migrations/20240101000000_people.sql", Self.plain)
        #expect(try await lint(folder).migrationFormat == "drydock")
        let first = try self.folder(["schema.sql", "20240102000000_born.sql"], ToolProject.two)
        #expect(try await lint(first).migrationFormat == "drydock")
        // A history decides.
        let decided = try self.folder(names)
        try decided.write("Migrations/seed.sql", "CREATE TABLE more(a);\n")
        try FileManager.default.createDirectory(
            atPath: decided.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(decided.file("Snapshots/first.sqlite")).execute(
            ToolProject.one
                + "CREATE TABLE grdb_migrations(identifier TEXT PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('20240101000000_people');"
        )
        let report = try await lint(decided) { $0.snapshotsFolder = decided.file("Snapshots") }
        #expect(report.migrationFormat == "drydock")
    }

    /// A lock is relied on from then on, so it is not made of one reading of two.
    @Test func aLockIsRefusedWhereReadingsDiffer() async throws {
        let folder = try folder(["0001_people.sql", "0002_rebuild.sql"])
        var request = LockRequest()
        request.migrations.folder = folder.file("Migrations")
        request.path = folder.file("drydock.lock")
        request.snapshotsFolder = nil
        await #expect(throws: RequestError.self) { try await Locker(engine: GRDBDriver()).run(request) }
        request.migrations.format = "sqlx"
        #expect(try await Locker(engine: GRDBDriver()).run(request).hasPassed)
    }
}
