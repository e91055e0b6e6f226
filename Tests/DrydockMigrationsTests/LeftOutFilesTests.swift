import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// The report of files among the migrations that the format does not read.
@Suite struct LeftOutFilesTests {
    private static let sql = "CREATE TABLE t(a);"
    private static let goose = "-- +goose Up\nCREATE TABLE t(a);\n"
    private static let dbmate = "-- migrate:up\nCREATE TABLE t(a);\n"
    private static let journal = #"{"entries": [{"idx": 0, "when": 1, "tag": "0000_a"}]}"#

    /// A folder, and which of its files are reported.
    struct Folder: Sendable, CustomTestStringConvertible {
        var format: String
        var files: [String: String]
        var said: [String] = []
        var testDescription: String { "\(format) \(said)" }
    }

    @Test(arguments: [
        Folder(
            format: "flyway", files: ["V1__a.sql": sql, "0002_b.sql": sql, "V3__c.SQL": sql],
            said: ["0002_b.sql", "V3__c.SQL"]),
        Folder(
            format: "flyway",
            files: [
                "V1__a.sql": sql, "R__views.sql": "SELECT 1;", "U1__a.sql": sql, "B1__base.sql": sql,
                "README.md": "",
                "V1__a.sql.conf": "", "sub/V2__b.sql": "SELECT 2;", "seeds/dev_seed.sql": sql,
            ]),
        Folder(
            format: "flyway", files: ["V1__a.sql": sql, "sub/2_b.sql": sql, "afterMigrate.sql": sql],
            said: ["afterMigrate.sql", "2_b.sql"]),
        Folder(
            format: "drizzle",
            files: [
                "meta/_journal.json": journal, "0000_a.sql": sql, "0001_b.sql": sql,
                "meta/0000_snapshot.json": "{}",
            ],
            said: ["0001_b.sql"]),
        Folder(
            format: "drizzle",
            files: [
                "meta/_journal.json": journal, "0000_a.sql": sql, "seed.sql": sql, "schema.ts": "",
                "down/0000_a.sql": sql,
            ]),
        Folder(
            format: "golang-migrate",
            files: [
                "1_a.up.sql": sql, "1_a.down.sql": "DROP TABLE t;", "2_b.down.sql": sql, "schema.sql": sql,
                "3_c.sql": sql,
            ],
            said: ["3_c.sql"]),
        Folder(
            format: "goose",
            files: ["00001_a.sql": goose, "notes.sql": sql, "00000_b.sql": goose, "00002_c.SQL": goose],
            said: ["00000_b.sql", "00002_c.SQL", "notes.sql"]),
        Folder(
            format: "sqlx", files: ["1_a.up.sql": sql, "1_a.down.sql": sql, "readme.sql": sql, "b.sql": sql],
            said: ["b.sql"]),
        Folder(
            format: "dbmate", files: ["1_a.sql": dbmate, "2_b.SQL": dbmate, "seeds.sql": sql],
            said: ["2_b.SQL"]),
        Folder(
            format: "prisma",
            files: [
                "20240101_a/migration.sql": sql, "migration_lock.toml": "", "20240101_a/down.sql": sql,
                "fix.sql": sql,
                "schema.prisma": "",
            ], said: ["fix.sql"]),
        Folder(
            format: "diesel",
            files: ["2024-01-01-0_a/up.sql": sql, "2024-01-01-0_a/down.sql": sql, "3_b.sql": sql],
            said: ["3_b.sql"]),
        Folder(format: "d1", files: ["0001_a.sql": sql, "0002_b.SQL": sql], said: ["0002_b.SQL"]),
        Folder(format: "user-version", files: ["1.sql": sql, "2.SQL": "SELECT 1;", "seed.sql": sql]),
        Folder(format: "user-version", files: ["1.sql": sql, "views.sql": sql], said: ["views.sql"]),
        Folder(format: "sqldelight", files: ["1.sqm": sql, "a.sqm": sql, "A.sq": sql], said: ["a.sqm"]),
        Folder(
            format: "refinery", files: ["V1__a.sql": sql, "2_b.sql": sql, "V3__c-d.sql": sql],
            said: ["2_b.sql"]),
        Folder(
            format: "drydock",
            files: ["v1.sql": sql, "v1.down.sql": sql, "v2.SQL": "SELECT 1;", "old.down.sql": sql]),
    ])
    func folders(_ it: Folder) async throws {
        let folder = try TemporaryFolder()
        for (name, text) in it.files { try folder.write("Migrations/\(name)", text) }
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/a.sqlite")).execute("PRAGMA user_version = 0; VACUUM")
        func names(_ findings: [Finding]) -> [String] {
            findings.filter { $0.rule == .fileLeftOut }.map { finding in
                #expect(finding.severity == .warning)
                return String(finding.place?.file.split(separator: "/").last ?? "")
            }
        }
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        request.migrations.format = it.format
        let lint = try await Linter(engine: GRDBDriver()).run(request).report
        #expect(names(lint.findings) == it.said)
        let verify = try await folder.verify { $0.migrations.format = it.format }
        #expect(names(verify.findings) == it.said)
    }

    @Test func `the message says how migrations are named`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("m/V1__a.sql", Self.sql)
        try folder.write("m/V2__b.SQL", Self.sql)
        var request = LintRequest()
        request.migrations.folder = folder.file("m")
        request.migrations.format = "flyway"
        let report = try await Linter(engine: GRDBDriver()).run(request).report
        let finding = try report.finding(.fileLeftOut)
        #expect(
            finding.message.hasSuffix("V2__b.SQL is not read: it is not named like a migration of flyway"))
        #expect(finding.help.contains("V2__description.sql") && finding.help.contains("lower case"))
        #expect(report.hasPassed)
    }

    @Test func `a format that was guessed and reads the smaller part of the folder fails`() async throws {
        let folder = try TemporaryFolder()
        for name in ["m/V1__a.sql", "m/v1.sql", "m/v2.sql"] { try folder.write(name, Self.sql) }
        var request = LintRequest()
        request.migrations.folder = folder.file("m")
        let report = try await Linter(engine: GRDBDriver()).run(request).report
        #expect(report.migrationFormat == "flyway" && !report.hasPassed)
        let left = report.findings.filter { $0.rule == .fileLeftOut }
        #expect(left.count == 2 && left.allSatisfy { $0.severity == .error })
        #expect(left[0].help.contains("--migration-format"))
        request.migrations.format = "flyway"
        #expect(try await Linter(engine: GRDBDriver()).run(request).report.hasPassed)
    }

    @Test func `what files a custom format reads are its own`() async throws {
        let folder = try TemporaryFolder()
        for name in ["db/up/1.sql", "db/up/2.txt.sql", "db/other.sql", "db/up/schema.sql"] {
            try folder.write(name, Self.sql)
        }
        var request = LintRequest()
        request.migrations.folder = folder.file("db")
        request.migrations.options.custom = CustomFormat(
            files: "up/(?<version>[0-9]+)\\.sql", query: "PRAGMA user_version")
        let report = try await Linter(engine: GRDBDriver()).run(request).report
        #expect(try report.finding(.fileLeftOut).place?.file.hasSuffix("db/up/2.txt.sql") == true)
    }
}
