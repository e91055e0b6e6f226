import Drydock
import Testing

@testable import DrydockReport

@Suite struct WatchScreenTests {
    private func report(_ findings: [Finding], _ body: Report.Body = .verify(VerifySummary())) -> Report {
        var report = Report(body)
        report.findings = findings
        report.seconds = 0.05
        return report
    }

    private func lost(line: Int) -> Finding {
        var place = Finding.Place(file: "Migrations/v2.sql")
        place.line = line
        return Finding(.rowsLost, "row \(line) of t is gone", place: place)
    }

    @Test func theVerdictsComeFirst() {
        var screen = WatchScreen(time: "14:03:09", changed: ["Migrations/v2.sql", "drydock.yml"])
        screen.lint = .success(report([], .lint(LintSummary(migrations: 1, statements: 2))))
        screen.verify = .success(report([lost(line: 1)]))
        #expect(
            screen.text(RenderOptions()).hasPrefix(
                """
                lint:   passed: 1 migration, 2 statements linted, 50.0 ms
                verify: failed with 1 error: 0 snapshots, 0 steps, nothing compared, 0 pages written, 50.0 ms
                14:03:09  Migrations/v2.sql and 1 more changed

                error[rows-lost] row 1 of t is gone
                """))
    }

    @Test func whatBothFindIsShownOnce() {
        var screen = WatchScreen(time: "14:03:09", changed: [])
        screen.lint = .success(
            report([lost(line: 1), lost(line: 2)], .lint(LintSummary(migrations: 1, statements: 2))))
        screen.verify = .success(report([lost(line: 1)]))
        let text = screen.text(RenderOptions())
        #expect(text.components(separatedBy: "row 1 of t is gone").count == 2)
        #expect(text.contains("row 2 of t is gone") && text.contains("lint:   failed with 2 errors"))
    }

    @Test func whyThereIsNoReport() {
        var screen = WatchScreen(time: "14:03:09", changed: ["drydock.yml"])
        screen.stopped = RequestError(.settingInvalid, "drydock.yml:2:1 is not valid")
        #expect(
            screen.text(RenderOptions()) == """
                settings: no report: drydock.yml:2:1 is not valid
                14:03:09  drydock.yml changed

                """)
    }

    /// The verdicts stay on the screen, however much was found, and what is left out is counted.
    @Test(arguments: [6, 8, 24, 200], [0, 1, 30])
    func fitsTheTerminal(_ height: Int, _ count: Int) {
        for (columns, usesColor) in [(40, false), (80, true), (200, false)] {
            var screen = WatchScreen(time: "14:03:09", changed: [])
            screen.verify = .success(report((0..<count).map { lost(line: $0 + 1) }))
            var options = RenderOptions(usesColor: usesColor)
            options.width = columns
            let (whole, cut) = (screen.text(options), screen.text(options, height: height))
            let lines = cut.split(separator: "\n", omittingEmptySubsequences: false)
            let rows = lines.map { line in
                max(1, (line.replacing(/\u{1B}\[[0-9;]*m/, with: "").count + columns - 1) / columns)
            }.reduce(0, +)
            guard cut != whole else { continue }
            #expect(rows <= max(height, 5), "\(columns) columns")
            let left = lines.last?.split(separator: " ").compactMap { Int($0) }.first ?? 0
            let all = whole.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(lines.count - 1 + left == all, "each line is shown or counted")
        }
    }
}
