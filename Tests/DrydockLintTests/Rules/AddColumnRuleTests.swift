import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct AddColumnRuleTests {
    static let failing = [
        LintCase("NOT NULL", "ALTER TABLE email ADD COLUMN seen TEXT NOT NULL", says: [.error]),
        LintCase(
            "NOT NULL DEFAULT NULL", "ALTER TABLE email ADD COLUMN seen TEXT NOT NULL DEFAULT NULL",
            says: [.error]),
        LintCase(
            "CURRENT_TIMESTAMP", "ALTER TABLE email ADD COLUMN seen TEXT DEFAULT CURRENT_TIMESTAMP",
            says: [.error]),
        LintCase(
            "an expression", "ALTER TABLE email ADD COLUMN seen TEXT DEFAULT (datetime('now'))",
            says: [.error]),
        LintCase("a sum of literals", "ALTER TABLE email ADD COLUMN seen DEFAULT (1 + 1)", says: [.error]),
        LintCase("STORED", "ALTER TABLE email ADD COLUMN size AS (length(body)) STORED", says: [.error]),
        LintCase(
            "a CHECK that the default breaks",
            "ALTER TABLE email ADD COLUMN size INTEGER DEFAULT 1 CHECK (size > 5)", says: [.error]),
        LintCase(
            "a VIRTUAL column that is NULL for a row",
            "ALTER TABLE email ADD COLUMN size AS (length(body)) NOT NULL", says: [.warning]),
        LintCase(
            "a CHECK that reads another column",
            "ALTER TABLE email ADD COLUMN size INTEGER DEFAULT 1 CHECK (size > is_spam)", says: [.warning]),
    ]

    @Test(arguments: failing) func says(_ it: LintCase) async throws {
        try await it.check(.addColumnFails)
        #expect(try it.failure() != nil, "SQLite takes it")
        // Without rows SQLite accepts it.
        #expect(try it.failure(rows: "") == nil)
    }

    @Test(arguments: [
        LintCase("a literal default", "ALTER TABLE email ADD COLUMN seen TEXT NOT NULL DEFAULT ''"),
        LintCase("a negative default", "ALTER TABLE email ADD COLUMN seen INTEGER NOT NULL DEFAULT (-1)"),
        LintCase("a literal in parentheses", "ALTER TABLE email ADD COLUMN seen DEFAULT ('x')"),
        LintCase("no constraint", "ALTER TABLE email ADD COLUMN seen"),
        LintCase("VIRTUAL", "ALTER TABLE email ADD COLUMN size AS (length(body))"),
        LintCase(
            "a CHECK that NULL passes", "ALTER TABLE email ADD COLUMN size INTEGER CHECK (size > 5)"),
        LintCase(
            "a CHECK that the default satisfies",
            "ALTER TABLE email ADD COLUMN size INTEGER DEFAULT 9 CHECK (size > 5)"),
        LintCase(
            "REFERENCES without a default",
            "ALTER TABLE email ADD COLUMN other INTEGER REFERENCES account(id)"),
    ]) func isSilent(_ it: LintCase) async throws {
        try await it.check(.addColumnFails)
        #expect(try it.failure() == nil)
    }

    @Test func aTableOfTheSameMigrationHasNoRows() async throws {
        try await LintCase("", "CREATE TABLE a(x); ALTER TABLE a ADD COLUMN y TEXT NOT NULL")
            .check(.addColumnFails)
    }

    @Test(arguments: [
        ("x INTEGER CHECK (x IS NOT id)", Finding.Severity.note, "reads id too"),
        ("x INTEGER DEFAULT 5 CHECK (x > length(body))", .note, "reads body too"),
        ("x INTEGER DEFAULT 0 CHECK (x <> is_spam)", .warning, "has is_spam = 0"),
        ("x TEXT DEFAULT '' CHECK (x <> subject)", .warning, "has subject = ''"),
    ]) func aCheckOverSeveralColumnsNamesARowThatBreaksIt(
        _ column: String, _ severity: Finding.Severity, _ part: String
    ) async throws {
        let it = LintCase("", "ALTER TABLE email ADD COLUMN " + column, says: [severity])
        let finding = try #require(try await it.check(.addColumnFails).first)
        #expect(finding.message.contains(part), "\(finding.message)")
    }

    @Test(arguments: [
        LintCase(
            "on", "ALTER TABLE email ADD COLUMN other INTEGER DEFAULT 1 REFERENCES account(id)",
            says: [.error],
            tool: .d1),
        LintCase(
            "off until the commit",
            "ALTER TABLE email ADD COLUMN other INTEGER DEFAULT 1 REFERENCES account(id)", says: [.warning]),
    ]) func foreignKeys(_ it: LintCase) async throws { try await it.check(.addColumnFails) }

    @Test func tablesReleasedTogetherHaveNoRows() async throws {
        let it = LintCase("", "CREATE TABLE a(x)", "ALTER TABLE a ADD COLUMN y TEXT NOT NULL")
        try await it.check(.addColumnFails) { $0.since = "v1" }
        var again = it
        again.says = [.error]
        try await again.check(.addColumnFails)
        try await again.check(.addColumnFails) { $0.since = "v2" }
        try await it.check(.addColumnFails) {
            $0.onlyNew = true
            $0.locked = ["v1"]
        }
    }

    @Test func theHelpRuns() async throws {
        let it = LintCase("", "ALTER TABLE email ADD COLUMN seen TEXT NOT NULL", says: [.error])
        let help = try #require(try await it.check(.addColumnFails).first).help
        #expect(help.contains("ALTER TABLE email ADD COLUMN seen TEXT NOT NULL DEFAULT '';"))
    }

    @Test(arguments: [
        LintCase(
            "emptied before",
            "-- drydock: deletes from email\nDELETE FROM email; ALTER TABLE email ADD COLUMN x NOT NULL"),
        LintCase("a default that is folded", "ALTER TABLE email ADD COLUMN x DEFAULT (CAST('1' AS INTEGER))"),
    ]) func isSilentSinceSQLiteAcceptsIt(_ it: LintCase) async throws {
        try await it.check(.addColumnFails)
        #expect(try it.failure() == nil)
    }

    @Test(arguments: [
        LintCase(
            "rows of a new table",
            "CREATE TABLE a(x); INSERT INTO a VALUES (1); ALTER TABLE a ADD COLUMN y NOT NULL",
            says: [.error]),
        LintCase(
            "not all deleted",
            "-- drydock: deletes from email\nDELETE FROM email WHERE id = 1; ALTER TABLE email ADD COLUMN x NOT NULL",
            says: [.error]),
        LintCase(
            "deleted up to a limit",
            "-- drydock: deletes from email\nDELETE FROM email LIMIT 1; ALTER TABLE email ADD COLUMN x NOT NULL",
            says: [.error]),
        LintCase(
            "filled again",
            "-- drydock: deletes from account\nDELETE FROM account; INSERT INTO account(email) VALUES ('x'); ALTER TABLE account ADD COLUMN x NOT NULL",
            says: [.error]),
    ]) func knowsWhichTablesHaveRows(_ it: LintCase) async throws {
        try await it.check(.addColumnFails)
        #expect(try it.failure() != nil)
    }

    @Test(arguments: [
        LintCase(
            "a CHECK of another column", schema: "CREATE TABLE e(s);",
            "ALTER TABLE e ADD COLUMN x INTEGER CHECK (s <> 'a')", says: [.warning]),
        LintCase(
            "a default that STRICT refuses", schema: "CREATE TABLE e(s TEXT) STRICT;",
            "ALTER TABLE e ADD COLUMN x INTEGER NOT NULL DEFAULT 'x'", says: [.error]),
        LintCase(
            "a text for a BLOB", schema: "CREATE TABLE e(s TEXT) STRICT;",
            "ALTER TABLE e ADD COLUMN x BLOB NOT NULL DEFAULT ''", says: [.error]),
        LintCase(
            "a default that STRICT takes", schema: "CREATE TABLE e(s TEXT) STRICT;",
            "ALTER TABLE e ADD COLUMN x REAL NOT NULL DEFAULT 1"),
        LintCase(
            "a foreign key by default, checked at the end",
            schema: "CREATE TABLE q(id INTEGER PRIMARY KEY); CREATE TABLE e(s);",
            "ALTER TABLE e ADD COLUMN p INTEGER NOT NULL DEFAULT 0 REFERENCES q(id)", says: [.warning]),
        LintCase(
            "the same, filled", schema: "CREATE TABLE q(id INTEGER PRIMARY KEY); CREATE TABLE e(s);",
            "ALTER TABLE e ADD COLUMN p INTEGER NOT NULL DEFAULT 0 REFERENCES q(id); UPDATE e SET p = (SELECT min(id) FROM q)"
        ),
        LintCase(
            "an expression that is never NULL", schema: "CREATE TABLE e(n INTEGER);",
            "ALTER TABLE e ADD COLUMN x INT NOT NULL AS (coalesce(n, 0) + 1)"),
        LintCase(
            "an expression that can be NULL", schema: "CREATE TABLE e(n INTEGER);",
            "ALTER TABLE e ADD COLUMN x INT NOT NULL AS (n + 1)", says: [.warning]),
    ]) func valuesThatRowsMayHave(_ it: LintCase) async throws { try await it.check(.addColumnFails) }
}
