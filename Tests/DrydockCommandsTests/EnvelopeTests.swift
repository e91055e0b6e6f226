import Foundation
import Testing

/// What the JSON documents of all commands have in common.
@Suite struct EnvelopeTests {
    static let commands: [[String]] = [
        ["verify"], ["lint"], ["lock"], ["migrate", "Snapshots/v1.sqlite"],
        ["health", "Snapshots/v1.sqlite"],
        ["diff", "Snapshots/v1.sqlite", "Migrations"],
        ["diff", "--data", "Snapshots/v1.sqlite", "other.sqlite"],
        ["schema", "Migrations"], ["stats", "Snapshots/v1.sqlite"],
        ["vacuum", "--dry-run", "Snapshots/v1.sqlite"], ["vacuum", "missing.sqlite"],
    ]

    @Test(arguments: commands) func `a document has the head of the contract`(_ command: [String]) throws {
        let project = try Project()
        try project.execute("CREATE TABLE email(id INTEGER PRIMARY KEY, subject TEXT)", on: "other.sqlite")
        let result = try project.run(command + ["--format", "json"])
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        let document = try #require(object as? [String: Any])
        #expect(document["tool"] as? String == "drydock" && document["formatVersion"] as? Int == 1)
        #expect(document["command"] as? String == command[0])
        #expect(document["findings"] is [Any] && document["notChecked"] is [Any])
        let verdict = try #require(document["verdict"] as? String)
        #expect(verdict == (result.status == 0 ? "passed" : "failed"), "\(result)")
    }
}
