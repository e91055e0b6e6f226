import DatabaseEngine
import Drydock
import DrydockFindings
import TestTools
import Testing

@testable import DrydockTestSupport

/// Texts and names in SQL, as SQLite reads them back.
@Suite struct QuotingTests {
    /// What begins, ends or joins tokens, and what joins the character before it.
    private static let letters = [
        "a", "'", "\"", "`", "[", "]", ";", "--", " ", "\\", "\n", "\r\n", "é", "\u{301}", "\u{200d}",
        "\u{fe0f}",
    ]

    @Test func `every text and name is read back as it was`() throws {
        for seed in seeds(100, of: 10_000) {
            var random = SeededGenerator(seed: seed)
            let text = (0...random.below(5)).map { _ in random.pick(Self.letters) }.joined()
            let database = try PlainDatabase()
            let comment = Comment(rawValue: text)
            let read = try database.rows("SELECT \(quotedText(text)) AS \(quotedName(text))") {
                [$0.value(0), SQLValue($0.columnName(0))]
            }
            #expect(read == [[SQLValue(text), SQLValue(text)]], comment)
            try database.execute("CREATE TABLE \(quotedName(text))(\(quotedName(text + "x")))")
            let names = try database.rows("SELECT name FROM sqlite_schema") { $0.value(0) }
            #expect(names == [SQLValue(text)], comment)
        }
    }

    private static let schema = """
        CREATE TABLE "a""\u{301}"(id INTEGER PRIMARY KEY, "b""\u{301}" TEXT DEFAULT 'x''\u{301}');

        """
    private static let rows = "INSERT INTO \"a\"\"\u{301}\" VALUES (1, 'x'), (2, '''\u{301}');"

    @Test(arguments: [
        RuleCase("nothing happens", "SELECT 1", schema: schema, rows: rows),
        RuleCase(
            "a row is lost", "DELETE FROM [a\"\u{301}] WHERE id = 2", schema: schema, rows: rows,
            errors: [.rowsLost]),
        RuleCase(
            "a declared loss",
            "-- drydock: deletes from \"a\"\"\u{301}\" where \"b\"\"\u{301}\" <> 'x'\nDELETE FROM [a\"\u{301}] WHERE id = 2",
            schema: schema, rows: rows),
        RuleCase(
            "a value changes", "UPDATE [a\"\u{301}] SET [b\"\u{301}] = 'y' WHERE id = 1", schema: schema,
            rows: rows, errors: [.valuesChanged]),
        RuleCase(
            "the table is renamed", "ALTER TABLE [a\"\u{301}] RENAME TO [c'\u{301}]", schema: schema,
            rows: rows),
    ])
    func `a quote before a combining mark is a quote`(_ it: RuleCase) async throws { try await it.check() }
}
