import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct FragmentationCheckTests {
    @Test func `scattered leaves are reported, leaves in order are not`() async throws {
        let it = try HealthCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x);" + HealthCase.numbers(4000)
                + "INSERT INTO t SELECT n * 7919 % 4001, zeroblob(500) FROM s")
        #expect(try await it.findings("fragmentation").map(\.severity) == [.warning])
        try it.execute("VACUUM")
        #expect(try await it.findings("fragmentation").isEmpty)
    }
}
