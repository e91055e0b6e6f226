import Foundation
import Testing

#if os(Linux)
/// A failing migration is a failing run, whichever library runs the test and in whatever task.
@Suite struct ExitStatusTests {
    @Test(arguments: [
        ["--testing-library", "swift-testing", "--filter", "FailingTests/inATest"],
        ["--testing-library", "swift-testing", "--filter", "FailingTests/inADetachedTask"],
        ["NotesXCTests.FailingXCTests/testInATest"],
        ["NotesXCTests.FailingXCTests/testInADetachedTask"],
    ])
    func failingMigrationsFailTheRun(_ arguments: [String]) async throws {
        let (status, output) = try await run(arguments)
        #expect(status != 0, "\(output)")
        #expect(output.contains("error[rows-lost] 1 row of note is gone"), "\(output)")
        #expect(output.contains("DELETE FROM note WHERE body IS NULL"), "\(output)")
        #expect(output.contains(arguments.count > 1 ? "FailingTests.swift" : "FailingXCTests.swift"))
    }

    @Test(arguments: [
        ["--testing-library", "swift-testing", "--filter", "FailingTests/inNoTest"],
        ["NotesXCTests.FailingXCTests/testInNoTest"],
    ])
    func goodMigrationsPass(_ arguments: [String]) async throws {
        let (status, output) = try await run(arguments)
        #expect(status == 0, "\(output)")
    }

    /// Runs tests of this very bundle in a process of their own.
    private func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["NOTES_FAIL"] = "1"
        environment["CI"] = nil
        process.environment = environment
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }
}
#endif
