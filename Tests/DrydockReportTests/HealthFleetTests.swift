import Drydock
import Testing

@testable import DrydockMaintenance
@testable import DrydockReport

/// What `drydock health` reports of many databases.
@Suite struct HealthFleetTests {
    /// A fleet in which `broken` share an error, `warned` have warnings with figures of their own, the next could not be
    /// read, one was not reached, and the rest are healthy.
    private static func fleet(
        _ count: Int, broken: Int = 0, warned: Int = 0, unread: Int = 0, partial: Int = 0
    )
        -> Report
    {
        var report = Report(
            (0..<count).map { number -> CheckedDatabase in
                var it = CheckedDatabase(path: "data/tenant-\(number).sqlite")
                it.checked = [.foreignKeyViolation, .freelist]
                it.measures = [
                    HealthMeasure("size_bytes", .bytes, Double((number + 1) * 4096), "Size."),
                    HealthMeasure("freelist_ratio", .ratio, Double(number) / Double(count), "Free."),
                ]
                if number < broken {
                    it.findings = [
                        Finding(
                            .foreignKeyViolation, .error, "1 row of c (a) references no row of p",
                            help: "Give the rows a parent.", table: "c")
                    ]
                } else if number < broken + warned {
                    it.findings = [
                        Finding(
                            .freelist, .warning, "\(number) of 410 pages are free",
                            help: "At a quiet time: VACUUM;")
                    ]
                } else if number < broken + warned + unread {
                    it = CheckedDatabase(path: it.path)
                    it.trouble = "there is no database '\(it.path)'"
                } else if number < broken + warned + unread + partial {
                    it.notReached = [.init(.integrityFailure, reason: "the time was over", cause: .time)]
                }
                return it
            })
        report.seconds = 1.5
        if case .health(var health) = report.body {
            health.finishedAt = 1_700_000_000
            report.body = .health(health)
        }
        return report
    }

    private static let mixed = fleet(200, broken: 12, warned: 5, unread: 13, partial: 2)

    @Test(arguments: [
        ("human", "health-fleet.txt"), ("nagios", "health-fleet-nagios.txt"),
        ("prometheus", "health-fleet.prom"), ("junit", "health-fleet.xml"), ("tap", "health-fleet.tap"),
        ("sarif", "health-fleet.sarif"), ("gitlab", "health-fleet-gitlab.json"),
        ("github", "health-fleet-github.txt"), ("markdown", "health-fleet.md"), ("html", "health-fleet.html"),
    ])
    func `many databases`(format: String, file: String) throws {
        let renderer = try #require(ReportRenderers.ofHealth.named(format))
        try Golden.hold(renderer.render(Self.mixed, RenderOptions()), against: file)
    }

    @Test func `each database has one state, and the worst come first`() throws {
        let totals = try #require(Self.mixed.healthTotals)
        #expect(totals.counts == [.broken: 12, .notRead: 13, .warned: 5, .partlyChecked: 2, .healthy: 168])
        #expect(totals.counts.values.reduce(0, +) == totals.databases)
        #expect(
            totals.cases.map(\.state)
                == totals.cases.map(\.state).sorted { a, b in
                    let order = HealthTotals.State.allCases
                    return order.firstIndex(of: a) ?? 0 < order.firstIndex(of: b) ?? 0
                })
        #expect(totals.cases.count == 32 && totals.cases[0].path == "data/tenant-0.sqlite")
    }

    @Test func `quiet output is empty if and only if all is well`() {
        let quiet = RenderOptions(isQuiet: true)
        for count in [1, 2, 10, 11, 500] {
            #expect(HumanRenderer().render(Self.fleet(count), quiet).isEmpty, "\(count)")
            for report in [
                Self.fleet(count, broken: 1), Self.fleet(count, warned: 1), Self.fleet(count, unread: 1),
                Self.fleet(count, partial: 1),
            ] {
                #expect(!HumanRenderer().render(report, quiet).isEmpty, "\(count)")
            }
        }
    }

    @Test func `what many share is shown once, and what differs only as examples`() {
        let text = HumanRenderer().render(Self.fleet(300, broken: 200, warned: 100), RenderOptions())
        #expect(text.ranges(of: "references no row of p").count == 1)
        #expect(text.contains("200 databases: data/tenant-0.sqlite"))
        #expect(text.contains("in 100 databases") && text.ranges(of: " of 410 pages are free").count == 3)
        #expect(text.contains("… and 97 more"))
        #expect(!text.contains("healthy"), "none is")
        let all = HumanRenderer().render(
            Self.fleet(300, broken: 200, warned: 100), RenderOptions(isVerbose: true))
        #expect(all.ranges(of: "references no row of p").count == 200)
    }

    @Test(arguments: [(10, 10), (11, 1)])
    func `a list of up to ten databases has the findings of each`(count: Int, results: Int) {
        let text = SARIFRenderer().render(Self.fleet(count, broken: count), RenderOptions())
        #expect(text.ranges(of: "\"ruleId\"").count == results)
    }

    @Test func `two findings of one database are never one`() {
        var it = CheckedDatabase(path: "a")
        it.findings = ["view v does not compile", "view w does not compile"].map {
            Finding(.viewBroken, .error, $0, help: "Drop it.")
        }
        var other = CheckedDatabase(path: "b")
        other.findings = it.findings
        let groups = FindingGroup.byDatabase(Report([it, other]).findings)
        #expect(groups.map(\.findings.count) == [2, 2])
        #expect(groups.allSatisfy { $0.isUniform && Set($0.findings.map(\.database)).count == 2 })
    }

    @Test func `the output for Prometheus does not grow with the number of databases`() {
        let sizes = [1_000, 10_000].map { count in
            PrometheusRenderer().render(Self.fleet(count, broken: count), RenderOptions()).utf8.count
        }
        #expect(sizes[0] < 100_000 && abs(sizes[1] - sizes[0]) < 1_000, "\(sizes)")
        let text = PrometheusRenderer().render(Self.fleet(1_000, broken: 3), RenderOptions())
        #expect(text.ranges(of: "drydock_sqlite_up{").count == 3)
        #expect(text.contains("drydock_sqlite_fleet_databases{state=\"healthy\"} 997"))
        #expect(text.contains("drydock_sqlite_fleet_size_bytes{quantile=\"0.5\"} \(500 * 4096)"))
        // Each name has its HELP and TYPE once, and each series occurs once.
        for report in [Self.mixed, Self.fleet(3, broken: 1)] {
            let lines = PrometheusRenderer().render(report, RenderOptions()).split(separator: "\n")
            let types = lines.filter { $0.hasPrefix("# TYPE") }
            #expect(Set(types).count == types.count)
            let series = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
            #expect(Set(series).count == series.count)
        }
    }

    /// What 10,000 databases share is said once, so that the report of 10,000 is hardly longer than that of 1,000.
    @Test(arguments: ["human", "junit", "tap", "sarif", "gitlab", "github", "markdown", "html", "nagios"])
    func `no report for people or services grows with the databases`(_ format: String) throws {
        let renderer = try #require(ReportRenderers.ofHealth.named(format))
        let sizes = [1_000, 10_000].map { count in
            let report = Self.fleet(
                count, broken: count / 2, warned: count / 4, unread: count / 10, partial: count / 10)
            return renderer.render(report, RenderOptions()).utf8.count
        }
        #expect(sizes[0] < 100_000 && abs(sizes[1] - sizes[0]) < 2_000, "\(sizes)")
    }

    /// Also where no two databases have the same: then what is left out is counted.
    @Test(arguments: ["junit", "tap", "sarif", "gitlab", "github", "markdown", "html"])
    func `findings that nothing has in common are limited too`(_ format: String) throws {
        let renderer = try #require(ReportRenderers.ofHealth.named(format))
        let report = Report(
            (0..<3_000).map { number -> CheckedDatabase in
                var it = CheckedDatabase(path: "data/\(number).sqlite")
                it.checked = [.foreignKeyViolation]
                it.findings = [
                    Finding(
                        .foreignKeyViolation, .error, "a row of t\(number) has no parent",
                        help: "Mend t\(number).",
                        table: "t\(number)")
                ]
                it.notReached = [.init(.integrityFailure, table: "t\(number)", reason: "reason \(number)")]
                return it
            })
        let text = renderer.render(report, RenderOptions())
        #expect(text.utf8.count < 1_500_000, "\(text.utf8.count)")
        #expect(text.contains("more"))
    }

    /// Whatever was not checked somewhere is never a test that passed.
    @Test func `tests pass only where something was checked`() throws {
        for report in [
            Self.fleet(200, unread: 200), Self.fleet(200, partial: 200), Self.fleet(200, unread: 1),
            Self.fleet(200, partial: 1), Self.fleet(200, broken: 3, partial: 5), Self.fleet(200, warned: 3),
        ] {
            let suite = try #require(CheckSuite.suites(of: report).first)
            #expect(CheckSuite.suites(of: report).count == 1)
            #expect(suite.cases.contains { $0.outcome == .failed } == !report.hasPassed)
            #expect(!suite.cases.isEmpty && Set(suite.cases.map(\.name)).count == suite.cases.count)
            let gaps = Set(report.notChecked.map { "\($0.rule.rawValue): not checked" })
            let skipped = suite.cases.filter { if case .skipped = $0.outcome { true } else { false } }
            #expect(Set(skipped.map(\.name)) == gaps)
        }
        let unread = CheckSuite.suites(of: Self.fleet(200, unread: 200))[0]
        #expect(!unread.cases.contains { $0.outcome == .passed })
        let well = CheckSuite.suites(of: Self.fleet(200))[0]
        #expect(well.cases.map(\.name) == ["foreign-key-violation", "freelist"])
    }

    /// Two thousand databases with the same three findings: three blocks for people, and six thousand entries in JSON.
    @Test func `three findings of two thousand databases are said once`() throws {
        let report = Report(
            (0..<2_000).map { number -> CheckedDatabase in
                var it = CheckedDatabase(path: "data/tenant-\(number).sqlite")
                it.checked = [.foreignKeyViolation, .viewBroken, .freelist]
                it.findings = [
                    Finding(
                        .foreignKeyViolation, .error, "1 row of c (a) references no row of p",
                        help: "Give it a parent.", table: "c"),
                    Finding(.viewBroken, .error, "view v does not compile", help: "Drop it."),
                    Finding(.freelist, .warning, "\(number) of 4100 pages are free", help: "VACUUM;"),
                ]
                return it
            })
        let text = HumanRenderer().render(report, RenderOptions())
        #expect(text.split(separator: "\n").count < 40 && text.utf8.count < 3_000, "\(text)")
        for message in ["references no row of p", "view v does not compile"] {
            #expect(text.ranges(of: message).count == 1)
        }
        #expect(text.contains("2,000 databases: 2000 broken"))
        let json = JSONRenderer().render(report, RenderOptions())
        #expect(json.ranges(of: "\"rule\" : \"foreign-key-violation\"").count == 2_000)
        #expect(json.ranges(of: "\"rule\" : \"view-broken\"").count == 2_000)
        #expect(json.ranges(of: "\"rule\" : \"freelist\"").count == 2_000)
        for number in [0, 999, 1_999] { #expect(json.contains("data/tenant-\(number).sqlite")) }
    }

    @Test func `a success of all needs each of them`() {
        let name = "drydock_sqlite_fleet_last_success_timestamp_seconds"
        #expect(PrometheusRenderer().render(Self.fleet(200), RenderOptions()).contains(name + " 1700000000"))
        #expect(!PrometheusRenderer().render(Self.fleet(200, unread: 1), RenderOptions()).contains(name))
    }

    @Test func `labels for Nagios are unique where names look alike`() throws {
        for paths in [
            ["x=y", "x_y"], ["a|b", "a/b"], ["a", "a_wal"], ["d/a\u{7}", "d/a\u{8}"], ["time", "t"],
        ] {
            let databases = paths.map { path -> CheckedDatabase in
                var it = CheckedDatabase(path: path)
                it.measures = ["size_bytes", "wal_size_bytes"].map { HealthMeasure($0, .bytes, 1, "Size.") }
                return it
            }
            let text = NagiosRenderer().render(Report(databases), RenderOptions())
            let data = try #require(text.split(separator: " | ").last)
            let labels = data.split(separator: ";0;").map {
                $0.drop { $0 == " " }.prefix { $0 != "=" }
            }.filter { !$0.allSatisfy(\.isWhitespace) }
            #expect(labels.count == 5 && Set(labels).count == 5, "\(text)")
        }
    }

    @Test func `Markdown and JSON have the totals, and JSON each finding`() {
        let markdown = MarkdownRenderer().render(Self.mixed, RenderOptions())
        #expect(markdown.contains("12 broken, 13 not read, 5 with warnings"))
        #expect(markdown.contains("and 11 more"))
        let json = JSONRenderer().render(Self.mixed, RenderOptions())
        #expect(json.contains("\"not-read\" : 13") && json.contains("\"percentile99\""))
        #expect(json.ranges(of: "references no row of p").count == 12)
        let single = JSONRenderer().render(Self.fleet(1), RenderOptions())
        #expect(!single.contains("totals"))
    }
}
