import Foundation
import Testing

@testable import DrydockTestSupport

/// The messages for files that cannot be read as what they should be: which file, where, and what to do.
@Suite struct BrokenInputTests {
    private func complaint(_ files: [String: String], _ arguments: String...) throws -> String {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(name, text) }
        let result = try Tool(folder: folder).run(arguments)
        #expect(result.status == 2 || result.status == 64, "\(result.output)")
        return result.errors
    }

    @Test(arguments: [
        ("{\"formatVersion\": 1, \"known\": [{\"entry\": 1}]}", "known[0].entry is not an object"),
        ("{\"formatVersion\": 1,", "it is not valid JSON"),
        ("[]", "the file is not an object"),
        ("{}", "the file has no 'formatVersion'"),
        ("{\"formatVersion\": 1}", "the file has no 'known'"),
        ("{\"formatVersion\": 7}", "its formatVersion is 7, and this Drydock reads 1"),
        ("{\"formatVersion\": 1, \"known\": {}}", "known is not a list"),
        ("{\"formatVersion\": 1, \"known\": [{\"entry\": {\"check\": 2}}]}", "known[0].entry"),
    ]) func aBrokenFileOfKnownFindings(_ text: String, _ fact: String) throws {
        let said = try complaint(
            ["app.sql": "", "known.json": text], "health", "app.sql", "--baseline", "known.json")
        #expect(said.contains("the file of known findings 'known.json' cannot be read: \(fact)"), "\(said)")
        #expect(said.contains("move it away") && !said.contains("DecodingError"), "\(said)")
    }

    /// Nothing that a user may want to keep is to be removed.
    @Test func aPlaceToContinueFromIsAFile() throws {
        let folder = try complaint(["d/app.db": "x"], "health", "d", "--continue", "d")
        #expect(
            folder.contains("'d' is not a file; --continue takes the path of a file to write"), "\(folder)")
        let other = try complaint(["app.db": "", "notes": "mine"], "health", "app.db", "--continue", "notes")
        #expect(other.contains("'notes' does not say where a run stopped"), "\(other)")
        #expect(!folder.contains("remove") && !other.contains("remove"))
    }

    @Test func aMissingConfigurationFileIsNamed() throws {
        let said = try complaint([:], "lint", "--config", "nosuch.yml")
        #expect(
            said.contains("there is no configuration file 'nosuch.yml'; correct the path after --config"),
            "\(said)")
        #expect(
            try complaint(["d/x": ""], "lint", "--config", "d").contains(
                "'d' is a folder, not a configuration file"))
    }

    @Test func aConfigurationFileThatIsNotYAMLIsRefused() throws {
        let said = try complaint(["drydock.yml": "a: [\n"], "lint")
        #expect(
            said.contains("drydock.yml:2:1 is not valid YAML: did not find expected node content"), "\(said)")
    }

    @Test(arguments: [["schema", "a.sql"], ["diff", "a.sql", "a.sql"]])
    func aNULCharacterIsRefused(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        try folder.write("a.sql", "CREATE TABLE a(x);\nSELECT '\u{0}';\n")
        let said = try Tool(folder: folder).run(arguments).errors
        #expect(
            said.contains("a.sql:2 holds a NUL character") && said.contains("write such a value as char(0)"),
            "\(said)")
    }

    @Test func theListOfRulesNamesItsFormats() throws {
        let said = try complaint([:], "lint", "--list-rules", "--format", "xml")
        #expect(
            said.contains("there is no format 'xml' of this list; choose one of: human, markdown"), "\(said)")
        #expect(try complaint([:], "lint", "--format", "xml").contains("choose one of: auto, human, json"))
    }
}
