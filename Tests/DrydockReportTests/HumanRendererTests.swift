import Drydock
import DrydockReport
import Testing

/// Checks what a line must and must not say, in addition to the golden files.
@Suite struct HumanRendererTests {
    private func text(_ report: Report) -> String { HumanRenderer().render(report, RenderOptions()) }

    /// A dropped column without values is not data that users lose.
    @Test(arguments: [Rule.columnDropped, .tableDropped])
    func theReasonFitsTheFacts(_ rule: Rule) {
        var report = Report(.verify(VerifySummary()))
        report.findings = [Finding(rule, .warning, "it is gone", evidence: Evidence(rowCount: 0))]
        #expect(!text(report).contains("Users lose this data") && text(report).contains(" is lost; a query"))
        report.findings[0].evidence = Evidence(rowCount: 2)
        #expect(text(report).contains("Users lose this data"))
    }

    @Test func snapshotsWithOneNameAreDistinguished() {
        var report = Report(.verify(VerifySummary()))
        report.findings = ["old", "new"].map { folder in
            var finding = Finding(
                .rowsLost, "rows are lost", migration: "v2", evidence: Evidence(rowCount: 1))
            finding.snapshot = "Snapshots/\(folder)/a.sqlite"
            return finding
        }
        report.notChecked = [
            NotChecked(.viewBroken, snapshot: "Snapshots/old/a.sqlite", .recorded("no time"))
        ]
        #expect(text(report).contains("old/a.sqlite (1), new/a.sqlite (1)"))
        #expect(text(report).contains("view-broken [old/a.sqlite]"))
    }

    @Test func onlyAnEmptyDatabaseIsCalledEmpty() {
        var replay = ReplaySummary(snapshot: "a.sqlite")
        replay.to = "v2"
        replay.steps = [
            .init(migration: "v2", seconds: 0, pagesWritten: 1, bytesWritten: 1, statementSeconds: [])
        ]
        var report = Report(.verify(VerifySummary(replays: [replay])))
        #expect(text(report).contains("unknown → v2") && !text(report).contains("empty"))
        replay.start = .empty
        report.body = .verify(VerifySummary(replays: [replay]))
        #expect(text(report).contains("empty → v2"))
    }
}
