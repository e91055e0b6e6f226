import Drydock
import Foundation
import GRDBEngine
import Testing
import TestTools

@testable import DrydockTestSupport

/// Checks that a rehearsal writes nothing, and that what is applied is what was rehearsed, without losses.
@Suite struct MigrateTests {
    @Test(arguments: ["delete", "wal", "truncate", "persist"])
    func `a rehearsal writes nothing and says what it costs`(journal: String) async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = \(journal)")
        let before = try project.folder.contents()
        let report = try await project.migrate(.rehearsal)
        report.expectNothing()
        #expect(try project.folder.contents() == before)
        let summary = try #require(report.migrate)
        #expect(summary.outcome == .rehearsed && summary.pending == ["v2", "v3", "v4"] && report.hasPassed)
        #expect(summary.needs.map(\.purpose).first == "the backup" && summary.needs.count >= 2)
        #expect(try #require(summary.lockSeconds) > 0 && summary.backup == nil)
        #expect(report.steps == ["v2", "v3", "v4"] && report.replays[0].snapshot == project.path)
        #expect(report.replays[0].steps.allSatisfy { $0.pagesWritten > 0 && $0.bytesWritten > 0 })
    }

    @Test(
        arguments: few(
            8,
            of: pairs(
                ["delete", "wal", "truncate", "persist"],
                ["page_size = 512", "page_size = 65536", "auto_vacuum = full", "encoding = 'UTF-16le'"])))
    func `the database is what the tool makes of it`(journal: String, pragma: String) async throws {
        let pragmas = ["PRAGMA \(pragma)", "PRAGMA journal_mode = \(journal)"]
        let steps = MigrateCase.steps + ["-- drydock: drops table extra\nDROP TABLE IF EXISTS extra;"]
        let rows = "CREATE TABLE extra(x); INSERT INTO extra SELECT hex(zeroblob(400)) FROM person;"
        let project = try MigrateCase(steps, pragmas: pragmas[0], pragmas[1], rows: rows)
        let before = try MigrateCase.content(project.path)
        let expected = project.folder.file("tmp/expected.sqlite")
        try FileManager.default.copyItem(atPath: project.path, toPath: expected)
        let plain = try PlainDatabase(expected)
        for (number, sql) in steps.enumerated() {
            try plain.execute("\(sql); INSERT INTO grdb_migrations VALUES ('v\(number + 2)')")
        }
        // A program that has the file open, and is idle, continues afterwards.
        let other = try journal == "wal" ? nil : PlainDatabase(project.path)
        #expect(try other?.firstRow("SELECT count(*) FROM person") { $0.integer(0) } ?? 400 == 400)
        let report = try await project.migrate(.apply)
        let summary = try #require(report.migrate)
        #expect(summary.outcome == .applied && summary.notes.isEmpty && summary.rehearsals == 1, "\(summary)")
        // SQLite compares the schema with the database's when a statement runs, not when it is compiled.
        try other?.execute("SELECT * FROM person LIMIT 1")
        try other?.execute("INSERT INTO person VALUES (1000, 'later', '')")
        try plain.execute("INSERT INTO person VALUES (1000, 'later', '')")
        if other == nil {
            try PlainDatabase(project.path).execute("INSERT INTO person VALUES (1000, 'later', '')")
        }
        var (actual, wanted) = (try MigrateCase.content(project.path), try MigrateCase.content(expected))
        for key in ["schema", "journal_mode"] { #expect(actual[key] == wanted[key]) }
        (actual["journal_mode"], wanted["journal_mode"]) = (nil, nil)
        #expect(actual == wanted)
        let backup = try #require(summary.backup)
        #expect(backup.hasPrefix(FolderPath.real(project.path) + ".v1-") && backup.hasSuffix(".backup"))
        #expect(try MigrateCase.content(backup) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: project.folder.file("tmp")).allSatisfy {
                $0.hasPrefix("expected")
            })
    }

    /// SQLite takes the page count of a header only if two counters in it agree.
    @Test func `the page count of a migrated database is valid`() async throws {
        let project = try MigrateCase()
        #expect(try await project.migrate(.apply).migrate?.outcome == .applied)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: project.path)))
        #expect(bytes[24..<28].elementsEqual(bytes[92..<96]))
    }

    @Test func `while others have the log open, the result goes through the log`() async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = wal")
        let other = try PlainDatabase(project.path)
        try other.execute("INSERT INTO person VALUES (500, 'in the log')")
        let result = try project.tool("--apply")
        #expect(result.status == 0 && result.output.contains("migrated"), "\(result)")
        #expect(result.output.contains("other programs could not write for"), "\(result)")
        try other.execute("SELECT * FROM person LIMIT 1")
        try other.execute("INSERT INTO person VALUES (501, 'later', 'x')")
        let content = try MigrateCase.content(project.path)
        #expect(content["t person"]?.count == 402 && content["t pet"]?.count == 400)
        #expect(try other.firstRow("PRAGMA journal_mode") { $0.string(0) } == "wal")
        #expect(try other.firstRow("PRAGMA integrity_check") { $0.string(0) } == "ok")
    }

    @Test func `what is pending is listed, and nothing if nothing is`() async throws {
        let project = try MigrateCase()
        let before = try project.folder.contents()
        let check = try await project.migrate(.check)
        #expect(check.migrate?.outcome == .pending && check.migrate?.pending == ["v2", "v3", "v4"])
        #expect(!check.hasPassed && check.findings.isEmpty)
        #expect(try project.folder.contents() == before)
        _ = try await project.migrate(.apply) { $0.backup = MigrateRequest.Backup.none }
        #expect(try project.names() == MigrateCase.plainNames)
        let after = try project.folder.contents()
        for mode in [MigrateRequest.Mode.check, .rehearsal, .apply] {
            let report = try await project.migrate(mode)
            #expect(report.migrate?.outcome == .upToDate && report.hasPassed && report.findings.isEmpty)
        }
        #expect(try project.folder.contents() == after)
    }

    @Test func `up to a migration, and on from there`() async throws {
        let project = try MigrateCase()
        #expect(try await project.migrate(.apply) { $0.verify.upTo = "v2" }.steps == ["v2"])
        #expect(try await project.migrate(.apply).steps == ["v3", "v4"])
    }

    @Test func `a loss stops the migration, unless it is declared`() async throws {
        let project = try MigrateCase([ToolProject.two, ToolProject.loss])
        let before = try project.folder.contents()
        for mode in [MigrateRequest.Mode.rehearsal, .apply] {
            let report = try await project.migrate(mode)
            report.expect(errors: [.rowsLost])
            #expect(report.migrate?.outcome == .refused && !report.hasPassed)
            #expect(report.migrate?.needs.allSatisfy { $0.bytes > 0 } == true)
            #expect(try project.folder.contents() == before)
        }
        try project.folder.write(
            "Migrations/v3.sql", "-- drydock: deletes from pet where id = 2\n" + ToolProject.loss)
        #expect(try await project.migrate(.apply).migrate?.outcome == .applied)
        #expect(try PlainDatabase(project.path).firstRow("SELECT count(*) FROM pet") { $0.integer(0) } == 399)
    }

    @Test(arguments: [
        ["ALTER TABLE person ADD COLUMN born TEXT;", "INSERT INTO person(id, name) VALUES (1, 'again');"],
        ["SELECT no_such_function();"], ["ATTACH 'other.sqlite' AS o; CREATE TABLE o.t(x);"],
    ]) func `a migration that does not run to the end changes nothing`(steps: [String]) async throws {
        let project = try MigrateCase(steps)
        let before = try project.folder.contents()
        let report = try await project.migrate(.apply)
        #expect(report.migrate?.outcome == .refused && !report.hasPassed, "\(report.findings.map(\.line))")
        #expect(try project.folder.contents() == before)
    }

    @Test func `stand-ins are used to rehearse and never to write`() async throws {
        let project = try MigrateCase([
            "ALTER TABLE person ADD COLUMN key TEXT;", "UPDATE pet SET name = make_uuid();",
        ])
        let configure: (inout MigrateRequest) -> Void = {
            $0.verify.migrations.functions = [
                .init(name: "make_uuid", argumentCount: 0, result: .constant("0"))
            ]
            let words = "rewrites pet.name"
            guard
                case .success(let parsed) = Declaration.parse(
                    words, place: .init(file: "test"), migration: "v3")
            else {
                return
            }
            $0.verify.migrations.declarations = ["v3": parsed]
        }
        let before = try project.folder.contents()
        #expect(try await project.migrate(.rehearsal, configure).hasPassed)
        let report = try await project.migrate(.apply, configure)
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(try project.folder.contents() == before)
    }

    @Test func `a file without a transaction is applied completely too`() async throws {
        var goose = GooseProject.project.files
        let rebuild = ToolProject.rebuild.replacing("PRAGMA foreign_keys = ON;", with: "")
        goose["003_index.sql"] = "-- +goose NO TRANSACTION\n-- +goose Up\n" + rebuild
        let folder = try ToolProject(files: goose, history: GooseProject.history).write()
        var request = MigrateRequest(path: folder.file("Snapshots/first.sqlite"))
        (request.mode, request.verify.migrations.folder) = (.apply, folder.file("Migrations"))
        request.temporaryFolder = folder.path
        let report = try await Migrator(engine: GRDBDriver()).run(request)
        #expect(
            report.migrate?.outcome == .applied && report.steps == ["2", "3"],
            "\(report.findings.map(\.line))")
        let database = try PlainDatabase(request.path)
        #expect(try database.firstRow("SELECT max(version_id) FROM goose_db_version") { $0.integer(0) } == 3)
        #expect(try database.firstRow("SELECT count(*) FROM pet") { $0.integer(0) } == 2)
    }

    @Test func `a backup goes where the user says, and overwrites nothing`() async throws {
        let project = try MigrateCase()
        try Data("mine".utf8).write(to: URL(filePath: project.folder.file("mine")))
        let refusal = try await project.refusal(.apply) { $0.backup = .path(project.folder.file("mine")) }
        #expect(refusal.contains("already exists"))
        #expect(
            try await project.refusal(.apply) { $0.backup = .folder("/no/such") }.contains(
                "no folder '/no/such'"))
        let report = try await project.migrate(.apply) {
            $0.backup = .folder(project.folder.file("backups"))
            $0.verify.upTo = "v2"
        }
        let backups = try FileManager.default.contentsOfDirectory(atPath: project.folder.file("backups"))
        #expect(backups.count == 1 && report.migrate?.backup == project.folder.file("backups/") + backups[0])
        let exact = project.folder.file("backups/exact.sqlite")
        #expect(try await project.migrate(.apply) { $0.backup = .path(exact) }.migrate?.backup == exact)
        #expect(try String(contentsOfFile: project.folder.file("mine"), encoding: .utf8) == "mine")
        #expect(
            try PlainDatabase(exact).literals("SELECT * FROM grdb_migrations").count == 2)
    }

    @Test func `a history that is not in the folder, and no history`() async throws {
        let project = try MigrateCase()
        try PlainDatabase(project.path).execute("INSERT INTO grdb_migrations VALUES ('v99')")
        let before = try project.folder.contents()
        for mode in [MigrateRequest.Mode.check, .rehearsal, .apply] {
            let report = try await project.migrate(mode)
            #expect(report.rules(.error) == [.unknownMigration] && !report.hasPassed)
        }
        #expect(try project.folder.contents() == before)
        try PlainDatabase(project.path).execute("DROP TABLE grdb_migrations")
        let report = try await project.migrate(.apply) { $0.verify.migrations.format = "drydock" }
        #expect(report.rules(.error) == [.snapshotVersionUnknown])
    }
}

/// Resolves links, as the name of a backup does.
enum FolderPath {
    static func real(_ path: String) -> String {
        let url = URL(filePath: path)
        guard let folder = realpath(url.deletingLastPathComponent().path, nil) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + url.lastPathComponent
    }
}
