import Drydock
import Foundation
import GRDBEngine
import Testing

/// A folder that may belong to several tools: no reading is used that reports less than another.
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
        request.migrationsFolder = folder.file("Migrations")
        configure(&request)
        return try await Linter(engine: GRDBDriver()).run(request).report
    }

    private func refusal(_ folder: TemporaryFolder) async throws -> String {
        do {
            let report = try await lint(folder)
            Issue.record("it was read as \(report.migrationFormat ?? ""): \(report.findings.map(\.line))")
            return ""
        } catch let error as RequestError {
            return error.description
        }
    }

    static let names = [
        (["0001_people.sql", "0002_rebuild.sql"], ["drydock", "sqlx", "d1"]),
        (["1_people.up.sql", "2_rebuild.up.sql"], ["golang-migrate", "sqlx"]),
        (["V1__people.sql", "V2__rebuild.sql"], ["flyway", "refinery"]),
    ]

    @Test(arguments: names)
    func aCascadeUnderOnlyOneToolIsReported(_ names: [String], _ formats: [String]) async throws {
        let folder = try folder(names)
        let refusal = try await refusal(folder)
        for format in formats { #expect(refusal.contains("as \(format) ("), Comment(rawValue: refusal)) }
        #expect(refusal.contains("--migration-format") && refusal.contains("drop-parent-cascades"))
        #expect(refusal.contains("\(names[1]):3"))
        let said = try await lint(folder) { $0.migrationFormat = formats[1] }
        #expect(said.findings.contains { $0.rule == .dropParentCascades })
        #expect(try await lint(folder) { $0.migrationFormat = formats[0] }.hasPassed)
    }

    /// The named difference is the one that causes the finding.
    @Test func theDifferenceThatMattersIsNamed() async throws {
        let text = "CREATE INDEX i ON person(\"nmae\");\n"
        let refusal = try await refusal(try folder(["0001_people.sql", "0002_index.sql"], text))
        #expect(
            refusal.contains(
                "drydock: double-quoted text that names nothing is an error; sqlx: double-quoted text that names nothing is a string"
            ), Comment(rawValue: refusal))
        #expect(!refusal.contains("foreign keys"), Comment(rawValue: refusal))
        let cascade = try await self.refusal(try folder(["0001_people.sql", "0002_rebuild.sql"]))
        #expect(
            cascade.contains("foreign keys on") && !cascade.contains("double-quoted"),
            Comment(rawValue: cascade))
    }

    /// Tables without foreign keys, so that it does not matter whether they are enforced.
    private static let plain = "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"

    /// What lint does not see must not depend on a guess either.
    @Test(arguments: names)
    func readingsThatDifferInForeignKeysAreRefused(_ names: [String], _ formats: [String]) async throws {
        for second in [ToolProject.two, ToolProject.loss] {
            let refusal = try await refusal(folder(names, second))
            for format in formats { #expect(refusal.contains("as \(format) ("), Comment(rawValue: refusal)) }
            #expect(refusal.contains("--migration-format") && refusal.contains("foreign keys on"))
            #expect(
                try await lint(folder(names, second)) { $0.migrationFormat = formats[1] }.migrationFormat
                    == formats[1])
        }
    }

    @Test(arguments: names)
    func readingsDoNotDifferWhereThereAreNoForeignKeys(_ names: [String], _ formats: [String]) async throws {
        let folder = try folder(names, ToolProject.two)
        try folder.write("Migrations/\(names[0])", Self.plain)
        #expect(try await lint(folder).hasPassed)
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
        request.migrationsFolder = root.file("work/server/Moved")
        let linter = Linter(engine: GRDBDriver())
        if file.2.isEmpty {
            await #expect(throws: RequestError.self) { try await linter.run(request) }
        } else {
            let report = try await linter.run(request).report
            #expect(report.migrationFormat == file.2)
            #expect(report.findings.contains { $0.rule == .dropParentCascades })
        }
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
        #expect(try await lint(folder) { $0.migrationFormat = "drydock" }.migrationFormat == "drydock")
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
        request.migrationsFolder = folder.file("Migrations")
        request.path = folder.file("drydock.lock")
        request.snapshotsFolder = nil
        request.migrationFormat = "sqlx"
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
            ToolProject.one + SqlxFormatTests.history())
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
        let refusal = try await refusal(folder)
        for format in ["drydock", "sqlx"] {
            #expect(refusal.contains("as \(format) ("), Comment(rawValue: refusal))
        }
        #expect(refusal.contains("drop-parent-cascades") && refusal.contains("\(names[1]):3"))
        #expect(refusal.contains("foreign keys on") && !refusal.contains("user-version"))
        #expect(try await lint(folder) { $0.migrationFormat = "drydock" }.hasPassed)
        try PlainDatabase(folder.file("plain.sqlite")).execute("CREATE TABLE t(a)")
        let verified = try Tool(folder: folder).run("verify", "plain.sqlite", "--no-cache")
        #expect(verified.status == 2 && verified.errors.contains("as sqlx ("), "\(verified.errors)")
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
        request.migrationsFolder = folder.file("Migrations")
        request.path = folder.file("drydock.lock")
        request.snapshotsFolder = nil
        await #expect(throws: RequestError.self) { try await Locker(engine: GRDBDriver()).run(request) }
        request.migrationFormat = "sqlx"
        #expect(try await Locker(engine: GRDBDriver()).run(request).hasPassed)
    }
}
