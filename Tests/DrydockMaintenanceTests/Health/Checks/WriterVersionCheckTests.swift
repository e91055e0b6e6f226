import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct WriterVersionCheckTests {
    @Test(
        arguments: [
            (3_040_001, true), (3_051_002, true), (3_051_003, false), (3_050_006, true), (3_050_007, false),
            (3_044_006, false), (3_044_005, true), (3_053_000, false),
        ] as [(UInt32, Bool)])
    func `the bug of resetting a log`(version: UInt32, isFound: Bool) async throws {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        try it.stamp(version)
        let found = try await it.findings("sqlite-version").filter {
            $0.message.contains("wrote last") || version == 3_040_001
        }
        #expect(found.contains { $0.object == "wal-reset" } == isFound)
        #expect(found.allSatisfy { $0.severity == .note })
    }

    @Test(
        arguments: [(3_034_001, false), (3_035_000, true), (3_037_001, true), (3_037_002, false)]
            as [(UInt32, Bool)])
    func `the bug of savepoints, in any journal mode`(version: UInt32, isFound: Bool) async throws {
        let it = try HealthCase()
        try it.stamp(version)
        let found = try await it.findings("sqlite-version")
        #expect(found.contains { $0.object == "savepoint-journal" } == isFound)
        #expect(!found.contains { $0.object == "wal-reset" })
    }
}

extension HealthCase {
    /// Writes the version of the last writing library into the header.
    func stamp(_ version: UInt32) throws {
        try overwrite(withUnsafeBytes(of: version.bigEndian) { Array($0) }, at: 96)
    }
}
