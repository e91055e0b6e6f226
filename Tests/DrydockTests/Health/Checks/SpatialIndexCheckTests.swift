import Drydock
import Foundation
import Testing

@Suite struct SpatialIndexCheckTests {
    @Test func `a node that lost its parent is an error`() async throws {
        let it = try HealthCase(
            "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);" + HealthCase.numbers(500)
                + "INSERT INTO r SELECT n, n, n + 1 FROM s")
        #expect(try await it.findings("spatial-index").isEmpty)
        try it.execute("DELETE FROM r_rowid WHERE rowid < 10")
        let found = try await it.findings("spatial-index")
        #expect(found.map(\.severity) == [.error] && found.first?.table == "r")
    }
}
