#if canImport(Glibc)
import DrydockReplay
import Glibc
#else
import Darwin
#endif

/// Measures how fast a folder's disk takes writes, with an unnamed file that is gone at once.
enum DiskRate {
    /// In bytes.
    private static let size = 8 << 20

    /// - Returns: Bytes per second, synced; nil if it cannot be measured, or if there is hardly any free space.
    static func measure(in folder: String) -> Double? {
        #if canImport(Glibc)
        guard let free = DiskSpace.free(in: folder), free > 4 * size else { return nil }
        let noName: Int32 = 0o20000000 | O_DIRECTORY  // O_TMPFILE, a macro that Swift does not import
        let descriptor = open(folder, noName | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let chunk = [UInt8](repeating: 0x5a, count: 1 << 20)
        let start = ContinuousClock.now
        for _ in 0..<(size / chunk.count) {
            guard write(descriptor, chunk, chunk.count) == chunk.count else { return nil }
        }
        guard fsync(descriptor) == 0 else { return nil }
        return Double(size) / max(1e-6, (ContinuousClock.now - start).inSeconds)
        #else
        return nil
        #endif
    }
}
