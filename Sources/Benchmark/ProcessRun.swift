import Foundation

extension Contender {
    /// Creates a contender that runs a program, or with `sh -c` a script.
    ///
    /// - Parameters:
    ///   - statuses: the exit statuses that are allowed: a diff ends with 1 if there are differences.
    ///   - before: runs before each run and is not measured.
    init(
        _ name: String, _ command: [String], statuses: Set<Int32> = [0],
        before: @escaping () throws -> Void = {}
    ) {
        self.name = name
        func prepared() throws -> Process {
            try before()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = command
            process.standardOutput = FileHandle.nullDevice
            return process
        }
        func end(_ process: Process) throws {
            process.waitUntilExit()
            guard statuses.contains(process.terminationStatus) else {
                throw WrongAnswer("\(name) ended with status \(process.terminationStatus)")
            }
        }
        run = {
            let process = try prepared()
            let start = ContinuousClock.now
            try process.run()
            // `waitUntilExit()` may notice the end up to 50 ms late.
            while process.isRunning { usleep(500) }
            let seconds = (ContinuousClock.now - start).seconds
            try end(process)
            return seconds
        }
        privateBytes = {
            let process = try prepared()
            try process.run()
            var highest = 0
            while process.isRunning {
                highest = max(highest, Self.privateBytes(of: process.processIdentifier))
                usleep(2_000)
            }
            try end(process)
            return highest == 0 ? nil : highest
        }
    }

    /// Creates a contender that runs a script. The memory of its programs is not measured.
    init(_ name: String, script: String, before: @escaping () throws -> Void = {}) {
        self.init(name, ["sh", "-ec", script], before: before)
        privateBytes = { nil }
    }

    /// Returns RssAnon of proc(5), the memory that is in no file, in bytes; 0 if the system does not report
    /// it.
    private static func privateBytes(of process: Int32) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kilobytes = Int(line.filter(\.isNumber))
        else { return 0 }
        return kilobytes * 1024
    }
}
