import Drydock
import Testing

@testable import DrydockReport

/// What `drydock health` shows, word by word.
@Suite struct HealthGoldenTests {
    private static var report: HealthReport {
        var evidence = Evidence(rowCount: 7)
        evidence.rows = [.init(key: [.init(column: "rowid", value: .init(.integer(8), encoding: .utf8))])]
        var first = DatabaseHealth(path: "data/mail.sqlite")
        first.findings = [
            HealthFinding(
                "foreign-key", .error, "7 rows of attachment (email_id) reference no row of email",
                help: "Give the rows a parent that exists.", table: "attachment", object: "email",
                evidence: evidence),
            HealthFinding(
                "wal-size", .warning, "the write-ahead log has 99999999 bytes",
                help: "Have it cut:\n  PRAGMA wal_checkpoint(TRUNCATE);"),
            HealthFinding(
                "primary-key", .note, "table a|b has no primary key", help: "Give it one.", table: "a|b"),
        ]
        first.measures = [
            HealthMeasure("size_bytes", .bytes, 1_048_576, "Size of the database."),
            HealthMeasure(
                "freelist_ratio", .ratio, 0.125, "Part of the pages that is free.",
                threshold: HealthThreshold(warning: AlertRange("0:25"))),
        ]
        first.checked = ["foreign-key", "primary-key", "wal-size"]
        first.notReached = [.init(check: "integrity", table: "email", reason: "the time was over")]
        (first.seconds, first.knownCount) = (0.25, 2)
        var second = DatabaseHealth(path: "none.sqlite")
        second.trouble = "there is no database 'none.sqlite'"
        var report = HealthReport()
        report.databases = [first, second]
        (report.seconds, report.finishedAt) = (0.5, 1_700_000_000)
        return report
    }

    @Test(arguments: [
        ("human", "health.txt"), ("json", "health.json"), ("nagios", "health-nagios.txt"),
        ("prometheus", "health.prom"),
    ])
    func `every format`(format: String, file: String) throws {
        let renderer = try #require(HealthRenderers.named(format))
        try Golden.hold(renderer.render(Self.report, RenderOptions(isVerbose: true)), against: file)
    }
}
