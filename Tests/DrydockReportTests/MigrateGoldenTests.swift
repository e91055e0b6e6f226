import Drydock
import Testing

@testable import DrydockReport

/// Compares what `drydock migrate` prints with golden files.
@Suite struct MigrateGoldenTests {
    private static let outcomes: [MigrateSummary.Outcome] = [
        .upToDate, .pending, .rehearsed, .refused, .applied, .damaged,
    ]

    private func report(_ outcome: MigrateSummary.Outcome) -> Report {
        var report = Report(.migrate(MigrateSummary(database: "", outcome: outcome)))
        report.seconds = 1.26
        var summary = MigrateSummary(database: "data/app.sqlite", outcome: outcome)
        guard outcome != .upToDate else { return with(summary, report) }
        summary.pending = ["v2_tidy", "v3_parse"]
        guard outcome != .pending else { return with(summary, report) }
        var replay = ReplaySummary(snapshot: "data/app.sqlite")
        (replay.from, replay.to, replay.rowsCompared, replay.seconds) = ("v1", "v3_parse", 48_000, 0.8)
        replay.steps = summary.pending.map {
            .init(
                migration: $0, seconds: 0.0123, pagesWritten: 7, bytesWritten: 28_672,
                statementSeconds: [0.01, 0.002])
        }
        summary.replays = [replay]
        (summary.bytesBefore, summary.bytesAfter, summary.rehearsals) = (12_288_000, 12_320_768, 1)
        if outcome == .refused {
            var finding = Finding(
                .rowsLost, "7 rows of email are gone (of 12)", help: "Declare it.", migration: "v2_tidy",
                table: "email")
            finding.snapshot = "data/app.sqlite"
            report.findings = [finding]
            summary.notes = ["something worth knowing"]
            return with(summary, report)
        }
        summary.lockSeconds = 0.034
        summary.needs = [
            .init(folder: "/data", bytes: 12_288_000, purpose: "the backup", free: 1 << 32),
            .init(
                folder: "/data", bytes: 40_000, purpose: "the rollback journal, with the old pages", free: nil
            ),
        ]
        if outcome == .applied || outcome == .damaged {
            summary.backup = "/data/app.sqlite.v1-20241121T101500Z.backup"
            summary.rehearsals = 2
        }
        return with(summary, report)
    }

    private func with(_ summary: MigrateSummary, _ report: Report) -> Report {
        var report = report
        report.body = .migrate(summary)
        return report
    }

    @Test func human() throws {
        let text = Self.outcomes.map { HumanRenderer().render(report($0), RenderOptions()) }
        try Golden.hold(text.joined(separator: "----\n"), against: "migrate.txt")
    }

    @Test func json() throws {
        let text = Self.outcomes.map { JSONRenderer().render(report($0), RenderOptions()) }
        try Golden.hold(text.joined(), against: "migrate.json")
    }

    @Test func quietPrintsOnlyWhatIsWrong() {
        let quiet = RenderOptions(isQuiet: true)
        for outcome in [MigrateSummary.Outcome.upToDate, .rehearsed, .applied] {
            #expect(HumanRenderer().render(report(outcome), quiet).isEmpty)
        }
        #expect(HumanRenderer().render(report(.pending), quiet).contains("v2_tidy"))
    }
}
