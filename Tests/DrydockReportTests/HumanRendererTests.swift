import Drydock
import DrydockReport
import Foundation
import SQLiteSchema
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

    /// One statement may empty fifty tables: its place and remedy are shown once, unless everything is asked for.
    @Test func findingsWithOneCauseAreShort() {
        var report = Report(.verify(VerifySummary()))
        report.findings = ["pet", "visit", "bill"].map { table in
            var finding = Finding(
                .rowsLost, "rows of \(table) are lost", help: "Turn foreign keys off.", table: table)
            if table != "bill" { finding.cause = "DROP TABLE person in line 4" }
            return finding
        }
        let brief = text(report)
        #expect(brief.contains("rows of visit are lost\n  as above (-v shows its rows)\n"), "\(brief)")
        #expect(brief.matches(of: /Turn foreign keys off/).count == 2)
        let all = HumanRenderer().render(report, RenderOptions(isVerbose: true))
        #expect(all.matches(of: /Turn foreign keys off/).count == 3 && !all.contains("as above"))
    }

    /// Values of generated rows are cut short as those of evidence are, and the statements stay statements.
    @Test func longGeneratedValuesAreCutShort() throws {
        var report = Report(.verify(VerifySummary()))
        var finding = Finding(.rowsLost, "rows are lost", table: "t")
        let long = String(repeating: "ab'", count: 2000)
        finding.counterexample = Counterexample(
            schema: [],
            inserts: [
                "INSERT INTO t (a) VALUES ('short', 7)",
                "INSERT INTO t (a) VALUES (\(quotedText(long)), x'\(String(repeating: "0f", count: 900))')",
            ], migration: [], tables: ["t"], tried: 1, isSmallest: true)
        report.findings = [finding]
        for options in [RenderOptions(), RenderOptions(isVerbose: true)] {
            let lines = HumanRenderer().render(report, options).split(separator: "\n")
            let shown = try #require(
                lines.firstIndex { $0.contains("rows: INSERT INTO t (a) VALUES ('short', 7);") })
            let text = quotedText(String(long.prefix(60)) + "…")
            #expect(
                lines[shown + 1].trimmingPrefix { $0 == " " }
                    == "INSERT INTO t (a) VALUES (\(text), x'\(String(repeating: "0f", count: 16))…');")
            #expect(lines[shown + 2].contains("--report sql=FOLDER"))
        }
        let page = HTMLRenderer().render(report, RenderOptions())
        #expect(!page.contains("0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"))
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

    /// A report of as many snapshots, of which the first ones lose rows and were not replayed to the end.
    private func report(of count: Int, failing: Int) -> Report {
        let paths = (0..<count).map { "Snapshots/\($0)/app.sqlite" }
        let replays = paths.map { path in
            var replay = ReplaySummary(snapshot: path)
            replay.name = SnapshotNames(paths).name(of: path)
            return replay
        }
        var report = Report(.verify(VerifySummary(replays: replays)))
        for path in paths.prefix(failing) {
            var lost = Finding(.rowsLost, "rows are lost", migration: "v2", evidence: Evidence(rowCount: 1))
            lost.snapshot = path
            report.findings.append(lost)
            report.notChecked.append(
                NotChecked(.schemaMismatch, snapshot: path, .notReplayed(snapshot: path)))
        }
        return report
    }

    @Test func manySnapshotsWithOneFaultAreShort() {
        let text = text(report(of: 100, failing: 90))
        #expect(text.hasPrefix("100 snapshots: 90 failed, 10 passed\n✗ 0/app.sqlite"), "\(text)")
        #expect(text.contains("… and 70 more (-v shows them)"))
        #expect(
            text.contains(
                "in:   0/app.sqlite (1), 1/app.sqlite (1), 2/app.sqlite (1), 3/app.sqlite (1) and 86 more"))
        #expect(
            text.contains(
                "schema-mismatch [0/app.sqlite, 1/app.sqlite, 2/app.sqlite, 3/app.sqlite and 86 more]: "))
        #expect(text.contains("failed with 1 error: 100 snapshots") && text.contains("1 not checked"))
        #expect(text.split(separator: "\n").count < 40)
        #expect(!text.contains("99/app.sqlite"))
    }

    @Test func eachOfAFewSnapshotsHasItsLine() {
        #expect(text(report(of: 50, failing: 1)).contains("✓ 49/app.sqlite"))
        let all = HumanRenderer().render(report(of: 51, failing: 1), RenderOptions(isVerbose: true))
        #expect(all.contains("✓ 50/app.sqlite") && !all.contains("51 snapshots: 1 failed"))
        let quiet = HumanRenderer().render(report(of: 51, failing: 1), RenderOptions(isQuiet: true))
        #expect(!quiet.contains("51 snapshots: 1 failed"))
    }

    @Test func findingsOfSeveralSnapshotsAreOneInJSON() throws {
        let text = JSONRenderer().render(report(of: 3, failing: 2), RenderOptions())
        let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let findings = try #require(root["findings"] as? [[String: Any]])
        #expect(findings.count == 1)
        let paths = ["Snapshots/0/app.sqlite", "Snapshots/1/app.sqlite"]
        #expect(findings[0]["snapshot"] as? String == paths[0])
        #expect(findings[0]["snapshots"] as? [String] == paths)
        let evidence = findings[0]["evidence"] as? [String: Any]
        #expect(evidence?["rowCounts"] as? [String: Int] == [paths[0]: 1, paths[1]: 1])
        #expect((root["notChecked"] as? [Any])?.count == 2 && (root["replays"] as? [Any])?.count == 3)
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

    /// A report on generated rows, and on a snapshot too.
    private func probes(_ rows: Int, withSnapshot: Bool = false) -> Report {
        var replay = ReplaySummary(snapshot: "probe")
        (replay.isProbe, replay.rowsGenerated, replay.start, replay.to) = (true, rows, .empty, "v2")
        replay.steps = [
            .init(migration: "v2", seconds: 0, pagesWritten: 3, bytesWritten: 9, statementSeconds: [])
        ]
        let others = withSnapshot ? [ReplaySummary(snapshot: "Snapshots/v1.sqlite")] : []
        var report = Report(.verify(VerifySummary(replays: others + [replay])))
        var finding = Finding(.rowsLost, .warning, "1 row of t is gone", tags: [.probe])
        finding.snapshot = "probe"
        report.findings = [finding]
        report.notChecked = [
            NotChecked(.rowsLost, snapshot: "probe", .noGeneratedRows(table: "u", because: "it is full"))
        ]
        return report
    }

    @Test func generatedRowsAreCalledThat() {
        let text = text(probes(7))
        #expect(text.contains("generated rows  empty → v2  1 step, 7 rows"), "\(text)")
        #expect(text.contains("(unusual rows) 1 row of t is gone"))
        #expect(text.contains("not checked: rows-lost: table u"))
        #expect(text.contains("Only unusual rows show a fault"))
        for noise in ["compared", "in: ", "probe", "written"] { #expect(!text.contains(noise), "\(text)") }
    }

    @Test func besideSnapshotsTheyAreNamed() {
        let text = text(probes(7, withSnapshot: true))
        #expect(text.contains("in:   generated rows") && text.contains("[generated rows]"), "\(text)")
        #expect(text.contains("1 snapshot, 7 generated rows"))
    }

    @Test func aRunThatMetNoRowSaysSo() {
        #expect(text(probes(0)).contains("No migration met a row"))
    }

    @Test(arguments: [30, 40, 60, 80]) func textFitsTheTerminal(_ width: Int) {
        var report = SampleReport.passed
        let words = String(repeating: "some words of it ", count: 12)
        let source = SQLSource(name: "v2.sql", String(repeating: "SELECT * FROM email; ", count: 20))
        let statements = source.statements()
        report.findings = [0, 9, 19].map { number in
            Finding(
                .rowsLost, "\(number) \(words)", help: "\(words)\n  -- code\n\(words)", migration: "v2",
                place: .init(statements[number]))
        }
        var options = RenderOptions()
        options.width = width
        let lines = HumanRenderer().body(report, options).split(separator: "\n")
        for line in lines where !line.hasPrefix("failed with") {
            #expect(line.count <= width, "\(line.count): \(line)")
        }
        #expect(lines.contains { $0.hasSuffix("          -- code") })
        // Not on a terminal, a message stays on one line.
        #expect(text(report).contains("error[rows-lost] 0 \(words)"))
    }
}
