import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DefaultIdentifierRuleTests {
    @Test(arguments: [
        LintCase("a word", "CREATE TABLE a(at TEXT DEFAULT now)", says: [.warning]),
        LintCase("of a new column", "ALTER TABLE email ADD COLUMN at TEXT DEFAULT now", says: [.warning]),
        LintCase(
            "a value", "CREATE TABLE a(x DEFAULT true, y DEFAULT NULL, z DEFAULT CURRENT_DATE, w DEFAULT -1)"),
        LintCase("a string", "CREATE TABLE a(x DEFAULT 'now')"),
        LintCase(
            "an action",
            "CREATE TABLE a(x DEFAULT 1 REFERENCES account ON DELETE SET DEFAULT ON UPDATE CASCADE)"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.defaultIsIdentifier) }

    @Test func theDefaultIsText() throws {
        let database = try PlainDatabase()
        try database.execute("CREATE TABLE a(id, at TEXT DEFAULT now); INSERT INTO a(id) VALUES (1)")
        #expect(try database.rows("SELECT at FROM a") { $0.string(0) } == ["now"])
    }
}
