import Drydock
import Testing

@testable import DrydockTestSupport

/// A statement that SQLite refuses without reading a row: verify and lint report the same.
@Suite struct RefusedStatementTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var sql: String
        var help: String
        /// Whether the help proposes the whole migration, which then passes.
        var isWhole = false
        var schema = RefusedStatementTests.schema
        var rows = RefusedStatementTests.rows

        var testDescription: String { sql }
    }

    private static let schema = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, size INTEGER);
        CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT UNIQUE);

        """
    private static let rows =
        "INSERT INTO note VALUES (1, 'a', 1), (2, 'b', 2); INSERT INTO tag VALUES (1, 'x');"

    static let refusals = [
        Refusal(
            sql: "ALTER TABLE note ADD COLUMN twice INTEGER AS (size * 2) STORED", help: "Make it VIRTUAL",
            isWhole: true),
        Refusal(
            sql: "ALTER TABLE \"note\" ADD \"twice so\" INTEGER AS (size * 2) stored NOT NULL",
            help: "Make it VIRTUAL",
            isWhole: true),
        Refusal(
            sql: "ALTER TABLE note ADD COLUMN kind TEXT NOT NULL", help: "DEFAULT '';", isWhole: true),
        Refusal(
            sql: "ALTER TABLE note ADD COLUMN at TEXT DEFAULT CURRENT_TIMESTAMP",
            help: "UPDATE note SET at = CURRENT_TIMESTAMP;",
            isWhole: true),
        Refusal(
            sql: "ALTER TABLE note ADD COLUMN at TEXT NOT NULL DEFAULT (datetime('now'))",
            help: "UPDATE note SET at = datetime('now');", isWhole: true),
        Refusal(
            sql: "ALTER TABLE note ADD COLUMN code TEXT UNIQUE CHECK (length(code) < 9)",
            help: "CREATE UNIQUE INDEX note_code ON note(code);", isWhole: true),
        Refusal(
            sql: "ALTER TABLE note ADD COLUMN k INTEGER PRIMARY KEY",
            help: "ALTER TABLE cannot change a primary key"),
        Refusal(sql: "ALTER TABLE note ADD COLUMN title TEXT", help: "note has it already"),
        Refusal(sql: "VACUUM", help: "vacuum when the app is closed"),
        Refusal(sql: "PRAGMA synchronous = OFF", help: "Set it when the database is opened"),
        Refusal(sql: "CREATE TABLE tag(a)", help: "IF NOT EXISTS would leave the old one unchanged"),
        Refusal(
            sql: "ALTER TABLE note ALTER COLUMN title SET NOT NULL",
            help: "Rebuild the table for any other change"),
        Refusal(sql: "SELECT id FROM note, tag", help: "as in TABLE.COLUMN"),
        Refusal(sql: "INSERT INTO tag VALUES (1)", help: "Name the columns on both sides"),
        Refusal(sql: "CREATE INDEX i ON note(title COLLATE pinyin)", help: "pinyin: nocase"),
        Refusal(sql: "UPDATE note SET title = \"old\"", help: "write 'old' in single quotes"),
        Refusal(
            sql: "ALTER TABLE note DROP COLUMN title", help: "DROP INDEX by_title;",
            schema: schema + "CREATE INDEX by_title ON note(title);"),
        Refusal(
            sql: "ALTER TABLE tag DROP COLUMN name", help: "Rebuild tag without both instead"),
        Refusal(sql: "ALTER TABLE tag DROP COLUMN id", help: "Rebuild tag with another primary key"),
    ]

    @Test(arguments: refusals) func verifyAndLintReportTheSame(_ it: Refusal) async throws {
        let scenario = Scenario(it.schema, rows: it.rows, steps: it.sql)
        let verified = try await scenario.verify().finding(.migrationFailed).help
        #expect(verified.contains(it.help), "\(verified)")
        let linted = try await LintCase("", schema: it.schema, it.sql).lint().report.findings.filter {
            $0.severity == .error
        }
        #expect(linted.map(\.help).contains(verified), "\(linted.map(\.line)) \(linted.map(\.help))")
        guard it.isWhole else { return }
        let finding = try await scenario.verify().finding(.migrationFailed)
        let report = try await Scenario(it.schema, rows: it.rows, steps: finding.proposedSQL).verify()
        #expect(report.rules(.error).isEmpty, "\(finding.proposedSQL) \(report.findings.map(\.line))")
    }

    /// Refused only with foreign keys on.
    @Test func aReferenceWithADefault() async throws {
        let sql = "ALTER TABLE pet ADD COLUMN owner INTEGER DEFAULT 1 REFERENCES person(id);\n"
        let project = D1Project.project.with("0010_index.sql", sql)
        let finding = try await project.verify().finding(.migrationFailed)
        #expect(finding.help.contains("REFERENCES"), "\(finding.help)")
        let better = project.with("0010_index.sql", finding.proposedSQL)
        #expect(try await better.verify().rules(.error).isEmpty, "\(finding.proposedSQL)")
    }

    @Test func lintSuggestsTheNearestName() async throws {
        let finding = try await LintCase("", schema: Self.schema, "UPDATE note SET titel = 1").lint().report
            .findings
            .first { $0.rule == .migrationFailed }
        #expect(
            finding?.message
                == "no such column: titel, on the schema that the earlier migrations make; did you mean 'title'?"
        )
    }

    /// A name is not a misspelling of itself.
    @Test(arguments: [
        ("SELECT note.name FROM note, tag", "no such column: note.name; tag has a column of that name"),
        (
            "UPDATE note SET name = 1 WHERE id IN (SELECT id FROM tag)",
            "no such column: name; tag has a column of that name"
        ),
        (
            "SELECT n.\"NAME\" FROM note AS n JOIN tag AS t",
            "no such column: n.NAME; tag has a column of that name"
        ),
        ("SELECT name FROM note", "no such column: name"),
        (
            "SELECT other.note.title FROM note",
            "no such column: other.note.title; note has a column of that name"
        ),
    ]) func anExistingNameIsNotAMisspellingOfItself(_ sql: String, _ message: String) async throws {
        let finding = try await Scenario(Self.schema, steps: sql).verify().finding(.migrationFailed)
        #expect(finding.message.hasSuffix(message), "\(finding.message)")
    }
}
