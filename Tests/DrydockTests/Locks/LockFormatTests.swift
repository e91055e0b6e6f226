import Drydock
import Testing

/// Another tool's migrations: what it reads in comments counts, and what it keeps checksums of is told.
@Suite struct LockFormatTests {
    private func locked(_ files: [String: String], _ configure: (inout LockRequest) -> Void = { _ in })
        async throws
        -> TemporaryFolder
    {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write("Migrations/\(name)", text) }
        try await folder.lock {
            $0.snapshotsFolder = nil
            configure(&$0)
        }.expectNothing()
        try await check(folder, configure).expectNothing()
        return folder
    }

    private func check(
        _ folder: TemporaryFolder, _ configure: (inout LockRequest) -> Void = { _ in }
    ) async throws -> VerifyReport {
        try await folder.checkLock {
            $0.snapshotsFolder = nil
            configure(&$0)
        }
    }

    private static let two = "ALTER TABLE person ADD COLUMN born TEXT;\n"

    @Test func `sqlx keeps a checksum over comments`() async throws {
        let folder = try await locked(
            ["0001_people.sql": ToolProject.one, "0002_born.sql": Self.two]) { $0.migrationFormat = "sqlx" }
        try folder.edit("Migrations/0002_born.sql") { "-- why\n" + $0 }
        let report = try await check(folder)
        report.expect(warnings: [.migrationEdited])
        let message = try report.finding(.migrationEdited).message
        #expect(message.contains("comments, white space or line endings alone") && message.contains("sqlx"))
        try folder.edit("Migrations/0002_born.sql") { $0.replacing("born", with: "birth") }
        try await check(folder).expect(errors: [.migrationEdited])
    }

    @Test func `Prisma keeps one as well`() async throws {
        let folder = try await locked([
            "migration_lock.toml": "provider = \"sqlite\"\n",
            "20240101000000_a/migration.sql": ToolProject.one,
        ])
        try folder.edit("Migrations/20240101000000_a/migration.sql") { $0 + "\n" }
        try await check(folder).expect(warnings: [.migrationEdited])
    }

    @Test func `Flyway's does not cover line endings, and repeatable files may change`() async throws {
        let folder = try await locked([
            "V1__people.sql": ToolProject.one, "V2__born.sql": Self.two,
            "R__view.sql": "CREATE VIEW IF NOT EXISTS v AS SELECT 1;",
        ])
        try folder.edit("Migrations/V1__people.sql") { $0.replacing("\n", with: "\r\n") }
        try folder.write("Migrations/R__view.sql", "DROP VIEW v;")
        try folder.write("Migrations/R__more.sql", "SELECT 1;")
        try await check(folder).expectNothing()
        try folder.edit("Migrations/V1__people.sql") { $0 + "-- a comment" }
        try await check(folder).expect(warnings: [.migrationEdited])
        try folder.write("Migrations/V1.5__late.sql", "SELECT 1;")
        try await check(folder).expect(errors: [.migrationOutOfOrder], warnings: [.migrationEdited])
    }

    @Test func `refinery's too, and it runs unversioned files late`() async throws {
        let folder = try await locked(["V1__people.sql": ToolProject.one, "V3__born.sql": Self.two]) {
            $0.migrationFormat = "refinery"
        }
        try folder.write("Migrations/U2__late.sql", "SELECT 1;")
        try await check(folder).expect(warnings: [.migrationOutOfOrder])
        try folder.edit("Migrations/V1__people.sql") { "-- why\n" + $0 }
        let report = try await check(folder)
        report.expect(warnings: [.migrationEdited, .migrationOutOfOrder])
        #expect(try report.finding(.migrationEdited).message.hasSuffix("and refuses it where it is applied"))
        try folder.write("Migrations/V2__later.sql", "SELECT 1;")
        try folder.remove("Migrations/U2__late.sql")
        try await check(folder).expect(errors: [.migrationOutOfOrder], warnings: [.migrationEdited])
    }

    @Test func `Drizzle keeps one and never looks at it again`() async throws {
        let folder = try await locked([
            "0000_a.sql": ToolProject.one.replacing("\nCREATE", with: "\n--> statement-breakpoint\nCREATE"),
            "meta/_journal.json": #"{"entries": [{"idx": 0, "when": 1700000000000, "tag": "0000_a"}]}"#,
        ])
        try folder.edit("Migrations/0000_a.sql") { "-- why\n" + $0 }
        try await check(folder).expectNothing()
    }

    @Test func `goose's annotations are no comments`() async throws {
        let text = "-- +goose Up\n\(Self.two)-- +goose Down\nALTER TABLE person DROP COLUMN born;\n"
        let folder = try await locked(["1_a.sql": "-- +goose Up\n" + ToolProject.one, "2_b.sql": text])
        try folder.write(
            "Migrations/2_b.sql", "-- +goose Up\n-- why\n" + text.dropFirst("-- +goose Up\n".count))
        try await check(folder).expectNothing()
        try folder.write("Migrations/2_b.sql", "-- +goose NO TRANSACTION\n" + text)
        try await check(folder).expect(errors: [.migrationEdited])
        try folder.write("Migrations/2_b.sql", text.replacing("-- +goose Down\n", with: ""))
        try await check(folder).expect(errors: [.migrationEdited])
    }

    @Test func `what is put in for a placeholder does not count`() async throws {
        let sql = "CREATE TABLE ${prefix}_a(x DEFAULT '%V%');\nCREATE TABLE ${prefix}_b(x);\n"
        let folder = try await locked(["v1.sql": sql]) {
            $0.format.placeholders = ["prefix": "app", "%V%": "1"]
        }
        let other = try await check(folder) { $0.format.placeholders = ["prefix": "web", "%V%": "2; 3"] }
        other.expectNothing()
        try folder.edit("Migrations/v1.sql") { $0.replacing("${prefix}_b", with: "app_b") }
        try await check(folder) { $0.format.placeholders = ["prefix": "app", "%V%": "1"] }.expect(
            errors: [.migrationEdited])
    }

    @Test func `the lock knows the format without a snapshot's history`() async throws {
        let folder = try await locked(
            ["0001_people.sql": ToolProject.one, "0002_born.sql": Self.two]) { $0.migrationFormat = "d1" }
        #expect(try Lock.load(folder.file("drydock.lock"))?.format == "d1")
        let refusal = try await folder.lockRefusal {
            $0.snapshotsFolder = nil
            $0.migrationFormat = "sqlx"
        }
        #expect(refusal.contains("was made of d1 migrations, not of sqlx"))
    }

    @Test func `Room's versions are known by their own hash`() async throws {
        func schema(_ hash: String) -> String {
            #"{"formatVersion": 1, "database": {"version": 1, "identityHash": "\#(hash)", "entities": []}}"#
        }
        let folder = try await locked(["1.json": schema("aa")])
        try folder.edit("Migrations/1.json") { $0 + "\n" }
        try await check(folder).expectNothing()
        try folder.write("Migrations/1.json", schema("bb"))
        try await check(folder).expect(errors: [.migrationEdited])
    }

    @Test func `a tool's own checksum in a snapshot is not said twice`() async throws {
        let folder = try SqlxFormatTests.project.write()
        try await folder.lock().expectNothing()
        try folder.edit("Migrations/0001_people.sql") { "-- why\n" + $0 }
        let report = try await folder.verify { $0.lock = folder.file("drydock.lock") }
        report.expect(errors: [.migrationEdited])
    }
}
