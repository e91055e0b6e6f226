import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DefaultTypeRuleTests {
    @Test(arguments: [
        "BOOLEAN DEFAULT 'false'", "bool NOT NULL DEFAULT 'true'", "BOOLEAN DEFAULT ''",
        "BOOLEAN DEFAULT \"false\"", "BOOLEAN DEFAULT no", "INTEGER DEFAULT ''", "INTEGER DEFAULT 'none'",
        "INT DEFAULT '1 day'", "TINYINT(1) DEFAULT 'true'", "REAL DEFAULT 'n/a'", "DOUBLE DEFAULT ''",
        "NUMERIC DEFAULT 'x'", "DECIMAL(10,2) NOT NULL DEFAULT '1,5'", "INTEGER DEFAULT CURRENT_TIMESTAMP",
        "BIGINT DEFAULT (datetime('now'))", "INTEGER DEFAULT x'00'",
    ]) func says(_ type: String) async throws {
        let it = LintCase("", "CREATE TABLE a(id INTEGER PRIMARY KEY, x \(type), y TEXT)", says: [.warning])
        try await it.check(.defaultOfAnotherType)
        for rule in [Rule.doubleQuotedString, .defaultIsIdentifier] {
            try await LintCase("", it.steps[1]).check(rule)
        }
        let database = try PlainDatabase()
        try database.execute(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, x \(type)); INSERT INTO a(id) VALUES (1)")
        let stored = try database.rows("SELECT typeof(x) FROM a") { $0.string(0) }
        #expect(stored == ["text"] || stored == ["blob"])
    }

    @Test(arguments: [
        "BOOLEAN DEFAULT FALSE", "BOOLEAN DEFAULT 0", "BOOLEAN DEFAULT '0'", "BOOLEAN DEFAULT NULL",
        "BOOLEAN",
        "INTEGER DEFAULT '1'", "INTEGER DEFAULT 1.5", "INTEGER DEFAULT (unixepoch())", "REAL DEFAULT '1.5'",
        "INTEGER DEFAULT (CAST(strftime('%s', 'now') AS INTEGER))", "INTEGER DEFAULT (strftime('%s', 'now'))",
        "TEXT DEFAULT 'false'", "TEXT DEFAULT 0", "VARCHAR(5) DEFAULT ''", "BLOB DEFAULT ''", "DEFAULT 'x'",
        "DATETIME DEFAULT CURRENT_TIMESTAMP", "TIMESTAMP DEFAULT '1970-01-01'", "DATE DEFAULT ''",
        "JSON DEFAULT '{}'", "UUID DEFAULT 'x'", "STRING DEFAULT ''", "INTERVAL DEFAULT '1 day'",
        "POINT DEFAULT '0,0'", "ENUM DEFAULT 'a'",
    ]) func isSilent(_ type: String) async throws {
        try await LintCase("", "CREATE TABLE a(id INTEGER PRIMARY KEY, x \(type), y TEXT)")
            .check(.defaultOfAnotherType)
    }

    @Test func truthValuesAreCorrected() async throws {
        let it = LintCase(
            "", "ALTER TABLE email ADD COLUMN done BOOLEAN NOT NULL DEFAULT 'false'", says: [.warning])
        let finding = try #require(try await it.check(.defaultOfAnotherType).first)
        #expect(
            finding.message
                == "the default of email.done is the text 'false': in a column of type BOOLEAN it stays text, which equals neither TRUE nor FALSE"
        )
        #expect(finding.help.contains("Write FALSE, which is 0:"))
        #expect(finding.help.contains("ADD COLUMN done BOOLEAN NOT NULL DEFAULT FALSE;"))
        let old = try await it.check(.defaultOfAnotherType) { $0.minimumSQLite = SQLiteVersion("3.22") }
        #expect(old.first?.help.contains("NOT NULL DEFAULT 0;") == true)
    }

    @Test func theTextEqualsNoTruthValue() throws {
        let database = try PlainDatabase()
        try database.execute(
            "CREATE TABLE a(id, x BOOLEAN DEFAULT 'true', y BOOLEAN DEFAULT 'false'); INSERT INTO a(id) VALUES (1)"
        )
        let equal = "SELECT x = TRUE OR x = FALSE OR y = TRUE OR y = FALSE FROM a"
        #expect(try database.rows(equal) { $0.integer(0) } == [0])
        #expect(try database.rows("SELECT x IS TRUE FROM a") { $0.integer(0) } == [0])
    }

    @Test func aStrictTableRefusesIt() async throws {
        let made = "CREATE TABLE a(id INTEGER PRIMARY KEY, x INTEGER DEFAULT 'none') STRICT"
        try await LintCase("", made, says: [.error]).check(.defaultOfAnotherType)
        let added = LintCase(
            "", schema: "CREATE TABLE a(id INTEGER PRIMARY KEY) STRICT",
            "ALTER TABLE a ADD COLUMN x INTEGER DEFAULT 'none'")
        try await added.check(.defaultOfAnotherType)
        var reported = added
        reported.says = [.error]
        try await reported.check(.addColumnFails)
        let database = try PlainDatabase()
        try database.execute(made)
        #expect(throws: PlainDatabase.Failure.self) { try database.execute("INSERT INTO a(id) VALUES (1)") }
    }

    @Test func onlyNewColumnsAreReported() async throws {
        let made = "CREATE TABLE a(id INTEGER PRIMARY KEY, x BOOLEAN DEFAULT 'no');"
        try await LintCase(
            "", schema: LintCase.mail, made, "ALTER TABLE a ADD COLUMN y TEXT", says: [.warning]
        )
        .check(.defaultOfAnotherType)
        try await LintCase("", made, "ALTER TABLE a RENAME TO b", says: [.warning]).check(
            .defaultOfAnotherType)
        try await LintCase("", schema: LintCase.mail, made, "DROP TABLE a", says: [.note])
            .check(.defaultOfAnotherType)
    }
}
