import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import SQLiteSchema
import Testing

@testable import DrydockLint
@testable import DrydockTestSupport

/// Everything around the rules: order, selection, ignores, severities, statements that do not run.
@Suite struct LinterTests {
    @Test func aCleanSetPasses() async throws {
        let report = try await LintCase("", "CREATE INDEX i ON email(body)").lint().report
        #expect(report.hasPassed && report.command == "lint")
        #expect(report.lint?.migrations == 2 && report.lint?.statements == 6)
        #expect(report.findings.allSatisfy { $0.severity == .note })
    }

    @Test func invalidSQLIsOneMessageWithItsPlace() async throws {
        let it = LintCase("", "CREATE TABLE a(x);\nCREATE TABEL b(y);", "CREATE TABLE c(x)")
        let report = try await it.lint().report
        let finding = try #require(report.findings.first { $0.rule == .migrationFailed })
        #expect(finding.message == "near \"TABEL\": syntax error")
        #expect(finding.place?.line == 2 && finding.place?.column == 8)
        #expect(report.findings.count { $0.severity == .error } == 1)
        #expect(
            report.notChecked.map(\.reason) == [
                "1 migration not linted: v2 does not run on an empty database"
            ])
    }

    /// After fixing the one statement it should not be necessary to lint again to see the other findings.
    @Test func aFailingStatementDoesNotHideOtherFindings() async throws {
        let report = try await LintCase(
            "", "UPDATE email SET nothing = 1; CREATE UNIQUE INDEX one ON email(subject);"
        ).lint().report
        #expect(report.findings.map(\.rule).contains(.migrationFailed))
        #expect(report.findings.map(\.rule).contains(.uniqueOverExisting))
        #expect(report.lint?.migrations == 2)
    }

    @Test func aMissingName() async throws {
        let it = LintCase("", "UPDATE email SET subjct = 1", "CREATE INDEX i ON email(body)")
        let report = try await it.lint().report
        let finding = try #require(report.findings.first { $0.rule == .migrationFailed })
        #expect(
            finding.message
                == "no such column: subjct, on the schema that the earlier migrations make; did you mean 'subject'?"
        )
        // Rows do not affect the schema: later statements are linted.
        #expect(report.notChecked.isEmpty)
    }

    @Test func textInDoubleQuotesIsNotAName() async throws {
        let report = try await LintCase("", "UPDATE email SET body = \"draft\"").lint().report
        let finding = try #require(report.findings.first { $0.rule == .migrationFailed })
        #expect(
            finding.message.contains("no such column: ") && finding.help.contains("write 'draft' in single"))
    }

    /// SQLite refuses the statement when it compiles it, whatever rows exist.
    @Test(arguments: [
        "UPDATE email SET body = slug(body)", "UPDATE email SET body = iff(is_spam, 'a', 'b')",
        "INSERT INTO account(email) SELECT slug(subject) FROM email", "DELETE FROM email WHERE slug(body)",
        "SELECT slug(body) FROM email",
    ]) func anUnknownFunctionIsAnError(_ sql: String) async throws {
        try await LintCase("", sql, says: [.error]).check(.migrationFailed)
        try await LintCase("", sql).check(.migrationFailed) {
            $0.migrations.functions = [
                FunctionStub(name: "slug", argumentCount: nil, result: .constant(.null)),
                FunctionStub(name: "iff", argumentCount: nil, result: .constant(.null)),
            ]
        }
    }

    @Test func theIntendedFunctionIsNamed() async throws {
        let it = LintCase("", "UPDATE email SET body = iff(is_spam, 'a', 'b')", says: [.error])
        let finding = try #require(try await it.check(.migrationFailed).first)
        #expect(finding.help.hasPrefix("Did you mean iif()? If the app registers it,"))
    }

    @Test func severities() async throws {
        var it = LintCase("", "CREATE UNIQUE INDEX i ON email(subject)", says: [.error])
        try await it.check(.uniqueOverExisting) { $0.severities[.uniqueOverExisting] = .error }
        it.says = []
        try await it.check(.uniqueOverExisting) { $0.severities[.uniqueOverExisting] = .off }
    }

    @Test func sinceSelectsLaterMigrations() async throws {
        let it = LintCase("", "DELETE FROM email", "DELETE FROM account")
        let report = try await it.lint { $0.since = "v2" }.report
        #expect(report.findings.filter { $0.rule == .destructiveUndeclared }.map(\.migration) == ["v3"])
        await #expect(throws: RequestError.self) { try await it.lint { $0.since = "v9" } }
        await #expect(throws: RequestError.self) { try await it.lint { $0.onlyNew = true } }
    }

    @Test func unlockedMigrationsAreLinted() async throws {
        let it = LintCase("", "DELETE FROM email", "CREATE TABLE a(x)", "DELETE FROM account; DELETE FROM a")
        func migrations(_ configure: (inout LintRequest) -> Void) async throws -> [String?] {
            try await it.lint {
                $0.locked = ["v1", "v2"]
                configure(&$0)
            }.report.findings.filter { $0.rule == .destructiveUndeclared }.map(\.migration)
        }
        // As one set: the table of v3 has no rows.
        #expect(try await migrations { _ in } == ["v4"])
        #expect(try await migrations { $0.includesLocked = true } == ["v2", "v4", "v4"])
        #expect(try await migrations { $0.since = "v1" } == ["v2", "v4"])
        let report = try await it.lint { $0.locked = ["v1", "v2", "v3", "v4"] }.report
        #expect(report.hasPassed && report.lint?.migrations == 0)
        #expect(report.findings.map(\.message) == ["every migration is locked"])
    }

    @Test func aRunThatLintsNothingFails() async throws {
        let folder = try TemporaryFolder()
        try folder.write("data/migrations/1.sqm", "ALTER TABLE a ADD COLUMN y;")
        try folder.write("data/A.sq", "CREATE TABLE a(x, y);")
        var request = LintRequest()
        request.migrations.folder = folder.file("data")
        let report = try await Linter(engine: GRDBDriver()).run(request).report
        #expect(!report.hasPassed)
        let finding = try #require(report.findings.first { $0.rule == .nothingVerified })
        #expect(finding.message.contains("'base' in drydock.yml"))
        try folder.write("base.sql", "CREATE TABLE a(x);")
        request.migrations.options.base = SchemaBase(path: folder.file("base.sql"))
        #expect(try await Linter(engine: GRDBDriver()).run(request).report.hasPassed)
    }

    @Test func theFollowedSchemaEqualsAFullReading() async throws {
        let folder = try TemporaryFolder()
        let steps = [
            LintCase.mail,
            "ALTER TABLE account RENAME TO person; ALTER TABLE email RENAME COLUMN body TO text;",
            "CREATE VIRTUAL TABLE search USING fts5(text); DROP INDEX email_on_account; DROP TRIGGER email_gone;",
            "ALTER TABLE email ADD COLUMN x DEFAULT 'a'; CREATE INDEX \"I\" ON email(x) WHERE x = \"a\"; DROP VIEW inbox;",
            "DROP TABLE search; CREATE TABLE other(a, b CHECK (b > a)); ALTER TABLE other DROP COLUMN a2;",
        ]
        for (number, sql) in steps.enumerated() { try folder.write("m/v\(number).sql", sql) }
        let database = try PlainDatabase()
        var follower = SchemaFollower()
        func rows() throws -> [SchemaRow] {
            try database.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema") {
                SchemaRow(
                    type: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.optionalString(3))
            }
        }
        for sql in steps.dropLast() {
            try database.execute(sql)
            follower.take(all: try rows())
            #expect(follower.schema == SchemaParser().schema(of: try rows()))
        }
        follower.dropTable("email")
        try database.execute("DROP TABLE email")
        #expect(follower.schema == SchemaParser().schema(of: try rows()))
    }

    @Test func theCatalogueHasEveryRuleInTheOrderOfTheRegistry() {
        #expect(
            Rule.ofLint == LintRules.all.map(\.rule) + [.transactionEnded, .pragmaIgnored, .migrationInCode])
    }

    @Test func theDocumentationMatchesTheRules() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().path + "/../.."
        let file = try String(contentsOfFile: root + "/docs/rules.md", encoding: .utf8)
        #expect(
            file == RuleDocumentation.markdown, "drydock lint --list-rules --format markdown > docs/rules.md")
        for rule in Rule.allCases {
            #expect(file.contains("\n## `\(rule.rawValue)`\n"))
            #expect(!rule.summary.isEmpty, "\(rule.rawValue)")
        }
    }
}
