import Drydock
import Testing

@testable import DrydockReport

/// Compares what `drydock migrate` prints of many databases with golden files.
@Suite struct RollOutGoldenTests {
    /// A roll-out with a canary and two waves: one database was busy to the end, one was refused, one has drifted, and one
    /// could not be read.
    private static func applied(stopped: Bool = false) -> Report {
        var summary = RollOutSummary(.apply)
        summary.log = "rollout.jsonl"
        summary.databases = (1...12).map { number in
            var it = RollOutSummary.Database(path: "tenants/\(number).sqlite", outcome: .applied)
            (it.version, it.seconds) = ("v3_parse", 0.012)
            it.backup = "backups/\(number).sqlite.v1-20241121T101500Z.backup"
            return it
        }
        func change(_ index: Int, _ outcome: RollOutSummary.Outcome, _ version: String?, _ reason: String?) {
            summary.databases[index].outcome = outcome
            (summary.databases[index].version, summary.databases[index].reason) = (version, reason)
            summary.databases[index].backup = nil
            if outcome != .upToDate { summary.databases[index].pending = 2 }
        }
        change(3, .upToDate, "v3_parse", nil)
        change(5, .busy, "v1", "tenants/6.sqlite is in use: another program holds its lock")
        change(7, .failed, "v1", "7 rows of email are gone (of 12)")
        change(9, .failed, nil, "there is no database 'tenants/10.sqlite'")
        (summary.databases[9].isRead, summary.databases[9].pending) = (false, 0)
        summary.databases[10].hasDrifted = true
        if stopped {
            change(11, .notReached, "v1", nil)
            summary.stopped = "stopped at 2 failures, as --max-failures says"
        }
        var canary = RollOutSummary.Wave(name: "canary", count: 2)
        (canary.applied, canary.seconds) = (2, 0.3)
        var first = RollOutSummary.Wave(name: "50%", count: 4)
        (first.applied, first.seconds) = (3, 0.4)
        var rest = RollOutSummary.Wave(name: "100%", count: 4)
        (rest.applied, rest.failed, rest.seconds) = (stopped ? 2 : 3, 1, 0.5)
        var again = RollOutSummary.Wave(name: "tried again", count: 1)
        again.seconds = 5.1
        summary.waves = [canary, first, rest, again]
        var report = Report(.rollOut(summary))
        (report.seconds, report.migrationFormat) = (6.54, "grdb")
        report.findings = findings(of: summary)
        return report
    }

    private static func findings(of summary: RollOutSummary) -> [Finding] {
        var lost = Finding(
            .rowsLost, "7 rows of email are gone (of 12)", help: "Declare it.", migration: "v2_tidy",
            table: "email")
        lost.snapshot = "tenants/8.sqlite"
        var drifted = Finding(.schemaMismatch, .warning, "index email_date is missing", help: "Create it.")
        drifted.snapshot = "tenants/11.sqlite"
        let rest = [5, 9].map { index in
            var finding = Finding(
                .migrationFailed, summary.databases[index].reason ?? "", tags: [.notChecked])
            finding.snapshot = summary.databases[index].path
            return finding
        }
        return [lost, drifted] + rest
    }

    private static var check: Report {
        var summary = RollOutSummary(.check)
        summary.databases = (1...300).map { number in
            var it = RollOutSummary.Database(
                path: "tenants/\(number).sqlite", outcome: number <= 120 ? .pending : .upToDate)
            (it.version, it.pending) =
                number <= 120 ? ("v\(number % 2 + 1)", 2 - number % 2) : ("v3_parse", 0)
            return it
        }
        var report = Report(.rollOut(summary))
        report.seconds = 0.21
        return report
    }

    @Test func human() throws {
        let texts = [Self.applied(), Self.applied(stopped: true), Self.check].map {
            HumanRenderer().render($0, RenderOptions())
        }
        try Golden.hold(texts.joined(separator: "----\n"), against: "rollout.txt")
    }

    @Test func json() throws {
        try Golden.hold(
            JSONRenderer().render(Self.applied(stopped: true), RenderOptions()), against: "rollout.json")
    }

    /// A test for each thing that was found, however many databases have it, and none that passes for what was not reached.
    @Test func junit() throws {
        try Golden.hold(
            JUnitRenderer().render(Self.applied(stopped: true), RenderOptions()), against: "rollout.xml")
        let suite = try #require(CheckSuite.suites(of: Self.check).first)
        #expect(CheckSuite.suites(of: Self.check).count == 1)
        #expect(suite.cases.map(\.name) == ["migration-pending", "up-to-date"])
        #expect(suite.cases.map(\.outcome) == [.failed, .passed])
    }

    @Test func quietPrintsOnlyWhatIsWrong() {
        let quiet = RenderOptions(isQuiet: true)
        var well = RollOutSummary(.apply)
        well.databases = (1...20).map { RollOutSummary.Database(path: "\($0)", outcome: .applied) }
        #expect(HumanRenderer().render(Report(.rollOut(well)), quiet).isEmpty)
        #expect(HumanRenderer().render(Self.applied(), quiet).contains("tenants/8.sqlite"))
    }
}
