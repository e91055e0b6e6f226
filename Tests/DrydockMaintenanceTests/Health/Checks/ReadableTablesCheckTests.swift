import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ReadableTablesCheckTests {
    private static let schema =
        "CREATE TABLE t(id INTEGER PRIMARY KEY, p TEXT, k AS (json_extract(p, '$.k')));"

    @Test func `a generated column that fails on a row is an error of --deep`() async throws {
        let it = try HealthCase(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, p TEXT); INSERT INTO t VALUES (1, '{}'), (7, 'no'), (8, NULL);
            ALTER TABLE t ADD COLUMN k AS (json_extract(p, '$.k'));
            """)
        let health = try await it.health { $0.isDeep = true }
        let found = health.findings.filter { $0.rule == .tableUnreadable }
        #expect(found.map(\.severity) == [.error])
        #expect(found.first?.table == "t" && found.first?.object == "k")
        #expect(found.first?.message.contains("malformed JSON") == true)
        #expect(found.first?.evidence?.rows.first?.key.first?.value.literal == "7")
    }

    @Test func `a sound generated column is not an error`() async throws {
        let it = try HealthCase(
            Self.schema
                + "INSERT INTO t(id, p) VALUES (1, '{}'); CREATE TABLE w(a PRIMARY KEY, b AS (a)) WITHOUT ROWID;"
        )
        #expect(try await it.findings("table-unreadable") { $0.isDeep = true }.isEmpty)
    }

    @Test(arguments: [true, false])
    func `an unknown function may be the program's own`(isDeep: Bool) async throws {
        let it = try HealthCase(Self.schema + "ALTER TABLE t ADD COLUMN m AS (nosuch(id));")
        let found = try await it.findings("table-unreadable") { $0.isDeep = isDeep }
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.message.contains("nosuch") == true)
    }

    @Test(arguments: ["k AS (date('now'))", "d DEFAULT (nosuch())", "CHECK (a < date('now'))"])
    func `an expression that fails for every row is found without a row`(_ column: String) async throws {
        let it = try HealthCase(
            "CREATE TABLE u(a, \(column)); CREATE TABLE v(a, b DEFAULT (datetime('now')))")
        let found = try await it.findings("table-unreadable")
        #expect(found.map(\.table) == ["u"])
        #expect(found.map(\.severity) == [column.contains("nosuch") ? .warning : .error])
    }
}
