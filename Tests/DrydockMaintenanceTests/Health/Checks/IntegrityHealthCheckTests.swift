import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct IntegrityHealthCheckTests {
    private func damaged() throws -> HealthCase {
        let it = try HealthCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX t_x ON t(x);"
                + "CREATE TABLE n(y NOT NULL);" + HealthCase.numbers(300) + "INSERT INTO t SELECT n, n FROM s"
        )
        try it.execute(
            "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = 'CREATE INDEX t_x ON t(x) WHERE x > 0' WHERE name = 't_x'"
        )
        try it.execute("UPDATE t SET x = -x WHERE id <= 150")
        try it.execute(
            "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = 'CREATE INDEX t_x ON t(x)' WHERE name = 't_x'"
        )
        return it
    }

    @Test func `entries that an index lacks are found by --deep, all of them, under the index`() async throws
    {
        let it = try damaged()
        #expect(try await it.findings("integrity-failure").isEmpty)
        let found = try await it.findings("integrity-failure") { $0.isDeep = true }
        let index = try #require(found.first { $0.object == "t_x" })
        #expect(index.severity == .error && index.table == "t")
        #expect((index.evidence?.details.count ?? 0) >= 150)
        #expect(index.help.contains("REINDEX t_x"))
    }

    @Test func `a page of nonsense is found by the quick check`() async throws {
        let it = try HealthCase(
            "CREATE TABLE t(x);" + HealthCase.numbers(3000) + "INSERT INTO t SELECT hex(n) FROM s")
        try it.overwrite(Array(repeating: 0xFF, count: 4096), at: 4096 * 3)
        let found = try await it.findings("integrity-failure")
        #expect(found.contains { $0.severity == .error && !($0.evidence?.details.isEmpty ?? true) })
    }

    @Test func `rows that break a constraint are errors of their table`() async throws {
        let it = try HealthCase("CREATE TABLE n(y); INSERT INTO n VALUES(NULL)")
        try it.execute(
            "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = 'CREATE TABLE n(y NOT NULL)' WHERE name = 'n'"
        )
        let found = try await it.findings("integrity-failure")
        #expect(found.map(\.severity) == [.error] && found.first?.table == "n")
    }
}
