import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct FreelistCheckTests {
    @Test(arguments: [(3000, true), (20, false)])
    func `a large share is reported, unless it is small in bytes`(rows: Int, isFound: Bool) async throws {
        let it = try HealthCase(
            "CREATE TABLE t(x);" + HealthCase.numbers(rows)
                + "INSERT INTO t SELECT zeroblob(1000) FROM s; DELETE FROM t")
        #expect(try await it.findings("freelist").map(\.severity) == (isFound ? [.warning] : []))
        let measure = try await it.health().measures.first { $0.name == "freelist_ratio" }
        #expect((measure?.value ?? 0) > 0.5)
    }
}
