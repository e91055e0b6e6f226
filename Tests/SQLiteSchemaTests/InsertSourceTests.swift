import SQLiteSchema
import Testing

@Suite struct InsertSourceTests {
    private func statement(_ sql: String) throws -> SQLStatement {
        try #require(SQLSource(name: "", sql).statements().first)
    }

    /// Returns the arms as they are written.
    private func arms(_ sql: String) throws -> [String] {
        let statement = try statement(sql)
        return (statement.insertSource?.arms ?? []).map { arm in
            statement.tokens[arm.tokens].map { $0.text(in: statement.source) }.joined(separator: " ")
        }
    }

    @Test(
        arguments: [
            ("INSERT INTO a SELECT * FROM b", ["SELECT * FROM b"]),
            ("INSERT INTO a VALUES (1), (2)", ["VALUES ( 1 ) , ( 2 )"]),
            ("REPLACE INTO m.a AS z (x) SELECT 1 UNION ALL SELECT 2 ORDER BY 1", ["SELECT 1", "SELECT 2"]),
            (
                "INSERT OR IGNORE INTO a SELECT x FROM b JOIN c ON d WHERE true ON CONFLICT DO NOTHING",
                ["SELECT x FROM b JOIN c ON d WHERE true"]
            ),
            ("INSERT INTO a WITH q AS (SELECT 1) SELECT * FROM q LIMIT 1", ["SELECT * FROM q"]),
            ("WITH q AS (SELECT 1) INSERT INTO a SELECT * FROM q RETURNING x", ["SELECT * FROM q"]),
            ("INSERT INTO a SELECT (SELECT 1 UNION SELECT 2)", ["SELECT ( SELECT 1 UNION SELECT 2 )"]),
            ("INSERT INTO a DEFAULT VALUES", []), ("INSERT INTO a VALUES", ["VALUES"]),
            ("UPDATE a SET x = 1", []), ("INSERT INTO", []),
        ] as [(String, [String])])
    func `an INSERT is split into its arms`(sql: String, expected: [String]) throws {
        #expect(try arms(sql) == expected)
    }

    @Test func `a tuple has items`() throws {
        let source = try statement("INSERT INTO a VALUES (new.x, f(1, 2), 'y'), (3, 4, 5)").insertSource
        let items = try #require(source?.arms.first?.items)
        #expect(items.count == 3 && items[0] == .column(table: "new", name: "x"))
    }

    @Test(
        arguments: [
            ("REPLACE INTO a VALUES (1)", true), ("INSERT OR REPLACE INTO a VALUES (1)", true),
            ("WITH q AS (SELECT 1) REPLACE INTO a SELECT * FROM q", true),
            ("INSERT OR IGNORE INTO a VALUES (1)", false),
            ("INSERT INTO a SELECT x OR replace(y, 1, 2) FROM b", false),
        ] as [(String, Bool)])
    func `REPLACE is recognised`(sql: String, expected: Bool) throws {
        #expect(try statement(sql).isReplace == expected)
    }

    @Test(
        arguments: [
            ("INSERT INTO a VALUES (1) ON CONFLICT(x) DO UPDATE SET y = 1, z = f(2, 3) WHERE q", ["y", "z"]),
            (
                "INSERT INTO a VALUES (1) ON CONFLICT(x) DO UPDATE SET (y, z) = (1, 2) ON CONFLICT DO UPDATE SET w = 1",
                ["y", "z", "w"]
            ),
            ("INSERT INTO a VALUES (1) ON CONFLICT DO NOTHING", []), ("UPDATE a SET x = 1", []),
        ] as [(String, [String])])
    func `an upsert gives its columns`(sql: String, expected: [String]) throws {
        #expect(try statement(sql).upsertColumns == expected)
    }

    @Test func `a trigger has statements`() throws {
        let trigger = try statement(
            """
            CREATE TRIGGER t AFTER UPDATE OF begin ON a WHEN begin > 1 BEGIN
              UPDATE a SET x = CASE WHEN 1 THEN 2 END; DELETE FROM b; END
            """)
        #expect(
            trigger.triggerBody.map(\.text) == ["UPDATE a SET x = CASE WHEN 1 THEN 2 END", "DELETE FROM b"])
        #expect(trigger.triggerBody.last?.location.line == 2)
        #expect(try statement("DELETE FROM b").triggerBody.isEmpty)
    }

    @Test func `CREATE TABLE AS has a source`() throws {
        let source = try statement(
            "CREATE TABLE IF NOT EXISTS a AS WITH q AS (SELECT * FROM b) SELECT x, * FROM q"
        )
        .tableSource
        #expect(source?.tables == ["b"])
        #expect(source?.items == [.column(table: nil, name: "x"), .star(table: nil)])
        #expect(try statement("CREATE TABLE a(x)").tableSource == nil)
    }
}
