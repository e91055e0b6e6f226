import Drydock
import Foundation
import SQLiteSchema
import Testing

@testable import DrydockReport

/// Compares reports with golden files. `DRYDOCK_RECORD=1` writes the files again; read them afterwards.
@Suite struct GoldenTests {
    @Test(arguments: [
        ("human.txt", RenderOptions()), ("human-verbose.txt", RenderOptions(isVerbose: true)),
        ("human-quiet.txt", RenderOptions(isQuiet: true)),
        ("human-redacted.txt", RenderOptions(redacts: true)),
        ("human-color.txt", RenderOptions(usesColor: true)),
    ]) func human(_ name: String, _ options: RenderOptions) throws {
        try Golden.hold(HumanRenderer().render(SampleReport.failed, options), against: name)
    }

    @Test(arguments: [("json.json", RenderOptions()), ("json-redacted.json", RenderOptions(redacts: true))])
    func json(_ name: String, _ options: RenderOptions) throws {
        let text = JSONRenderer().render(SampleReport.failed, options)
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        try Golden.hold(text, against: name)
    }

    @Test func passed() throws {
        try Golden.hold(
            HumanRenderer().render(SampleReport.passed, RenderOptions()), against: "human-passed.txt")
        #expect(HumanRenderer().render(SampleReport.passed, RenderOptions(isQuiet: true)).isEmpty)
    }

    @Test func aReplayThatDidNotRunToTheEndIsNotTicked() {
        var report = SampleReport.passed
        var replays = report.replays
        replays[0].pendingCount = 3
        report.body = .verify(VerifySummary(replays: replays))
        let text = HumanRenderer().render(report, RenderOptions())
        #expect(text.hasPrefix("– v1.sqlite") && text.contains("2 steps of 5, "), "\(text)")
        #expect(text.contains("\n✓ v3.sqlite"))
    }

    @Test func lint() throws {
        let options = RenderOptions(isVerbose: true)
        try Golden.hold(HumanRenderer().render(SampleReport.linted, options), against: "lint.txt")
        try Golden.hold(JSONRenderer().render(SampleReport.linted, options), against: "lint.json")
    }

    @Test func redactionHidesEveryValue() {
        for renderer in ReportRenderers.all {
            let text = renderer.render(SampleReport.failed, RenderOptions(redacts: true, isVerbose: true))
            for secret in ["secret", "TOPSECRET", "x'00ff"] {
                #expect(!text.contains(secret), "\(renderer.name)")
            }
        }
    }

    @Test func strictFailsOnWarnings() {
        var report = SampleReport.passed
        report.findings = [Finding(.rowsAdded, .warning, "1 row appeared in label")]
        #expect(report.hasPassed)
        report.isStrict = true
        #expect(!report.hasPassed)
        #expect(HumanRenderer().render(report, RenderOptions(isQuiet: true)).contains("rows-added"))
    }

    @Test func controlCharactersNeverReachTheTerminal() {
        let text = HumanRenderer().render(SampleReport.failed, RenderOptions())
        #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value == 0x9B })
    }
}

/// Checks that the caret under a quoted line keeps its column.
@Suite struct SourceQuoteTests {
    @Test(arguments: [1, 5, 90, 150, 400]) func caretIsUnderTheColumn(_ column: Int) {
        let line = String((0..<500).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        let (text, blanks) = SourceQuote.cut(line, at: column)
        #expect(text.count <= 100)
        #expect(Array(text)[blanks.count] == Array(line)[column - 1])
    }

    @Test func tabsAreOneColumnWide() {
        let (text, blanks) = SourceQuote.cut("\tSELECT", at: 2)
        #expect(text == " SELECT")
        #expect(blanks.count == 1)
    }
}
