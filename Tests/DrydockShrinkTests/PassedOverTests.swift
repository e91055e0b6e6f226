import SQLiteSchema
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

/// What a statement would refuse if nothing told it to pass over it.
@Suite struct PassedOverTests {
    @Test(arguments: [
        ("INSERT OR IGNORE INTO t SELECT 1", "INSERT OR ABORT INTO t SELECT 1"),
        (
            "REPLACE INTO t VALUES (replace('a', 'b', 'c'))",
            "INSERT OR ABORT INTO t VALUES (replace('a', 'b', 'c'))"
        ),
        ("INSERT INTO t VALUES (1)", "INSERT OR ABORT INTO t VALUES (1)"),
        (
            "WITH n AS (SELECT 1) INSERT OR REPLACE INTO t SELECT * FROM n",
            "WITH n AS (SELECT 1) INSERT OR ABORT INTO t SELECT * FROM n"
        ),
        ("UPDATE OR REPLACE t SET a = 1", "UPDATE OR ABORT t SET a = 1"),
        ("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "INSERT OR ABORT INTO t VALUES (1) "),
        (
            "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2 RETURNING a",
            "INSERT OR ABORT INTO t VALUES (1) RETURNING a"
        ),
    ])
    func conflictsStopTheStatement(sql: String, strict: String) throws {
        let statement = try #require(SQLSource(name: "a", sql).statements().first)
        let result = try #require(PassedOver.strict(statement))
        #expect(result.text.trimmingPrefix(" ") == strict.trimmingPrefix(" ") || result.text + " " == strict)
    }

    @Test(arguments: ["DELETE FROM t", "DROP TABLE t", "CREATE TABLE u(a UNIQUE ON CONFLICT IGNORE)"])
    func otherStatementsHaveNone(sql: String) throws {
        let statement = try #require(SQLSource(name: "a", sql).statements().first)
        #expect(PassedOver.strict(statement) == nil)
    }
}
