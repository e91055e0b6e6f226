import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct CompiledObjectsCheckTests {
    @Test func `a view and a trigger that do not compile are errors`() async throws {
        let it = try HealthCase(
            """
            CREATE TABLE a(x); CREATE TABLE b(y); CREATE VIEW good AS SELECT x FROM a;
            CREATE VIEW bad AS SELECT y FROM b; CREATE TRIGGER fires AFTER INSERT ON a BEGIN INSERT INTO b VALUES(1); END;
            """)
        #expect(try await it.findings("view-broken").isEmpty)
        try it.execute(
            "PRAGMA foreign_keys = off; PRAGMA writable_schema = on; DELETE FROM sqlite_schema WHERE name = 'b'"
        )
        let found = try await it.findings("view-broken")
        #expect(Set(found.map(\.object)) == ["bad", "fires"])
        #expect(found.allSatisfy { $0.severity == .error })
    }

    /// SQLite has other words for a function in an expression of the table.
    @Test func `a trigger on a table with an unknown function is not reached`() async throws {
        let it = try HealthCase(
            "CREATE TABLE a(x, y AS (x)); CREATE TRIGGER fires AFTER INSERT ON a BEGIN SELECT 1; END")
        try it.execute(
            "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, 'AS (x)', 'AS (own(x))')"
        )
        let health = try await it.health()
        #expect(!health.findings.contains { $0.rule == .viewBroken }, "\(health.findings.map(\.line))")
        #expect(health.notReached.contains { $0.rule == .viewBroken })
    }

    @Test func `what an app registers is not reached, and a stand-in reaches it`() async throws {
        let it = try HealthCase("CREATE TABLE a(x)")
        try it.execute(
            "PRAGMA writable_schema = on; INSERT INTO sqlite_schema VALUES('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT own(x) FROM a')"
        )
        let health = try await it.health()
        #expect(health.findings.allSatisfy { $0.rule != .viewBroken })
        #expect(health.notReached.contains { $0.rule == .viewBroken })
        let standing = try await it.health {
            $0.functions = [.init(name: "own", argumentCount: nil, result: .constant(.null))]
        }
        #expect(standing.checked.contains(.viewBroken))
    }
}
