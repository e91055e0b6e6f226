import Foundation
import TestTools

/// The command line tool, run as by a user.
struct Tool {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    let folder: TemporaryFolder
    /// How much of the processor a run may use before SIGXCPU ends it; time by the clock would depend on what else the
    /// machine does.
    var processorSeconds: Int?
    var environment: [String: String] = [:]

    /// The tool's path: beside the tests, where the package manager builds it.
    static let path: String = {
        let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/drydock"
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        let root = URL(filePath: #filePath).deletingLastPathComponent().path + "/../.."
        return root + "/.build/debug/drydock"
    }()

    func run(_ arguments: String...) throws -> Result { try run(arguments) }

    func run(_ arguments: [String]) throws -> Result { try start(arguments).result() }

    /// Whether the tool can be run by a user without rights: only root can do that, and only where that user can reach
    /// the tool.
    static var isForNobody: Bool {
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: setpriv)
    }

    private static let setpriv = "/usr/bin/setpriv"

    func run(_ arguments: [String], asNobody: Bool) throws -> Result {
        let running = Running()
        running.process.executableURL = URL(filePath: Self.setpriv)
        running.process.arguments =
            ["--reuid=65534", "--regid=65534", "--clear-groups", Self.path] + arguments
        running.process.currentDirectoryURL = URL(filePath: folder.path)
        running.process.standardOutput = running.output
        running.process.standardError = running.errors
        try running.process.run()
        return try running.result()
    }

    func start(_ arguments: [String]) throws -> Running {
        let running = Running()
        running.process.executableURL = URL(filePath: "/bin/sh")
        let limit = processorSeconds.map { "ulimit -St \($0); " } ?? ""
        running.process.arguments = ["-c", limit + "exec \"$0\" \"$@\"", Self.path] + arguments
        running.process.currentDirectoryURL = URL(filePath: folder.path)
        // Where CI is set, values are not shown.
        running.process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "CI" }
            .merging(environment) { $1 }
        running.process.standardOutput = running.output
        running.process.standardError = running.errors
        try running.process.run()
        return running
    }

    struct Running {
        let process = ChildProcess()
        let output = Pipe()
        fileprivate let errors = Pipe()

        /// Waits until the process has used half a second of the processor, so that it is in the middle of its work.
        func waitUntilBusy() throws {
            while process.isRunning {
                let stat = try String(
                    contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
                // What follows the name, from field 3; utime and stime are fields 14 and 15, in ticks (see proc(5)).
                let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
                guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
                    return
                }
                if user + system >= sysconf(Int32(_SC_CLK_TCK)) / 2 { return }
                usleep(1000)
            }
        }

        /// Waits for the end; call it before the process writes more than a pipe can hold.
        func result() throws -> Result {
            let text = output.fileHandleForReading.readDataToEndOfFile()
            let complaint = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Result(
                status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
                errors: String(decoding: complaint, as: UTF8.self))
        }
    }
}
