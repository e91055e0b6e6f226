import Synchronization

/// A log of what SQLite does to the named files of an overlay, from which the states follow that a power cut can leave.
///
/// It records the overlays that are created while it is the task's log: `Overlay.$writeLog.withValue(log) { ... }`.
package final class WriteLog: Sendable {
    enum Operation: Sendable {
        case create(FilePath)
        case write(FilePath, offset: Int, [UInt8])
        case truncate(FilePath, to: Int)
        case sync(FilePath)
        /// - isDurable: whether the folder is synced too.
        case delete(FilePath, isDurable: Bool)

        var path: FilePath {
            switch self {
            case .create(let path), .write(let path, _, _), .truncate(let path, _), .sync(let path),
                .delete(let path, _):
                path
            }
        }

        var isSync: Bool { if case .sync = self { true } else { false } }
    }

    private struct State {
        var isOn = false
        var operations: [Operation] = []
        var byteCount = 0
        var isFull = false
    }

    private let byteLimit: Int
    private let state = Mutex(State())

    /// - Parameter byteLimit: how many written bytes are kept.
    package init(byteLimit: Int = 256 << 20) { self.byteLimit = byteLimit }

    /// Begins to record.
    package func begin() { state.withLock { $0.isOn = true } }

    /// How many operations were recorded.
    package var count: Int { state.withLock { $0.operations.count } }

    /// Whether more was written than is kept.
    package var isFull: Bool { state.withLock { $0.isFull } }

    var operations: [Operation] { state.withLock { $0.operations } }

    func note(_ operation: Operation) {
        state.withLock { state in
            guard state.isOn, !state.isFull else { return }
            if case .write(_, _, let bytes) = operation { state.byteCount += bytes.count }
            if state.byteCount > byteLimit {
                state.isFull = true
            } else {
                state.operations.append(operation)
            }
        }
    }
}
