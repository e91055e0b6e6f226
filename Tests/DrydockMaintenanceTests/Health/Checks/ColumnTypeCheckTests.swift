import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct ColumnTypeCheckTests {
    @Test func `text in an INTEGER column is counted, dates are left alone`() async throws {
        let it = try HealthCase(
            """
            CREATE TABLE t(a INTEGER, b REAL, c TEXT, d DATE, e);
            INSERT INTO t VALUES(1, 1.5, 'x', '2024-01-01', x'00'), ('one', 2, x'01', 5, 6), (2.5, NULL, NULL, NULL, NULL)
            """)
        let found = try await it.findings("column-type")
        #expect(Set(found.map { "\($0.object ?? "") \($0.evidence?.rowCount ?? 0)" }) == ["a 2", "c 1"])
    }
}
