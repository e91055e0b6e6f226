import OverlayVFS
import Synchronization

/// Gives what was read of a mapped file back to the system from time to time, so that a database of any size is read with
/// little memory. SQLite polls it while it works.
final class MemoryRelease: Sendable {
    private let state = Mutex<(image: Image?, polls: Int)>((nil, 0))

    /// Between two polls a few megabytes are read.
    private static let interval = 12

    /// Calls a closure during which an image is read. It is not kept longer: its files close with it.
    func reading<Result>(_ image: Image, _ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.image = image }
        defer { state.withLock { $0.image = nil } }
        return try body()
    }

    func poll() {
        state.withLock { state in
            state.polls += 1
            if state.polls.isMultiple(of: Self.interval) { state.image?.releaseMemory() }
        }
    }
}
