import Foundation
import Testing

@testable import DrydockFindings
@testable import DrydockLock
@testable import DrydockReplay
@testable import DrydockTestSupport

/// Checks that the repository's lock is what `drydock lock` makes of its sample.
@Suite struct SampleLockTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Copies the sample, because the test writes a lock.
    private func sample() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["Migrations", "Snapshots", "drydock.lock"] {
            try FileManager.default.copyItem(
                at: Self.root.appending(path: name), to: URL(filePath: folder.file(name)))
        }
        return folder
    }

    @Test func `the sample satisfies its lock, and nothing is missing`() async throws {
        let report = try await sample().checkLock()
        report.expectNothing()
        #expect(report.lock?.unlocked == [])
        #expect(report.lock?.migrationCount == 12 && report.lock?.snapshotCount == 7)
    }

    /// Baselines belong to the SQLite that made them.
    @Test func `a new lock of the sample is the same`() async throws {
        let folder = try sample()
        let committed = try #require(try Lock.load(folder.file("drydock.lock")))
        try folder.remove("drydock.lock")
        try await folder.lock { $0.date = committed.snapshots[0].date }.expectNothing()
        let new = try #require(try Lock.load(folder.file("drydock.lock")))
        #expect(new.withoutBaselines == committed.withoutBaselines)
        #expect(committed.snapshots.flatMap(\.baselines.values).allSatisfy { $0 == "clean" })
    }
}

extension Lock {
    fileprivate var withoutBaselines: Lock {
        var lock = self
        for index in lock.snapshots.indices { lock.snapshots[index].baselines = [:] }
        return lock
    }
}
