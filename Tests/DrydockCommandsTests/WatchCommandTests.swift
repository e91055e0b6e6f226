import Foundation
import Testing
import TestTools

/// `drydock watch` as a process: what it prints round by round, and how it ends.
@Suite(.timeLimit(.minutes(10))) struct WatchCommandTests {
    /// A watch that is read line by line.
    private final class Watch {
        private let process: ChildProcess
        private let output = Pipe()
        private var rest = Data()

        convenience init(_ project: Project, _ arguments: String...) throws {
            try self.init(project, arguments)
        }

        init(_ project: Project, _ arguments: [String]) throws {
            process = try project.process(["watch"] + arguments, environment: [:])
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
        }

        deinit { if process.isRunning { process.terminate() } }

        /// Returns the next line with a text.
        func line(with text: String) throws -> String {
            while true {
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest = Data(rest[(end + 1)...])
                    if line.contains(text) { return line }
                }
                let more = output.fileHandleForReading.availableData
                try #require(!more.isEmpty, "it ended without a line with \(text)")
                rest += more
            }
        }

        func end(with signal: Int32) -> Int32 {
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func printsTheVerdictOfEachRound(_ signal: Int32) throws {
        let project = try Project()
        let watch = try Watch(project)
        #expect(try watch.line(with: "verify:").hasPrefix("verify: passed: 1 snapshot, 1 step"))
        try project.write("Migrations/v2.sql", "DELETE FROM email WHERE id = 1;")
        #expect(try watch.line(with: "verify:").hasPrefix("verify: failed with 1 error"))
        #expect(try watch.line(with: "changed").hasSuffix("  Migrations/v2.sql changed"))
        #expect(try watch.line(with: "error[").hasPrefix("error[rows-lost] 1 row of email is gone"))
        #expect(watch.end(with: signal) == 130)
    }

    @Test func settingsAreReadAgain() throws {
        let project = try Project(second: "DELETE FROM email WHERE id = 1;")
        let watch = try Watch(project)
        _ = try watch.line(with: "verify: failed")
        try project.write("drydock.yml", "declarations: [")
        #expect(try watch.line(with: "settings:").contains("drydock.yml:"))
        try project.write(
            "drydock.yml", "declarations:\n  v2:\n    - deletes from email where id = 1\n")
        _ = try watch.line(with: "verify: passed")
        try FileManager.default.removeItem(at: project.folder.appending(path: "drydock.yml"))
        _ = try watch.line(with: "verify: failed")
        #expect(watch.end(with: SIGINT) == 130)
    }

    @Test func aFolderThatIsMadeAgainIsFoundAgain() throws {
        let project = try Project()
        let watch = try Watch(project)
        _ = try watch.line(with: "verify: passed")
        let away = project.folder.deletingLastPathComponent().appending(path: UUID().uuidString)
        try FileManager.default.moveItem(at: project.folder, to: away)
        _ = try watch.line(with: "does not exist any more")
        // The process still has the old folder; this is another one of the same name.
        try FileManager.default.copyItem(at: away, to: project.folder)
        _ = try watch.line(with: "verify: passed")
        try FileManager.default.removeItem(at: away)
        #expect(watch.end(with: SIGINT) == 130)
    }

    @Test func aLineOfJSONForEachReport() throws {
        let project = try Project()
        let watch = try Watch(project, "--format", "json")
        for command in ["lint", "verify"] {
            let line = try watch.line(with: "\"command\"")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(report["command"] as? String == command && report["verdict"] as? String == "passed")
        }
        try FileManager.default.removeItem(at: project.folder.appending(path: "Migrations"))
        #expect(try watch.line(with: "there are no migrations here").hasPrefix("{"))
        #expect(watch.end(with: SIGINT) == 130)
    }

    @Test(arguments: [[], ["--format", "json"]])
    func valuesAreHiddenWhereTheSettingsSayIt(_ arguments: [String]) throws {
        let project = try Project(second: "UPDATE email SET subject = 'Secret';")
        try project.write("drydock.yml", "redact: true\n")
        let watch = try Watch(project, arguments)
        let line = try watch.line(with: arguments.isEmpty ? "id = 1:" : "values-changed")
        #expect(!line.contains("Hi there"), "\(line)")
        #expect(watch.end(with: SIGINT) == 130)
    }

    @Test func wrongUsageIsRefused() throws {
        let result = try Project().run("watch", "--format", "xml")
        #expect(result.status == 64 && result.errors.contains("there is no format 'xml' of watch"))
    }
}
