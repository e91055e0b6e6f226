import Drydock
import Testing

@testable import DrydockTestSupport

/// Whether a counterexample says how the tool reads text in double quotes.
@Suite struct QuotedTextTests {
    private func example(_ migration: String, _ reads: Bool?) async throws -> Counterexample? {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT);")
        try folder.write("Migrations/v2.sql", migration)
        let report = try await folder.verify {
            $0.snapshots.isFolderNamed = false
            ($0.migrations.format, $0.migrations.options.doubleQuotedStrings) = ("drydock", reads)
        }
        return try #require(report.findings.first { $0.severity == .error }).counterexample
    }

    @Test func itIsTheSettingOfTheTool() async throws {
        let update = #"UPDATE pet SET name = "nobody";"#
        // GRDB turns it off.
        #expect(try await example(update, nil)?.readsQuotedText == false)
        #expect(try await example(update, true)?.readsQuotedText == true)
        let plain = try #require(try await example("DELETE FROM pet WHERE name = 'x' OR id > 0;", nil))
        #expect(plain.readsQuotedText == nil)
    }
}
