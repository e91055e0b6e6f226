import Foundation
import TestTools

/// A small file system in memory; only root may mount one, and only on Linux.
final class SmallDisk {
    let path: String

    /// - Returns: nil where it cannot be mounted.
    init?(bytes: Int) throws {
        path = FileManager.default.temporaryDirectory.path + "/drydock-disk-\(UUID().uuidString)"
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: "/bin/mount") else { return nil }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard try Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", path) else {
            try FileManager.default.removeItem(atPath: path)
            return nil
        }
    }

    /// Keeps everybody from writing, root too.
    func makeReadOnly() throws -> Bool { try Self.run("/bin/mount", "-o", "remount,ro", path) }

    deinit {
        _ = try? Self.run("/bin/umount", path)
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func run(_ tool: String, _ arguments: String...) throws -> Bool {
        let process = ChildProcess()
        process.executableURL = URL(filePath: tool)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
