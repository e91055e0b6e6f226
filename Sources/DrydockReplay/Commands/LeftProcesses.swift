import DrydockFindings
import DrydockMigrations
import Foundation

/// The processes that a command started, those in the background included.
///
/// They are those of its process group. On Linux also those that left the group: the path of the private copy, which is in
/// their environment, is in no other process's.
struct LeftProcesses: Sendable {
    let group: pid_t
    private let mark: [UInt8]

    /// - Parameter mark: the variables of the command.
    init(group: pid_t, mark variables: [String: String]) {
        self.group = group
        let name = ProjectCommand.databaseVariable
        mark = Array("\(name)=\(variables[name] ?? "")".utf8)
    }

    /// Returns what still runs after a time in which it may end by itself; empty as soon as nothing does.
    func names(after time: Duration) -> [String] {
        let deadline = ContinuousClock.now + time
        while true {
            let names = names
            if names.isEmpty || ContinuousClock.now >= deadline { return names }
            usleep(20_000)
        }
    }

    /// Asks all of them to end, and kills those that do not.
    func end(after patience: Duration) {
        if patience > .zero, !names.isEmpty {
            send(SIGTERM)
            _ = names(after: patience)
        }
        // One may start another while it is being killed.
        for _ in 0..<Self.attempts where !names.isEmpty {
            send(SIGKILL)
            usleep(5000)
        }
    }

    private static let attempts = 20

    private func send(_ signal: Int32) {
        kill(-group, signal)
        #if os(Linux)
        for process in Self.processes where isMarked(process) { kill(process, signal) }
        #endif
    }

    #if os(Linux)
    private var names: [String] {
        Self.processes.compactMap { process in
            guard let stat = Self.contents("\(process)/stat"), let end = stat.lastIndex(of: UInt8(ascii: ")"))
            else {
                return nil
            }
            // After the name: state, parent, group (see proc(5)).
            let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 3)
            guard fields.count > 2, fields[0].first != UInt8(ascii: "Z"),
                fields[0].first != UInt8(ascii: "X"),
                Int32(String(decoding: fields[2], as: UTF8.self)) == group || isMarked(process)
            else { return nil }
            let line = (Self.contents("\(process)/cmdline") ?? []).split(separator: 0).map {
                String(decoding: $0, as: UTF8.self)
            }
            return line.isEmpty ? "process \(process)" : String(line.joined(separator: " ").prefix(100))
        }
    }

    private static var processes: [pid_t] {
        (FolderListing.entries(in: "/proc") ?? []).compactMap { pid_t($0.name) }.filter { $0 != getpid() }
    }

    private func isMarked(_ process: pid_t) -> Bool {
        guard let environment = Self.contents("\(process)/environ") else { return false }
        return environment.split(separator: 0).contains { $0.elementsEqual(mark) }
    }

    private static func contents(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "/proc/" + name).map(Array.init)
    }
    #else
    private var names: [String] {
        kill(-group, 0) == 0 ? ["a process of the group \(group)"] : []
    }
    #endif
}
