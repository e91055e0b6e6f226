import Drydock
import Testing

@testable import DrydockTestSupport

/// Checks locks of other tools' migrations: what a tool reads in comments counts, and what it has checksums of is
/// reported.
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
    ) async throws -> Report {
        try await folder.checkLock {
            $0.snapshotsFolder = nil
            configure(&$0)
        }
    }

    private static let two = "ALTER TABLE person ADD COLUMN born TEXT;\n"

    @Test func `sqlx has a checksum that covers comments`() async throws {
        let folder = try await locked(
            ["0001_people.sql": ToolProject.one, "0002_born.sql": Self.two]) { $0.migrations.format = "sqlx" }
        try folder.edit("Migrations/0002_born.sql") { "-- why\n" + $0 }
        let report = try await check(folder)
        report.expect(warnings: [.migrationEdited])
        let message = try report.finding(.migrationEdited).message
        #expect(message.contains("only in comments, white space or line endings") && message.contains("sqlx"))
        try folder.edit("Migrations/0002_born.sql") { $0.replacing("born", with: "birth") }
        try await check(folder).expect(errors: [.migrationEdited])
    }

    @Test func `Prisma has a checksum that covers line breaks`() async throws {
        let folder = try await locked([
            "migration_lock.toml": "provider = \"sqlite\"\n",
            "20240101000000_a/migration.sql": ToolProject.one,
        ])
        try folder.edit("Migrations/20240101000000_a/migration.sql") { $0 + "\n" }
        try await check(folder).expect(warnings: [.migrationEdited])
    }

    @Test func `Flyway's checksum ignores line endings, and repeatable files may change`() async throws {
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

    @Test func `refinery's checksum covers comments, and unversioned files run late`() async throws {
        let folder = try await locked(["V1__people.sql": ToolProject.one, "V3__born.sql": Self.two]) {
            $0.migrations.format = "refinery"
        }
        try folder.write("Migrations/U2__late.sql", "SELECT 1;")
        try await check(folder).expect(warnings: [.migrationOutOfOrder])
        try folder.edit("Migrations/V1__people.sql") { "-- why\n" + $0 }
        let report = try await check(folder)
        report.expect(warnings: [.migrationEdited, .migrationOutOfOrder])
        #expect(
            try report.finding(.migrationEdited).message.hasSuffix(
                "and refuses it on databases that applied it"))
        try folder.write("Migrations/V2__later.sql", "SELECT 1;")
        try folder.remove("Migrations/U2__late.sql")
        try await check(folder).expect(errors: [.migrationOutOfOrder], warnings: [.migrationEdited])
    }

    @Test func `Drizzle never checks its checksum again`() async throws {
        let folder = try await locked([
            "0000_a.sql": ToolProject.one.replacing("\nCREATE", with: "\n--> statement-breakpoint\nCREATE"),
            "meta/_journal.json": #"{"entries": [{"idx": 0, "when": 1700000000000, "tag": "0000_a"}]}"#,
        ])
        try folder.edit("Migrations/0000_a.sql") { "-- why\n" + $0 }
        try await check(folder).expectNothing()
    }

    @Test func `goose's annotations are not ordinary comments`() async throws {
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

    private static let annotated = """
        -- +goose Up
        ALTER TABLE person ADD COLUMN born TEXT;
        -- +goose Down
        ALTER TABLE person DROP COLUMN born;

        """

    @Test(
        arguments: [
            Edit("its SQL has changed, not only") { $0.replacing("TEXT", with: "INTEGER") },
            Edit("the SQL of its way back has changed") { $0.replacing("COLUMN born;", with: "COLUMN id;") },
            Edit("which is gone") { String($0.prefix(while: { $0 != ";" })) + ";\n" },
            Edit("but not what goose reads beside it, in comments") { "-- +goose NO TRANSACTION\n" + $0 },
            Edit("the SQL of its way back has changed") {
                "-- +goose NO TRANSACTION\n" + $0.replacing("COLUMN born;", with: "COLUMN id;")
            },
        ]) func `a finding says which part of a file with a way back has changed`(_ edit: Edit) async throws
    {
        let folder = try await locked([
            "1_a.sql": "-- +goose Up\n" + ToolProject.one, "2_b.sql": Self.annotated,
        ])
        try folder.edit("Migrations/2_b.sql", edit.change)
        let report = try await check(folder)
        report.expect(errors: [.migrationEdited])
        let message = try report.finding(.migrationEdited).message
        #expect(message.contains(edit.testDescription), "\(message)")
    }

    @Test func `a way back added to a locked file, and one that an older lock did not record`()
        async throws
    {
        let parts = Self.annotated.split(separator: "-- +goose Down")
        let folder = try await locked([
            "1_a.sql": "-- +goose Up\n" + ToolProject.one, "2_b.sql": String(parts[0]),
        ])
        try folder.write("Migrations/2_b.sql", Self.annotated)
        let added = try await check(folder).finding(.migrationEdited).message
        #expect(added.hasSuffix("it had no way back then, and has one"), "\(added)")
        try await folder.lock("2") { $0.snapshotsFolder = nil }.expectNothing()
        try folder.edit("drydock.lock") {
            $0.replacing(#/ up=\w+/#, with: "").replacing(#/ #[0-9a-f]{8}/#, with: "")
        }
        try await check(folder).expectNothing()
        try folder.write("Migrations/2_b.sql", "-- +goose NO TRANSACTION\n" + Self.annotated)
        let transaction = try await check(folder).finding(.migrationEdited).message
        #expect(transaction.contains("its SQL is the same"), "\(transaction)")
        try folder.write(
            "Migrations/2_b.sql", Self.annotated.replacing("DROP COLUMN born", with: "DROP COLUMN id"))
        let either = try await check(folder).finding(.migrationEdited).message
        #expect(either.hasSuffix("its SQL or that of its way back has changed"), "\(either)")
    }

    @Test(arguments: [
        Mark("diesel", "2024-01-01-000000_a/metadata.toml", ["2024-01-01-000000_a/up.sql": ToolProject.one]) {
            _ in "run_in_transaction = false\n"
        },
        Mark("flyway", "V1__a.sql.conf", ["V1__a.sql": ToolProject.one]) {
            _ in "executeInTransaction=false\n"
        },
    ]) func `a separate file that a tool reads is named`(_ mark: Mark) async throws {
        let folder = try await locked(mark.files) { $0.migrations.format = mark.format }
        let name = try #require(try Lock.load(folder.file("drydock.lock"))?.migrations.first?.identifier)
        try folder.write("Migrations/" + mark.file, mark.change(""))
        let report = try await check(folder)
        report.expect(errors: [.migrationEdited])
        let finding = try report.finding(.migrationEdited)
        let fact = "its SQL is the same, but not what \(mark.format) reads beside it, in \(mark.file)"
        #expect(finding.message.hasSuffix(fact), "\(finding.message)")
        #expect(finding.place?.file == folder.file("Migrations/" + mark.file))
        try await folder.lock(name) { $0.snapshotsFolder = nil }.expectNothing()
        try await check(folder).expectNothing()
        try folder.remove("Migrations/" + mark.file)
        let gone = try await check(folder).finding(.migrationEdited)
        #expect(gone.message.hasSuffix(fact + ", which is gone"), "\(gone.message)")
        #expect(gone.place?.file == folder.file("Migrations/" + (mark.files.keys.first ?? "")))
    }

    @Test(arguments: [
        Way("drydock", ["v1.sql": ToolProject.one], down: "v1.down.sql"),
        Way("golang-migrate", ["1_a.up.sql": ToolProject.one], down: "1_a.down.sql"),
        Way("sqlx", ["1_a.up.sql": ToolProject.one], down: "1_a.down.sql"),
        Way("diesel", ["2024-01-01-000000_a/up.sql": ToolProject.one], down: "2024-01-01-000000_a/down.sql"),
        Way("flyway", ["V1__a.sql": ToolProject.one], down: "U1__a.sql"),
    ]) func `a way back in a separate file is locked too`(_ way: Way) async throws {
        let path = "Migrations/" + way.down
        let text = "DROP TABLE pet;\nDROP TABLE person;\n"
        let files = way.files.merging([way.down: text]) { old, _ in old }
        let folder = try await locked(files) { $0.migrations.format = way.format }
        try folder.write(path, "-- why\n" + text)
        try await check(folder).expectNothing()
        try folder.write(path, "DROP TABLE pet;")
        let edited = try await check(folder)
        edited.expect(errors: [.migrationEdited])
        let finding = try edited.finding(.migrationEdited)
        #expect(finding.message.hasSuffix("differs from what is locked: the SQL of its way back has changed"))
        #expect(finding.place?.file == folder.file(path))
        let lock = try folder.text("drydock.lock")
        try await folder.lock(way.down) { $0.snapshotsFolder = nil }.expectNothing()
        #expect(try folder.text("drydock.lock") != lock)
        try await check(folder).expectNothing()
        try folder.remove(path)
        let gone = try await check(folder)
        gone.expect(errors: [.migrationEdited])
        #expect(try gone.finding(.migrationEdited).message.hasSuffix("which is gone or cannot be read"))
    }

    @Test func `a way back that is written later is allowed, and recorded`() async throws {
        let drydock = { (request: inout LockRequest) in request.migrations.format = "drydock" }
        let folder = try await locked(["v1.sql": ToolProject.one], drydock)
        try folder.write("Migrations/v1.down.sql", "DROP TABLE pet;")
        let report = try await check(folder, drydock)
        report.expectNothing()
        #expect(report.lock?.unlocked == ["v1.down.sql"])
        let locked = try await folder.lock {
            $0.snapshotsFolder = nil
            drydock(&$0)
        }
        locked.expectNothing()
        #expect(locked.lock?.added == ["v1.down.sql"] && locked.lock?.unlocked == [])
        #expect(try await check(folder, drydock).lock?.unlocked == [])
        try folder.write("Migrations/v1.down.sql", "DROP TABLE person;")
        try await check(folder, drydock).expect(errors: [.migrationEdited])
    }

    private static let goose = """
        -- +goose Up
        CREATE TABLE a(x DEFAULT '$A'); CREATE TABLE b(x);
        -- +goose Down
        DROP TABLE a;

        """
    private static let dbmate = "-- migrate:up\nCREATE TABLE a(x);\n-- migrate:down\nDROP TABLE a;\n"
    private static let journal = #"{"entries": [{"idx": 0, "when": 1700000000000, "tag": "1_a"}]}"#
    private static let drizzle = [
        "1_a.sql": "CREATE TABLE a(x);\n--> statement-breakpoint\nCREATE TABLE b(x);\n",
        "meta/_journal.json": journal,
    ]

    @Test(arguments: [
        Mark("goose", "1_a.sql", goose) {
            $0.replacing("CREATE TABLE a", with: "-- +goose StatementBegin\nCREATE TABLE a")
                .replacing("-- +goose Down", with: "-- +goose StatementEnd\n-- +goose Down")
        },
        Mark("goose", "1_a.sql", goose) { $0.replacing("Up\n", with: "Up\n-- +goose ENVSUB ON\n") },
        Mark("dbmate", "1_a.sql", dbmate) { $0.replacing(":up", with: ":up transaction:false") },
        Mark("dbmate", "1_a.sql", dbmate) { $0.replacing(":down", with: ":down transaction:false") },
        Mark("sqlx", "1_a.sql", "CREATE TABLE a(x);\n") { "-- no-transaction\n" + $0 },
        Mark("drizzle", "1_a.sql", drizzle) { $0.replacing("--> statement-breakpoint\n", with: "") },
        Mark("drizzle", "meta/_journal.json", drizzle) {
            $0.replacing("1700000000000", with: "1700000000001")
        },
        Mark("drydock", "1_a.sql", "CREATE TABLE a(x);\n") { "-- drydock: foreign-keys immediate\n" + $0 },
    ]) func `what a tool reads in comments or a list is locked too`(_ mark: Mark) async throws {
        let folder = try await locked(mark.files) { $0.migrations.format = mark.format }
        let before = try folder.text("Migrations/" + mark.file)
        try folder.write("Migrations/" + mark.file, mark.change(before))
        let report = try await check(folder)
        report.expect(errors: [.migrationEdited])
        let message = try report.finding(.migrationEdited).message
        let place = mark.file.hasSuffix(".json") ? mark.file : "comments or in a list of its own"
        #expect(
            message.hasSuffix("its SQL is the same, but not what \(mark.format) reads beside it, in \(place)")
        )
        // The change is found in both directions.
        let name = try #require(try Lock.load(folder.file("drydock.lock"))?.migrations.first?.identifier)
        try await folder.lock(name) { $0.snapshotsFolder = nil }.expectNothing()
        try await check(folder).expectNothing()
        try folder.write("Migrations/" + mark.file, before)
        try await check(folder).expect(errors: [.migrationEdited])
    }

    @Test func `an older lock without marks is checked for what it has`() async throws {
        var files = Self.drizzle
        files["meta/_journal.json"] = Self.journal
        let folder = try await locked(files)
        try folder.edit("drydock.lock") {
            $0.replacing(#/ marks=\w+/#, with: "").replacing(#/ #[0-9a-f]{8}/#, with: "").replacing(
                "version 2", with: "version 1")
        }
        let text = try folder.text("drydock.lock")
        try await check(folder).expectNothing()
        try folder.edit("Migrations/meta/_journal.json") { $0.replacing("1700000000000", with: "17") }
        try folder.edit("Migrations/1_a.sql") { $0.replacing("--> statement-breakpoint\n", with: "") }
        try await check(folder).expectNothing()
        try await folder.lock { $0.snapshotsFolder = nil }.expectNothing()
        #expect(try folder.text("drydock.lock") == text)
        try await folder.lock("1_a") { $0.snapshotsFolder = nil }.expectNothing()
        #expect(try folder.text("drydock.lock").contains(" marks="))
        try folder.edit("Migrations/1_a.sql") { $0.replacing("(x)", with: "(y)") }
        try await check(folder).expect(errors: [.migrationEdited])
    }

    @Test func `the order of Drizzle's journal counts`() async throws {
        func journal(_ entries: (String, Int)...) -> String {
            let list = entries.map { "{\"tag\": \"\($0.0)\", \"when\": \($0.1)}" }
            return "{\"entries\": [\(list.joined(separator: ", "))]}"
        }
        let folder = try await locked([
            "0_a.sql": "CREATE TABLE a(x);", "1_b.sql": "CREATE TABLE b(x);",
            "meta/_journal.json": journal(("0_a", 1), ("1_b", 2)),
        ])
        try folder.write("Migrations/meta/_journal.json", journal(("1_b", 2), ("0_a", 1)))
        try await check(folder).expect(errors: [.migrationOutOfOrder])
        // A migration that is not later than the applied ones never runs, wherever it is in the list.
        try folder.write("Migrations/2_c.sql", "CREATE TABLE c(x);")
        try folder.write("Migrations/meta/_journal.json", journal(("0_a", 1), ("1_b", 2), ("2_c", 2)))
        let report = try await check(folder)
        report.expect(errors: [.migrationOutOfOrder])
        #expect(
            try report.finding(.migrationOutOfOrder).message
                == "2_c is new and sorts before 1_b, which is locked")
    }

    @Test func `a folder in another format than the lock's is refused`() async throws {
        let folder = try await locked(["1_a.sql": ToolProject.one, "2_b.sql": Self.two]) {
            $0.migrations.format = "drydock"
        }
        for name in ["goose", "sqlx", "prisma", "gose"] {
            try folder.edit("drydock.lock") { $0.replacing(/format=.*/, with: "format=" + name) }
            let refusal = try await folder.lockRefusal { $0.snapshotsFolder = nil }
            #expect(
                refusal.contains("drydock.lock:3: the lock says format=\(name), and the migrations in "),
                "\(refusal)")
            #expect(refusal.contains("correct the line"))
        }
    }

    @Test func `the value of a placeholder does not count`() async throws {
        let sql = "CREATE TABLE ${prefix}_a(x DEFAULT '%V%');\nCREATE TABLE ${prefix}_b(x);\n"
        let folder = try await locked(["v1.sql": sql]) {
            $0.migrations.options.placeholders = ["prefix": "app", "%V%": "1"]
        }
        let other = try await check(folder) {
            $0.migrations.options.placeholders = ["prefix": "web", "%V%": "2; 3"]
        }
        other.expectNothing()
        try folder.edit("Migrations/v1.sql") { $0.replacing("${prefix}_b", with: "app_b") }
        try await check(folder) { $0.migrations.options.placeholders = ["prefix": "app", "%V%": "1"] }.expect(
            errors: [.migrationEdited])
    }

    @Test func `the lock knows the format without a snapshot's history`() async throws {
        let folder = try await locked(
            ["0001_people.sql": ToolProject.one, "0002_born.sql": Self.two]) { $0.migrations.format = "d1" }
        #expect(try Lock.load(folder.file("drydock.lock"))?.format == "d1")
        let refusal = try await folder.lockRefusal {
            $0.snapshotsFolder = nil
            $0.migrations.format = "sqlx"
        }
        #expect(refusal.contains("was made from d1 migrations, not from sqlx"))
    }

    @Test func `Room's versions are identified by their own hash`() async throws {
        func schema(_ hash: String) -> String {
            #"{"formatVersion": 1, "database": {"version": 1, "identityHash": "\#(hash)", "entities": []}}"#
        }
        let folder = try await locked(["1.json": schema("aa")])
        try folder.edit("Migrations/1.json") { $0 + "\n" }
        try await check(folder).expectNothing()
        try folder.write("Migrations/1.json", schema("bb"))
        try await check(folder).expect(errors: [.migrationEdited])
    }

    @Test func `a tool's own checksum in a snapshot is not reported twice`() async throws {
        let folder = try SqlxProject.project.write()
        try await folder.lock().expectNothing()
        try folder.edit("Migrations/0001_people.sql") { "-- why\n" + $0 }
        let report = try await folder.verify { $0.lock = folder.file("drydock.lock") }
        report.expect(errors: [.migrationEdited])
    }
}

/// A migration whose way back is a separate file.
struct Way: Sendable, CustomTestStringConvertible {
    var format: String
    var files: [String: String]
    var down: String

    init(_ format: String, _ files: [String: String], down: String) {
        self.format = format
        self.files = files
        self.down = down
    }

    var testDescription: String { format }
}

/// A change that SQLite does not see.
struct Mark: Sendable, CustomTestStringConvertible {
    var format: String
    var file: String
    var files: [String: String]
    var change: @Sendable (String) -> String

    init(
        _ format: String, _ file: String, _ files: [String: String],
        _ change: @escaping @Sendable (String) -> String
    ) {
        self.format = format
        self.file = file
        self.files = files
        self.change = change
    }

    init(_ format: String, _ file: String, _ text: String, _ change: @escaping @Sendable (String) -> String) {
        self.init(format, file, [file: text], change)
    }

    var testDescription: String { format }
}
