import DatabaseEngine
import Foundation
import GRDBEngine
import OverlayVFS
import Synchronization
import Testing

@testable import DrydockMaintenance

@Suite struct LiveOverlayTests {
    /// A thread that ran a slice may let its image go when the next lock is held.
    @Test func `an image of an earlier slice that is freed later leaves the lock`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        try PlainDatabase(path).execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let live = LiveOverlay(
            engine: GRDBDriver(), path: path, settings: ConnectionSettings(), limit: .seconds(86_400),
            isStopped: { false })
        let kept = Mutex<Image?>(nil)
        try await live.slice { slice in kept.withLock { $0 = slice.image } }
        await live.close()
        let isLocked = try await live.slice { _ in
            kept.withLock { $0 = nil }
            return try Self.cannotWrite(path)
        }
        await live.close()
        #expect(isLocked)
        #expect(try !Self.cannotWrite(path))
    }

    /// Whether another process cannot write the file. A connection of this process would not see its own locks.
    private static func cannotWrite(_ path: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", path, "INSERT INTO t VALUES (2)"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus != 0
    }
}
