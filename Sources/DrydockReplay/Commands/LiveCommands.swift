import Foundation
import Synchronization

/// The commands that are running and the folders of their copies: none of them may outlive this process.
package enum LiveCommands {
    private struct State {
        var groups: [pid_t: LeftProcesses] = [:]
        var folders: Set<String> = []
        var isOver = false
    }

    private static let state = Mutex(State())

    static func add(_ group: LeftProcesses) {
        state.withLock { state in
            state.groups[group.group] = group
            if state.isOver { group.end(after: .zero) }
        }
    }

    static func remove(_ group: LeftProcesses) { state.withLock { $0.groups[group.group] = nil } }

    package static func add(_ folder: String) {
        state.withLock { state in
            state.folders.insert(folder)
            if state.isOver { try? FileManager.default.removeItem(atPath: folder) }
        }
    }

    static func remove(_ folder: String) { state.withLock { _ = $0.folders.remove(folder) } }

    /// Ends all commands and deletes all copies, before the process ends without waiting for its work.
    package static func end() {
        state.withLock { state in
            state.isOver = true
            for group in state.groups.values { group.end(after: .zero) }
            for folder in state.folders { try? FileManager.default.removeItem(atPath: folder) }
        }
    }
}
