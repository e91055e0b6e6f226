import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// `not-restartable`, against what `verify --crash` finds on the same files.
@Suite struct RestartRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var sql: String
        /// The line after which a kill is fatal, and what the next start says.
        var says: String?
        var isOpen = true

        var testDescription: String { sql }
    }

    static let cases = [
        Case(
            sql: "CREATE TABLE tag(a);",
            says: "killed after line 3, the next start fails here: table tag already exists"),
        Case(sql: "CREATE TABLE IF NOT EXISTS tag(a);\nCREATE INDEX IF NOT EXISTS i ON pet(name);"),
        Case(
            sql: "CREATE TABLE IF NOT EXISTS tag(a);\nALTER TABLE pet ADD COLUMN kind TEXT;",
            says: "killed after line 4, the next start fails here: duplicate column name: kind"),
        Case(
            sql: "UPDATE pet SET name = 'x';\nDROP TABLE pet;",
            says: "killed after line 4, the next start fails here: no such table: pet"),
        Case(sql: "INSERT OR IGNORE INTO person(id, name) VALUES (9, 'Zoe');\nDROP TABLE IF EXISTS old;"),
        Case(sql: "CREATE TEMP TABLE t(a);\nINSERT OR IGNORE INTO person SELECT a, a FROM t;"),
        Case(
            sql: "BEGIN;\nCREATE TABLE tag(a);\nCREATE TABLE other(a);\nCOMMIT;",
            says: "killed after line 6, the next start fails here: table tag already exists"),
        Case(sql: "CREATE TABLE tag(a);", isOpen: false),
    ]

    private func write(_ it: Case) throws -> TemporaryFolder {
        try ToolProject(
            files: [
                "00001_first.sql": "-- +goose Up\n" + ToolProject.one,
                "00002_step.sql": (it.isOpen ? "-- +goose NO TRANSACTION\n" : "\n")
                    + "-- +goose Up\n\(it.sql)\n",
            ],
            history: """
                CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
                INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
                """
        ).write()
    }

    @Test(arguments: cases)
    func `lint says what a kill shows`(it: Case) async throws {
        let folder = try write(it)
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        let report = try await Linter(engine: GRDBDriver()).run(request).report
        let found = report.findings.filter { $0.rule == .notRestartable }
        #expect(
            found.map { $0.message.replacingOccurrences(of: "\"", with: "") }
                == (it.says.map { [$0] } ?? []))
        #expect(found.allSatisfy { $0.severity == .warning && $0.place?.line != nil })
        let verified = try await folder.verify { $0.checks.crashes = true }
        #expect(
            verified.findings.contains { $0.rule == .crashStuck } == (it.says != nil),
            "\(verified.findings.map(\.line))")
    }
}
