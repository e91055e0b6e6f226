import Drydock
import GRDBEngine
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport

/// What a SQLite says that is too old for a statement. Only features that no released SQLite before the linked one lacks
/// are tried, so that each test does nothing on a SQLite that has them.
@Suite struct NewerSQLiteTests {
    private static let schema = "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, size INTEGER);"

    private static let cargo =
        "[[package]]\nname = \"libsqlite3-sys\"\nversion = \"0.25.2\"\ndependencies = [\n \"cc\",\n]\n"

    private func isOlder(than version: SQLiteVersion) throws -> Bool {
        let here = try PlainDatabase().rows("SELECT sqlite_version()") { $0.string(0) }[0]
        return try #require(SQLiteVersion(here)) < version
    }

    @Test(arguments: [
        ("UPDATE note SET title = jsonb_array(1)", "jsonb_array() came with SQLite 3.45, and this is ", 45),
        ("SELECT * FROM jsonb_each('[]')", "jsonb_each() came with SQLite 3.51, and this is ", 51),
        ("UPDATE note SET size = iif(size, 1)", "iif() with two arguments came with SQLite 3.48", 48),
        ("UPDATE note SET size = 1_000", "A number with _ came with SQLite 3.46", 46),
        (
            "CREATE VIEW v AS SELECT group_concat(title ORDER BY id) FROM note",
            "ORDER BY in an aggregate came with SQLite 3.44", 44
        ),
        ("ALTER TABLE note ALTER COLUMN title SET NOT NULL", "SET NOT NULL came with SQLite 3.53", 53),
        (
            "CREATE VIRTUAL TABLE f USING fts5(a, content='', contentless_delete=1)",
            "FTS5 with contentless_delete came with SQLite 3.43", 43
        ),
    ]) func theVersionAndTheWaysAreNamed(_ sql: String, _ fact: String, _ minor: Int) async throws {
        guard try isOlder(than: SQLiteVersion(minor)) else { return }
        let verified = try await Scenario(Self.schema, steps: sql).verify().finding(.migrationFailed).help
        let linted = try await LintCase("", schema: Self.schema, sql).lint().report.findings.first {
            $0.rule == .migrationFailed
        }
        for help in [verified, linted?.help ?? ""] {
            #expect(help.hasPrefix(fact), "\(help)")
            #expect(!help.contains("functions:"), "\(help)")
            #expect(help.contains("--sqlite-library FILE") && help.contains("LD_LIBRARY_PATH"), "\(help)")
        }
    }

    /// What is only a mistake is not blamed on the version.
    @Test(arguments: [
        "UPDATE nope SET size = iif(size, 1)", "UPDATE note SET size = abs(1, 2)", "UPDATE note SET WHERE 1",
        "SELECT strftime('%F', title) FRM note",
    ]) func otherMistakes(_ sql: String) async throws {
        let finding = try await Scenario(Self.schema, steps: sql).verify().finding(.migrationFailed)
        #expect(!finding.help.contains("came with"), "\(finding.help)")
    }

    @Test func theProjectsOwnSQLiteIsNamed() async throws {
        guard try isOlder(than: SQLiteVersion(45)) else { return }
        let project = try LintCase(
            "", schema: Self.schema, "UPDATE note SET title = jsonb_array(1)"
        ).write()
        try project.write(".git/HEAD", "")
        func help(_ version: String?) async throws -> String {
            if let version { try project.write("go.mod", "require modernc.org/sqlite v\(version)\n") }
            var request = LintRequest()
            request.migrations.folder = project.file("Migrations")
            request.migrations.format = "drydock"
            let report = try await Linter(engine: GRDBDriver()).run(request).report
            return try report.finding(.migrationFailed).help
        }
        let newer = try await help("1.30.1")
        #expect(
            newer.contains("modernc.org/sqlite 1.30.1 in") && newer.contains("includes SQLite 3.46 or newer.")
        )
        #expect(newer.contains("--sqlite-library FILE"))
        try project.write("go.mod", "")
        try project.write("Cargo.lock", Self.cargo)
        let older = try await help(nil)
        #expect(older.contains("includes SQLite 3.39, which is too old as well"), "\(older)")
        #expect(!older.contains("--sqlite-library"))
    }
}
