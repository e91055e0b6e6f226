import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct RowidHeadroomCheckTests {
    @Test(
        arguments: [(1_000, nil), (5_000_000_000_000_000_000, .warning), (Int64.max, .error)]
            as [(Int64, Finding.Severity?)])
    func `ids near the end`(id: Int64, severity: Finding.Severity?) async throws {
        let it = try HealthCase("CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES(\(id))")
        #expect(try await it.findings("rowid-headroom").first?.severity == severity)
    }

    @Test func `an AUTOINCREMENT mark counts when the row is gone`() async throws {
        let it = try HealthCase(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES(9223372036854775807);
            DELETE FROM t
            """)
        #expect(try await it.findings("rowid-headroom").map(\.severity) == [.error])
    }
}
