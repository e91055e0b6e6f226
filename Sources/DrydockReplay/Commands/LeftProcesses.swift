import DrydockFiles
import DrydockMigrations
import Foundation

/// The processes that a command started, those in the background included.
///
/// They are those of its process group. On Linux also those that left the group: the path of the private copy, which is in
/// their environment, is in no other process's.
struct LeftProcesses: Sendable {
    let group: pid_t
    /// The variable that has the path, as it stands among the others: between two NULs.
    private let mark: Data

    /// - Parameter mark: the variables of the command.
    init(group: pid_t, mark variables: [String: String]) {
        self.group = group
        let name = ProjectCommand.databaseVariable
        mark = Data("\0\(name)=\(variables[name] ?? "")\0".utf8)
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
            // After the name, which may hold anything: state, parent, group (see proc(5)).
            let stat = Self.contents("\(process)/stat").map { String(decoding: $0, as: UTF8.self) } ?? ""
            let fields = stat.components(separatedBy: ") ").last?.components(separatedBy: " ") ?? []
            guard fields.count > 2, fields[0] != "Z", fields[0] != "X",
                Int32(fields[2]) == group || isMarked(process)
            else { return nil }
            let line = (Self.contents("\(process)/cmdline") ?? Data()).split(separator: 0).map {
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
        return (Data([0]) + environment).range(of: mark) != nil
    }

    private static func contents(_ name: String) -> Data? {
        FileManager.default.contents(atPath: "/proc/" + name)
    }
    #else
    private var names: [String] {
        kill(-group, 0) == 0 ? ["a process of the group \(group)"] : []
    }
    #endif
}
