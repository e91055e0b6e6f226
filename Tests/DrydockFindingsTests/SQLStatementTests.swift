import DrydockFindings
import SQLiteSchema
import Testing

@Suite struct SQLStatementTests {
    @Test(arguments: [
        ("SELECT * FROM a", false), ("SELECT * FROM a WHERE x", true), ("SELECT * FROM a LIMIT 1", true),
        ("SELECT * FROM a WHERE x UNION ALL SELECT * FROM a WHERE NOT x", false),
        ("SELECT * FROM a WHERE x UNION ALL SELECT * FROM b", true),
        ("SELECT * FROM a WHERE x UNION ALL SELECT * FROM a WHERE NOT x LIMIT 9", true),
    ])
    func `a copy takes only some rows where a limit cuts it or its only SELECT has a condition`(
        query: String, takesSome: Bool
    ) throws {
        let statement = try #require(SQLSource(name: "", "INSERT INTO c \(query)").statements().first)
        #expect(statement.takesSome(of: "a") == takesSome)
    }
}
