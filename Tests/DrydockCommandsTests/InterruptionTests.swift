import Foundation
import Testing

/// Signals that come before the work begins.
@Suite struct InterruptionTests {
    /// The command waits for a pipe that gives no name.
    @Test(
        arguments: [
            ["health", "--from", "pipe"], ["verify", "--from", "pipe"], ["stats", "--from", "pipe"],
            ["vacuum", "--from", "pipe"], ["migrate", "--from", "pipe"], ["manifest", "--from", "pipe"],
        ], [SIGINT, SIGTERM])
    func aSignalWhileNamesAreRead(_ arguments: [String], _ signal: Int32) throws {
        let project = try Project()
        let path = project.folder.appending(path: "pipe").path
        #expect(mkfifo(path, 0o600) == 0)
        let process = try project.process(arguments, environment: [:])
        let errors = project.folder.appending(path: "errors")
        try Data().write(to: errors)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        // A pipe can be opened for writing once somebody reads it.
        var writer: Int32 = -1
        while writer < 0, process.isRunning {
            writer = open(path, O_WRONLY | O_NONBLOCK)
            if writer < 0 { usleep(1000) }
        }
        defer { close(writer) }
        #expect(writer >= 0)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        #expect(try String(contentsOf: errors, encoding: .utf8).hasPrefix("drydock: interrupted"))
    }
}
