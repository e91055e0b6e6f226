import Drydock
import DrydockReport
import Foundation
import Testing

@testable import DrydockTestSupport

/// What was not checked is never called healthy.
@Suite struct HealthGapTests {
    private static let sql = """
        CREATE TABLE a(id INTEGER PRIMARY KEY, x REFERENCES a); CREATE TABLE b(y);
        """

    @Test func `a run that checked nothing says so in every format`() async throws {
        let it = try HealthCase(Self.sql)
        let report = try await it.report { $0.budget = .nanoseconds(1) }
        func text(_ format: String) throws -> String {
            try #require(ReportRenderers.ofHealth.named(format)).render(report, RenderOptions())
        }
        #expect(report.hasTrouble && NagiosRenderer.status(of: report) == .unknown)
        #expect(try text("human").contains("nothing of") && !text("human").contains("healthy"))
        #expect(try parsedJSON(text("json"))["verdict"] as? String == "failed")
        #expect(try text("nagios").hasPrefix("DRYDOCK UNKNOWN - nothing of"))
        #expect(try text("prometheus").contains("up{database=\"\(it.path)\"} 0"))
        #expect(try !text("prometheus").contains("last_success"))
    }

    @Test func `a table that only the program can read is a warning until it is accepted`() async throws {
        var it = try HealthCase(Self.sql + "CREATE TABLE c(n COLLATE NOCASE); CREATE INDEX c_n ON c(n)")
        try it.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'UNKNOWN') WHERE name = 'c'
            """)
        it.request.baseline = it.folder.file("known.json")
        let report = try await it.report { $0.only = ["integrity-failure", "freelist"] }
        let findings = report.findings
        #expect(findings.map(\.severity) == [.warning], "\(findings)")
        #expect(findings.first?.help.contains("--accept") == true)
        #expect(NagiosRenderer.status(of: report) == .warning)
        let accepted = try await it.report {
            $0.only = ["integrity-failure", "freelist"]
            $0.accepts = true
        }
        #expect(accepted.hasPassed && accepted.notChecked.count == 1)
    }

    @Test func `a known error does not hide what it kept from being checked`() async throws {
        var it = try HealthCase(
            """
            PRAGMA foreign_keys = off; CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE q(id INTEGER PRIMARY KEY, a REFERENCES p); INSERT INTO q VALUES(1, 7);
            CREATE TABLE c(n COLLATE NOCASE); CREATE INDEX c_n ON c(n)
            """)
        try it.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'UNKNOWN') WHERE name = 'c'
            """)
        it.request.baseline = it.folder.file("known.json")
        let accepting = try await it.report { ($0.only, $0.accepts) = (["foreign-key-violation"], true) }
        #expect(accepting.accepted?.count == 1)
        let report = try await it.report { $0.only = ["integrity-failure", "foreign-key-violation"] }
        #expect(!report.hasPassed)
        #expect(
            report.findings.allSatisfy { $0.tags.contains(.notChecked) } && !report.findings.isEmpty,
            "\(report.findings)")
        #expect(NagiosRenderer.status(of: report) == .warning)
        let prometheus = try #require(ReportRenderers.ofHealth.named("prometheus"))
        #expect(!prometheus.render(report, RenderOptions()).contains("last_success_timestamp_seconds{"))
    }

    @Test func `damage is never known`() async throws {
        var it = try HealthCase(Self.sql)
        try Data(repeating: 0x5a, count: 8192).write(to: URL(fileURLWithPath: it.path))
        it.request.baseline = it.folder.file("known.json")
        for accepts in [true, true, false] {
            let report = try await it.report { $0.accepts = accepts }
            #expect(!report.hasPassed && report.databases[0].knownCount == 0)
            #expect(report.findings.map(\.rule) == [.fileHeader], "\(report.findings)")
            #expect(NagiosRenderer.status(of: report) == .critical)
        }
    }

    @Test func `damage that stops checks is an error, whatever is left out`() async throws {
        let it = try HealthCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT); CREATE INDEX t_x ON t(x);"
                + HealthCase.numbers(3000) + "INSERT INTO t SELECT n, hex(zeroblob(n % 90)) FROM s")
        let size = try FileManager.default.attributesOfItem(atPath: it.path)[.size] as? Int ?? 0
        for page in stride(from: 5, to: size / 4096, by: 7) {
            try it.overwrite(Array(repeating: 0xff, count: 200), at: page * 4096)
        }
        let report = try await it.report { $0.without = ["integrity-failure"] }
        #expect(!report.hasPassed && !report.notChecked.isEmpty)
        let errors = report.findings.filter { $0.severity == .error }
        #expect(errors.count == 1 && errors[0].tags == [.damage], "\(report.findings)")
        #expect(errors[0].message.hasPrefix("the file is damaged, and "), "\(errors)")
        // With the check that looks for damage it is said there.
        let all = try await it.report()
        #expect(!all.findings.contains { $0.message.hasPrefix("the file is damaged, and ") })
        let one = try await it.report { $0.only = ["fragmentation"] }
        #expect(!one.hasPassed && !one.hasTrouble, "\(one.findings)")
    }

    @Test func `what a run had no time for is never accepted as known`() async throws {
        var it = try HealthCase(Self.sql)
        it.request.baseline = it.folder.file("known.json")
        var finding = Finding(.integrityFailure, .warning, "integrity was not checked: the time was over")
        finding.tags = [.notChecked, .ofRun]
        var health = CheckedDatabase(path: it.path)
        health.findings = [finding]
        health.checked = [.freelist]
        health.notReached = [.init(.integrityFailure, reason: "the time was over", cause: .time)]
        let report = Report([health])
        for renderer in ReportRenderers.ofHealth {
            let text = renderer.render(report, RenderOptions())
            #expect(!text.contains("OK") && !text.contains("\"passed\"") && !text.contains("last_success"))
        }
        #expect(try await it.report { $0.accepts = true }.accepted?.count == 0)
    }

    @Test func `checks that were not requested leave no gap, and no check at all is unknown`() async throws {
        let it = try HealthCase(Self.sql)
        let some = try await it.report { $0.without = ["integrity-failure", "foreign-key-violation"] }
        #expect(some.hasPassed && !some.hasTrouble)
        let none = try await it.report {
            $0.only = ["freelist"]
            $0.without = ["freelist"]
        }
        #expect(none.hasTrouble && NagiosRenderer.status(of: none) == .unknown)
    }

    @Test func `the remedy is more time`() async throws {
        var it = try HealthCase(Self.sql)
        it.request.progress = it.folder.file("state.json")
        #expect(try await it.report { $0.budget = .nanoseconds(1) }.hasTrouble)
        let rest = try await it.report { $0.budget = .seconds(60) }
        #expect(rest.hasPassed && !rest.hasTrouble)
        // A budget too small for any run also ends with a status.
        let result = try Tool(folder: it.folder).run("health", it.path, "--budget", "1ms", "--format", "json")
        let checked = try parsedJSON(result.output)["notChecked"] as? [Any] ?? []
        #expect((result.status == 0) == checked.isEmpty)
    }
}
