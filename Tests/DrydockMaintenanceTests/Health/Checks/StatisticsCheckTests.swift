import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct StatisticsCheckTests {
    @Test func `missing statistics are a note, old ones a warning, fresh ones nothing`() async throws {
        let it = try HealthCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX t_x ON t(x);"
                + HealthCase.numbers(2000) + "INSERT INTO t SELECT n, n FROM s")
        #expect(try await it.findings("statistics").map(\.severity) == [.note])
        try it.execute("ANALYZE")
        #expect(try await it.findings("statistics").isEmpty)
        try it.execute(HealthCase.numbers(30000) + "INSERT INTO t(x) SELECT n FROM s")
        #expect(try await it.findings("statistics").map(\.severity) == [.warning])
    }
}
