import Drydock
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// Migrations in code are skipped, and what follows is linted.
@Suite struct CodeMigrationTests {
    private func lint(
        _ files: [String: String], _ configure: (inout LintRequest) -> Void = { _ in }
    ) async throws -> Report {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write("Migrations/\(name)", text) }
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        configure(&request)
        return try await Linter(engine: GRDBDriver()).run(request).report
    }

    private static let goose = [
        "001_people.sql": GooseProject.file(ToolProject.one), "002_born.go": "package migrations",
        "003_drop.sql": GooseProject.file("DROP TABLE pet;"),
        "004_index.sql": GooseProject.file(ToolProject.three.replacing("pet", with: "toy")),
        "005_name.sql": GooseProject.file("ALTER TABLE person DROP COLUMN name;"),
    ]

    @Test func laterMigrationsAreLinted() async throws {
        let report = try await lint(Self.goose)
        let losses = report.findings.filter { $0.rule == .destructiveUndeclared }.map(\.migration)
        #expect(losses == ["3", "5"])
        let finding = try #require(report.findings.first { $0.rule == .migrationInCode })
        #expect(finding.severity == .warning && finding.migration == "2")
        #expect(finding.help.contains("004_index.sql:2: no such table: main.toy"))
        #expect(!report.findings.contains { $0.rule == .migrationFailed })
        #expect(report.notChecked.map(\.reason).contains { $0.contains("002_born.go is not SQL") })
        #expect(report.notChecked.map(\.reason).contains { $0.hasPrefix("1 statement not linted") })
        #expect(report.lint?.migrations == 4)
    }

    @Test func aWarningFailsAStrictRun() async throws {
        let clean = Self.goose.filter { !["003_drop.sql", "005_name.sql"].contains($0.key) }
        #expect(try await lint(clean).hasPassed)
        #expect(try await !lint(clean) { $0.isStrict = true }.hasPassed)
        #expect(
            try await lint(clean) {
                $0.isStrict = true
                $0.severities[.migrationInCode] = .note
            }.hasPassed)
    }

    /// A missing object that only code can have created is not an error; text that is not SQL is.
    @Test func aSyntaxErrorIsStillReported() async throws {
        var files = Self.goose
        files["004_index.sql"] = GooseProject.file("CREATE VIEW v AS SELECT * FROM toy;")
        let view = try await lint(files)
        #expect(view.findings.filter { $0.rule == .viewBroken }.map(\.severity) == [.warning])
        files["004_index.sql"] = GooseProject.file("CREATE INDX i ON toy(a);")
        #expect(
            try await lint(files).findings.contains { $0.rule == .migrationFailed && $0.severity == .error })
    }

    @Test func aReleasedMigrationMattersWhereStatementsStayUnread() async throws {
        let report = try await lint(Self.goose) { $0.since = "2" }
        #expect(report.findings.contains { $0.rule == .migrationInCode && $0.severity == .warning })
        let rest = try await lint(Self.goose) { $0.since = "4" }
        #expect(rest.findings.contains { $0.rule == .migrationInCode })
        let known = Self.goose.filter { $0.key != "004_index.sql" }
        let silent = try await lint(known) { $0.since = "3" }
        #expect(!silent.findings.contains { $0.rule == .migrationInCode })
        #expect(silent.findings.filter { $0.rule == .destructiveUndeclared }.map(\.migration) == ["5"])
    }

    @Test func aRunWithOnlyCodeFails() async throws {
        let files = ["V1__people.java": "class V1__people {}", "V2__pet.java": "class V2__pet {}"]
        let report = try await lint(files) { $0.migrations.format = "flyway" }
        #expect(!report.hasPassed)
        #expect(report.findings.map(\.rule) == [.nothingVerified])
    }

    @Test(arguments: [
        ("flyway", ["V1__people.sql": ToolProject.one, "V2__born.java": "class V2__born {}"]),
        ("refinery", ["V1__people.sql": ToolProject.one, "V2__born.rs": "pub fn migration() {}"]),
    ]) func codeOfOtherTools(_ format: String, _ files: [String: String]) async throws {
        var files = files
        files["V3__drop.sql"] = "DROP TABLE pet;"
        let report = try await lint(files) { $0.migrations.format = format }
        #expect(report.findings.contains { $0.rule == .migrationInCode && $0.severity == .warning })
        #expect(report.findings.contains { $0.rule == .destructiveUndeclared && $0.migration == "3" })
    }

    /// The folder of a migration without its file.
    @Test func aMissingFile() async throws {
        let prisma = try await lint([
            "1_a/migration.sql": ToolProject.one, "2_b/notes.txt": "", "3_c/migration.sql": "SELECT 1;",
            "migration_lock.toml": "provider = \"sqlite\"",
        ])
        #expect(!prisma.hasPassed)
        let diesel = try await lint([
            "2024-01-01-000000_a/up.sql": ToolProject.one, "2024-01-02-000000_b/down.sql": "SELECT 1;",
            "2024-01-03-000000_c/up.sql": "SELECT 1;",
        ])
        #expect(diesel.findings.contains { $0.rule == .nothingVerified && $0.severity == .warning })
    }

    /// A set that needs what no migration creates does not pass because of the part that could be read.
    @Test func aSetThatCannotBeBuiltFails() async throws {
        let report = try await lint([
            "1.sqm": "CREATE TABLE b(x);\nALTER TABLE a ADD COLUMN y;", "2.sqm": "DROP TABLE b;",
            "A.sq": "CREATE TABLE a(x, y);",
        ])
        #expect(!report.hasPassed)
    }
}
