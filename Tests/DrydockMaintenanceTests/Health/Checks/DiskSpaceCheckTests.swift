import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct DiskSpaceCheckTests {
    @Test func `too little space is reported`() async throws {
        let it = try HealthCase()
        #expect(try await it.findings("disk-space").isEmpty)
        let found = try await it.findings("disk-space") {
            $0.thresholds["disk-space"] = HealthThreshold(warning: AlertRange("99999999999:"))
        }
        #expect(found.map(\.severity) == [.warning])
    }
}
