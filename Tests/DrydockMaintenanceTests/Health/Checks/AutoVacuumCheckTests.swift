import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct AutoVacuumCheckTests {
    @Test(arguments: ["incremental", "full", "none"])
    func `incremental that is never run is reported`(mode: String) async throws {
        let it = try HealthCase(
            "PRAGMA auto_vacuum = \(mode); CREATE TABLE t(x);" + HealthCase.numbers(500)
                + "INSERT INTO t SELECT zeroblob(1000) FROM s; DELETE FROM t")
        #expect(try await it.findings("auto-vacuum").count == (mode == "incremental" ? 1 : 0))
        try it.execute("PRAGMA incremental_vacuum")
        #expect(try await it.findings("auto-vacuum").isEmpty)
    }
}
