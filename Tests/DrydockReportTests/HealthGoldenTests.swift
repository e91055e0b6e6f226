import Drydock
import Testing

@testable import DrydockMaintenance
@testable import DrydockReport

/// Compares what `drydock health` prints with golden files.
@Suite struct HealthGoldenTests {
    private static var report: Report {
        var evidence = Evidence(rowCount: 7)
        evidence.rows = [.init(key: [.init(column: "rowid", value: .init(.integer(8), encoding: .utf8))])]
        var first = CheckedDatabase(path: "data/mail.sqlite")
        first.findings = [
            Finding(
                .foreignKeyViolation, .error, "7 rows of attachment (email_id) reference no row of email",
                help: "Give the rows a parent that exists.", table: "attachment",
                evidence: evidence),
            Finding(
                .walSize, .warning, "the write-ahead log has 99999999 bytes",
                help: "Have it cut:\n  PRAGMA wal_checkpoint(TRUNCATE);"),
            Finding(
                .primaryKey, .note, "table a|b has no primary key", help: "Give it one.", table: "a|b"),
        ]
        first.findings[0].object = "email"
        first.measures = [
            HealthMeasure("size_bytes", .bytes, 1_048_576, "Size of the database."),
            HealthMeasure(
                "freelist_ratio", .ratio, 0.125, "Part of the pages that is free.",
                threshold: HealthThreshold(warning: AlertRange("0:25"))),
        ]
        first.checked = [.foreignKeyViolation, .primaryKey, .walSize]
        first.notReached = [.init(.integrityFailure, table: "email", reason: "the time was over")]
        (first.seconds, first.knownCount) = (0.25, 2)
        var second = CheckedDatabase(path: "none.sqlite")
        second.trouble = "there is no database 'none.sqlite'"
        var report = Report([first, second])
        report.seconds = 0.5
        if case .health(var health) = report.body {
            health.finishedAt = 1_700_000_000
            report.body = .health(health)
        }
        return report
    }

    @Test(arguments: [
        ("human", "health.txt"), ("json", "health.json"), ("nagios", "health-nagios.txt"),
        ("prometheus", "health.prom"),
    ])
    func `every format`(format: String, file: String) throws {
        let renderer = try #require(ReportRenderers.ofHealth.named(format))
        try Golden.hold(renderer.render(Self.report, RenderOptions(isVerbose: true)), against: file)
    }

    /// With many databases the output stays within what every reader of a plugin takes.
    @Test func `Nagios gets no more than it can read, and what is left out is counted`() throws {
        for (broken, isLong) in [(0, false), (2, false), (200, false), (200, true)] {
            let databases = (0..<200).map { number -> CheckedDatabase in
                var health = CheckedDatabase(path: "data/customer-\(number).sqlite")
                health.checked = [.integrityFailure]
                health.measures = Self.report.health?.databases[0].measures ?? []
                if number < broken {
                    health.findings = [.error, .warning].map {
                        Finding(
                            .integrityFailure, $0,
                            isLong ? String(repeating: "ü|", count: 3000) : "it is damaged",
                            help: "", table: "t\(number)")
                    }
                }
                return health
            }
            let text = NagiosRenderer().render(Report(databases), RenderOptions())
            #expect(text.utf8.count <= 4096, "\(text.utf8.count)")
            let lines = text.split(separator: "\n").map(String.init)
            let bars = lines.map { $0.count { $0 == "|" } }
            #expect(bars.first == 1 && bars.dropFirst().allSatisfy { $0 == 0 })
            #expect(lines[0].contains(" | databases=200;;;0; critical=\(broken);;;0;"), "\(lines[0])")
            #expect(
                lines[0].hasPrefix(broken == 0 ? "DRYDOCK OK - 200 databases healthy" : "DRYDOCK CRITICAL - ")
            )
            guard broken > 0 else { continue }
            #expect(lines[0].contains("and \(2 * broken - 3) more"))
            var reported = 3 + lines.count - 1
            if let last = lines.last, let left = last.firstMatch(of: #/^and (\d+) more, left out here$/#) {
                reported += (Int(left.1) ?? 0) - 1
            }
            #expect(reported == 2 * broken)
        }
    }

    @Test func `Nagios output distinguishes two files with one name`() throws {
        let databases = ["eu/app.db", "us/app.db"].map { path -> CheckedDatabase in
            var health = CheckedDatabase(path: path)
            health.measures = [HealthMeasure("size_bytes", .bytes, 4096, "Size.")]
            health.findings = [Finding(.integrityFailure, .error, "table t is damaged")]
            return health
        }
        let text = NagiosRenderer().render(Report(databases), RenderOptions())
        #expect(
            text.contains(
                "eu/app.db, us/app.db: table t is damaged | 'eu/app.db_size_bytes'="))
    }
}
