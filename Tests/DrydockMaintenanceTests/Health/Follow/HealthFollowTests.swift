import Foundation
import Testing
import TestTools

@testable import DrydockTestSupport

/// `drydock health --follow` as other programs and shells see it.
@Suite(.timeLimit(.minutes(20))) struct HealthFollowTests {
    private func line(_ running: Tool.Running) throws -> [String: Any] {
        var bytes = Data()
        while bytes.last != 10 {
            let more = running.output.fileHandleForReading.readData(ofLength: 1)
            try #require(!more.isEmpty, "the output has ended")
            bytes.append(more)
        }
        return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aPipeGetsLinesOfJSONUntilASignal(_ signal: Int32) throws {
        let it = try HealthCase(
            "CREATE TABLE p(i INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p); CREATE INDEX c_p ON c(p)")
        let running = try Tool(folder: it.folder).start(["health", it.path, "--follow", "--interval", "10ms"])
        let first = try line(running)
        #expect(first["tool"] as? String == "drydock" && first["command"] as? String == "health")
        #expect(first["formatVersion"] as? Int == 1 && first["verdict"] as? String == "passed")
        try it.execute("INSERT INTO c VALUES (1)")
        var events: [[String: Any]] = []
        while events.isEmpty {
            events = try (line(running)["update"] as? [String: Any])?["events"] as? [[String: Any]] ?? []
        }
        #expect(
            events[0]["event"] as? String == "new" && events[0]["rule"] as? String == "foreign-key-violation")
        kill(running.process.processIdentifier, signal)
        let result = try running.result()
        #expect(result.status == 130 && result.errors.isEmpty, "\(result.errors)")
    }

    /// Nothing is written that would tell it that nobody reads any more.
    @Test func itEndsWithTheReaderOfItsPipe() throws {
        let it = try HealthCase()
        let process = ChildProcess(), output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "\"$0\" health \"$1\" --follow | head -1", Tool.path, it.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.hasPrefix("{") && text.hasSuffix("}\n") && process.terminationStatus == 0)
    }

    @Test func whatCannotBeFollowedIsRefused() throws {
        let it = try HealthCase()
        let tool = Tool(folder: it.folder)
        for arguments in [
            [it.path, it.path + "2", "--follow"], [it.path, "--follow", "--format", "html"],
            [it.path, "--follow", "--accept"], [it.path, "--follow", "--continue", "x"],
            [it.path, "--follow", "--report", "json=x"], [it.path, "--interval", "5s"],
            [it.path, "--follow", "--interval", "0"],
        ] {
            let result = try tool.run(["health"] + arguments)
            #expect(result.status == 64 && result.output.isEmpty, "\(arguments) \(result)")
        }
        for path in [it.folder.file("none.sqlite"), it.folder.path] {
            let result = try tool.run("health", path, "--follow")
            #expect(result.status == 2 && !result.errors.isEmpty, "\(path) \(result)")
        }
    }

    @Test func linesAreForPeopleWhereAskedFor() throws {
        let it = try HealthCase()
        let running = try Tool(folder: it.folder).start(["health", it.path, "--follow", "--format", "human"])
        var text = Data()
        while text.last != 10 { text.append(running.output.fileHandleForReading.readData(ofLength: 1)) }
        #expect(String(decoding: text, as: UTF8.self).contains("✓ healthy"))
        kill(running.process.processIdentifier, SIGINT)
        #expect(try running.result().status == 130)
    }
}
