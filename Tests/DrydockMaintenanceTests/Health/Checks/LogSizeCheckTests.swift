import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct LogSizeCheckTests {
    @Test func `a log beyond the threshold is reported`() async throws {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        let writer = try PlainDatabase(it.path)
        try writer.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES(zeroblob(200000))")
        #expect(try await it.findings("wal-size").isEmpty)
        let found = try await it.findings("wal-size") {
            $0.thresholds["wal-size"] = HealthThreshold(
                warning: AlertRange("0:1000"), critical: AlertRange("0:100000"))
        }
        #expect(found.map(\.severity) == [.error])
    }
}
