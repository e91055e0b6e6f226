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

    @Test(arguments: names)
    func findingsOfAllReadingsAreReported(_ names: [String], _ formats: [String]) async throws {
        #expect(try await lint(folder(names, ToolProject.two)).hasPassed)
        let report = try await lint(folder(names, ToolProject.loss))
        #expect(report.findings.contains { $0.rule == .destructiveUndeclared && $0.severity == .error })
        #expect(report.migrationFormat == formats[0])
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
