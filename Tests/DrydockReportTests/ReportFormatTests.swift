import Drydock
import Foundation
import SQLiteSchema
import Testing

@testable import DrydockFindings
@testable import DrydockReport

/// The formats that other programs read: golden files, and what each must say.
@Suite struct ReportFormatTests {
    static let options = {
        var options = RenderOptions()
        options.paths = SourcePaths(root: "/repository", folder: "/repository/backend")
        return options
    }()

    @Test func generatedRowsAreNoFileOfAFinding() {
        let snapshot = "Snapshots/v1.sqlite"
        var probe = ReplaySummary(snapshot: "probe")
        probe.isProbe = true
        var report = Report(.verify(VerifySummary(replays: [ReplaySummary(snapshot: snapshot), probe])))
        report.findings = [snapshot, "probe"].map { name in
            var finding = Finding(
                .rowsLost, "1 row of t is gone", migration: "v2", place: .init(file: "v2.sql"), table: "t",
                evidence: Evidence(rowCount: 1))
            finding.snapshot = name
            return finding
        }
        let text = SARIFRenderer().render(report, RenderOptions())
        #expect(text.contains("\"uri\" : \"\(snapshot)\""), "\(text)")
        #expect(!text.contains("\"uri\" : \"probe\""), "\(text)")
    }

    private static let golden = [
        ("junit", "xml"), ("sarif", "sarif"), ("github", "txt"), ("gitlab", "json"), ("tap", "tap"),
        ("markdown", "md"),
    ]

    @Test(arguments: golden) func verify(_ format: String, _ type: String) throws {
        let renderer = try #require(ReportRenderers.named(format))
        try Golden.hold(renderer.render(SampleReport.failed, Self.options), against: "\(format).\(type)")
        var options = Self.options
        options.redacts = true
        try Golden.hold(
            renderer.render(SampleReport.failed, options), against: "\(format)-redacted.\(type)")
        try Golden.hold(
            renderer.render(SampleReport.passed, Self.options), against: "\(format)-passed.\(type)")
    }

    @Test(arguments: golden) func lint(_ format: String, _ type: String) throws {
        let renderer = try #require(ReportRenderers.named(format))
        var report = SampleReport.linted
        let source = SQLSource(name: "Migrations/v2.sql", "-- A copy.\nINSERT INTO n\n  SELECT * FROM email;")
        report.findings[1].edits = [SQLEdit(range: 34..<35, text: "id, subject")].compactMap {
            .init($0, in: source)
        }
        try Golden.hold(renderer.render(report, Self.options), against: "lint-\(format).\(type)")
    }

    @Test(arguments: golden) func failure(_ format: String, _ type: String) throws {
        let renderer = try #require(ReportRenderers.named(format))
        let error = RequestError(
            .settingInvalid, "drydock.yml:2: 'lots' is not a size", quote: "  memory: lots",
            file: "drydock.yml", line: 2)
        try Golden.hold(
            try #require(renderer.renderFailure(error, of: "verify", Self.options)),
            against: "failure-\(format).\(type)")
    }

    /// What was not checked is in every format, and nothing says that it passed.
    @Test(arguments: ReportRenderers.all.map(\.name)) func notChecked(_ format: String) throws {
        let renderer = try #require(ReportRenderers.named(format))
        var (replay, lint) = (ReplaySummary(snapshot: "v1.sqlite"), LintSummary(migrations: 2, statements: 4))
        (replay.to, lint.fixed) = ("v2", nil)
        var health = DatabaseHealth(path: "v1.sqlite")
        health.checked = [.integrityFailure]
        let bodies: [Report.Body] = [
            .verify(VerifySummary(replays: [replay])), .lint(lint), .lock(LockSummary(path: "drydock.lock")),
            .migrate(MigrateSummary(database: "v1.sqlite", outcome: .rehearsed)),
            .health(HealthSummary(databases: [health])),
        ]
        for body in bodies {
            var report = Report(body)
            var entry = NotChecked(.integrityFailure, snapshot: "v1.sqlite", .recorded("the moon was full"))
            if case .health = body { (entry.snapshot, entry.database) = (nil, "v1.sqlite") }
            report.notChecked = [entry]
            for options in [RenderOptions(), RenderOptions(redacts: true), RenderOptions(isQuiet: true)] {
                let text = renderer.render(report, options)
                #expect(text.contains("the moon was full"), "\(report.command): \(text)")
                switch format {
                case "junit": #expect(text.contains(#"skipped="1""#) && text.contains("<skipped message="))
                case "tap": #expect(text.contains("# SKIP the moon was full"))
                case "markdown": #expect(!text.contains("✅"), "\(text)")
                case "sarif":
                    #expect(text.contains("toolExecutionNotifications") && text.contains(#""warning""#))
                case "github": #expect(text.hasPrefix("::warning title=1 not checked::"), "\(text)")
                default: break
                }
            }
        }
    }

    /// A run has failed if, and only if, a test of it has.
    @Test func testsFailWithTheRun() {
        var reports = [SampleReport.passed, SampleReport.failed, SampleReport.linted]
        reports += HostileReport.reports("x")
        for outcome: MigrateSummary.Outcome in [.upToDate, .pending, .rehearsed, .applied, .damaged] {
            var migrate = MigrateSummary(database: "app.sqlite", outcome: outcome)
            if outcome == .pending { migrate.pending = ["v2"] }
            reports.append(Report(.migrate(migrate)))
        }
        var both = SampleReport.linted
        both.findings = [.error, .warning, .note].map {
            Finding(.destructiveUndeclared, $0, "it deletes", migration: "v2", place: .init(file: "v2.sql"))
        }
        reports.append(both)
        var warned = SampleReport.passed
        warned.findings = [Finding(.rowsAdded, .warning, "a row")]
        reports.append(warned)
        warned.isStrict = true
        reports.append(warned)
        for body: Report.Body in [
            .verify(VerifySummary()), .lint(LintSummary(migrations: 0, statements: 0)),
            .health(HealthSummary()),
            .lock(LockSummary(path: "drydock.lock")),
        ] { reports.append(Report(body)) }
        for report in reports {
            let suites = CheckSuite.suites(of: report)
            #expect(!suites.isEmpty && suites.allSatisfy { !$0.cases.isEmpty }, "\(report.command)")
            let failed = suites.flatMap(\.cases).contains { $0.outcome == .failed }
            // Programs recognise a case by its name.
            for suite in suites {
                let names = suite.cases.filter { if case .skipped = $0.outcome { false } else { true } }.map(
                    \.name)
                #expect(Set(names).count == names.count, "\(report.command) \(names)")
            }
            #expect(failed == !report.hasPassed, "\(report.command) \(suites)")
            let issues = GitLabRenderer().render(report, RenderOptions()).contains("\"critical\"")
            let annotations = GitHubRenderer().annotations(report, RenderOptions()).contains("::error ")
            if !report.isStrict { #expect(issues == failed && annotations == failed, "\(report.command)") }
        }
    }

    /// What is found at a step stands where the step is, and a finding without a place names no file.
    @Test func orderAndPlaces() throws {
        var report = SampleReport.passed
        var replay = report.replays[0]
        replay.steps = ["v2", "v3", "v4"].map {
            .init(migration: $0, seconds: 0.5, pagesWritten: 1, bytesWritten: 1, statementSeconds: [])
        }
        report.body = .verify(VerifySummary(replays: [replay]))
        report.findings = [("v4", .warning), ("v3", .error), ("v9", .error)].map { migration, severity in
            var finding = Finding(.rowsLost, severity, "rows", migration: migration)
            finding.snapshot = replay.snapshot
            return finding
        }
        let cases = try #require(CheckSuite.suites(of: report).first).cases
        #expect(
            cases.map(\.name) == ["v2", "v3: rows-lost", "v4", "v4: rows-lost (warnings)", "v9: rows-lost"])
        #expect(cases.map(\.seconds) == [0.5, 0.5, 0.5, 0, 0])
        report.findings = [Finding(.nothingVerified, "there is no snapshot")]
        let command = GitHubRenderer().annotations(report, Self.options)
        #expect(command == "::error title=nothing-verified::there is no snapshot\n")
    }

    /// The runner shows ten annotations of each severity.
    @Test(arguments: [3, 10, 17]) func everyRuleIsAmongTheFirstTen(_ rules: Int) throws {
        var report = SampleReport.passed
        report.findings = Rule.allCases.prefix(rules).flatMap { rule in
            (0..<9).map { Finding(rule, "message \($0) of \(rule.rawValue)", migration: "v\($0)") }
        }
        report.findings.append(Finding(.freelist, .warning, "a warning"))
        let text = GitHubRenderer().annotations(report, RenderOptions())
        let commands = text.split(separator: "\n").compactMap(WorkflowCommand.init)
        let errors = commands.filter { $0.name == "error" }
        #expect(errors.count == rules * 9 + 1 && commands.count == errors.count + 1)
        let shown = errors.prefix(10).map { $0.properties["title", default: ""] + $0.message }.joined()
        for rule in Rule.allCases.prefix(rules) { #expect(shown.contains(rule.rawValue), "\(rule)") }
        #expect(errors[9].properties == ["title": "\(rules * 9 - 9) more errors"])
        #expect(errors[9].message.hasPrefix("GitHub shows 10 errors of a step. Its log has the rest: "))
    }

    /// A fingerprint stays the same while lines move, comments and counts change, and no two findings have the same.
    @Test func fingerprints() throws {
        func fingerprint(_ sql: String, _ message: String, table: String = "email") throws -> String {
            let source = SQLSource(name: "Migrations/v2.sql", sql)
            let statement = try #require(source.statements().last)
            var finding = Finding(
                .rowsLost, message, migration: "v2", place: .init(statement), table: table)
            finding.snapshot = "Snapshots/\(message).sqlite"
            var fingerprints = FindingFingerprints(SourcePaths())
            return fingerprints.next(finding)
        }
        let first = try fingerprint("DELETE FROM email WHERE a = 1;", "7 rows")
        #expect(try fingerprint("\n\n-- x\nDELETE FROM email\n  WHERE a /* b */ = 1;", "8 rows") == first)
        #expect(try fingerprint("DELETE FROM email WHERE a = 2;", "7 rows") != first)
        #expect(try fingerprint("DELETE FROM email WHERE a = 1;", "7 rows", table: "label") != first)
        var fingerprints = FindingFingerprints(SourcePaths())
        let same = Finding(.rowsLost, "7 rows", migration: "v2")
        #expect(fingerprints.next(same) != fingerprints.next(same))
        var folder = FindingFingerprints(SourcePaths(root: "/r", folder: "/r/backend"))
        var root = FindingFingerprints(SourcePaths(root: "/r", folder: "/r"))
        let (here, there) = (
            Finding(.rowsLost, "x", place: .init(file: "a.sql")),
            Finding(.rowsLost, "x", place: .init(file: "backend/a.sql"))
        )
        #expect(folder.next(here) == root.next(there))
    }

    @Test(arguments: [
        ("a/b.sql", "backend/a/b.sql"), ("./a.sql", "backend/a.sql"), ("../x/a.sql", "x/a.sql"),
        ("/repository/x.sql", "x.sql"), ("/repository/./y/../x.sql", "x.sql"),
        ("/other/x.sql", "/other/x.sql"),
        ("../../other/x.sql", "/other/x.sql"), ("/repository2/x", "/repository2/x"), ("..", "."),
    ]) func paths(_ path: String, _ expected: String) {
        #expect(Self.options.paths.path(path) == expected)
        #expect(SourcePaths().path("./a/../b.sql") == "b.sql" && SourcePaths().path("../b") == "../b")
        #expect(SourcePaths.uri("a b/ü#?%:.sql") == "a%20b/%C3%BC%23%3F%25%3A.sql")
    }

    /// A comment is never longer than GitHub takes, and says what it leaves out.
    @Test func commentsAreShort() throws {
        var report = SampleReport.passed
        report.findings = (0..<3000).map { number in
            var place = Finding.Place(file: "Migrations/\(number).sql")
            (place.line, place.statement) = (1, String(repeating: "SELECT '``` ü' ", count: number))
            return Finding(
                .rowsLost, "row \(number) " + String(repeating: "<é>", count: number % 500),
                help: "Help.\n  x",
                migration: "v\(number)", place: place)
        }
        report.notChecked = (0..<500).map { NotChecked(.integrityFailure, .recorded("reason \($0)")) }
        report.body = .verify(
            VerifySummary(replays: (0..<200).map { ReplaySummary(snapshot: "\($0)/a.sqlite") }))
        let text = MarkdownRenderer().render(report, RenderOptions())
        #expect(text.utf8.count <= MarkdownRenderer.limit && text.utf8.count > 30_000, "\(text.utf8.count)")
        #expect(text.contains("findings are not shown: the comment would be too long"))
        #expect(text.contains("findings more\n") && text.contains(" more\n") && text.contains("3000 errors"))
        #expect(text.count { $0 == "\u{0}" } == 0)
        #expect(text.matches(of: /<details>/).count == text.matches(of: /<\/details>/).count)
    }
}
