import Foundation
import TestTools

@testable import DrydockTestSupport

/// A small project with one damaged part, and a command that reads it.
struct HostileCase {
    let seed: UInt64
    private let folder: TemporaryFolder
    private let arguments: [String]
    private let kind: String

    /// The allowed exit statuses of a command.
    private static let statuses: Set<Int32> = [0, 1, 2, 64]
    /// What a command may use of the processor: other than time by the clock, this is the same on a busy machine.
    private static let processorSeconds = 10
    /// After this a command that uses no processor time is one that waits for ever.
    private static let patience = Duration.seconds(600)

    init(seed: UInt64) throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 77)
        folder = try TemporaryFolder()
        (kind, arguments) = try HostileProject(folder: folder).make(&random)
        for name in ["cache", "tmp"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: true)
        }
    }

    /// Returns what the command did wrong, with the means to reproduce it; nil where it did nothing wrong.
    func fault() async throws -> String? {
        let before = try names()
        let end = try await run()
        var faults: [String] = []
        switch end {
        case .status(let status) where !Self.statuses.contains(status): faults.append("exit status \(status)")
        case .signal(SIGXCPU): faults.append("uses more than \(Self.processorSeconds) s of the processor")
        case .signal(let signal): faults.append("signal \(signal)")
        case .hangs: faults.append("does not end")
        case .status: break
        }
        let left = try names().subtracting(before).filter { !isWanted($0) }
        if !left.isEmpty { faults.append("leaves \(left.sorted().joined(separator: ", "))") }
        let gone = before.subtracting(try names())
        if !gone.isEmpty { faults.append("removes \(gone.sorted().joined(separator: ", "))") }
        guard !faults.isEmpty else { return nil }
        return
            "seed \(seed), \(kind): drydock \(arguments.joined(separator: " ")): \(faults.joined(separator: "; "))\(try keep())"
    }

    /// Whether a command was asked to write the file.
    private func isWanted(_ name: String) -> Bool {
        arguments[0] == "lock" && name == "drydock.lock"
            || arguments[0] == "new" && name.hasPrefix("Migrations/")
            || name.hasPrefix("cache/")
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path)).subtracting(["output"])
    }

    /// Copies the project to the folder in `DRYDOCK_KEEP`, so that it can be examined.
    private func keep() throws -> String {
        guard let kept = ProcessInfo.processInfo.environment["DRYDOCK_KEEP"] else { return "" }
        let path = "\(kept)/\(seed)"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder.path, toPath: path)
        return " (kept in \(path))"
    }

    private enum End {
        case status(Int32)
        case signal(Int32)
        case hangs
    }

    private func run() async throws -> End {
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", "ulimit -St \(Self.processorSeconds); exec \"$0\" \"$@\"", Tool.path] + arguments
        process.currentDirectoryURL = URL(filePath: folder.path)
        var environment = ProcessInfo.processInfo.environment.filter { $0.key != "CI" }
        environment["TMPDIR"] = folder.file("tmp")
        environment["XDG_CACHE_HOME"] = folder.file("cache")
        // A backtrace takes seconds, and the signal is enough.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        let path = folder.file("output")
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let output = FileHandle(forWritingAtPath: path)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let id = process.processIdentifier
        let watch = Task {
            try await Task.sleep(for: Self.patience)
            kill(id, SIGKILL)
            return true
        }
        await process.end()
        watch.cancel()
        if (try? await watch.value) == true { return .hangs }
        return process.terminationReason == .uncaughtSignal
            ? .signal(process.terminationStatus) : .status(process.terminationStatus)
    }
}
