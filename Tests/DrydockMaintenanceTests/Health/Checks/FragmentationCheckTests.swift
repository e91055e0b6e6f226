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

    @Test func `an index is scattered by nature, which is only a note`() async throws {
        let it = try HealthCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(printf('%05d%0500d', x, 0));"
                + HealthCase.numbers(4000) + "INSERT INTO t SELECT n, n * 7919 % 4001 FROM s")
        let findings = try await it.findings("fragmentation")
        #expect(findings.map(\.severity) == [.note] && findings.first?.object == "i")
    }
}
