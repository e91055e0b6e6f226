import Drydock
import Testing

@testable import DrydockTestSupport

/// Names that SQLite distinguishes and Swift does not: what has them is not checked, and that is said.
@Suite struct AlikeNamesTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    @Test(arguments: [composed, decomposed])
    func `two tables with names of one normal form are not checked`(name: String) async throws {
        let report = try await Scenario(
            "CREATE TABLE \"\(Self.composed)\"(x); CREATE TABLE \"\(Self.decomposed)\"(x); CREATE TABLE t(x);",
            rows:
                "INSERT INTO \"\(Self.composed)\" VALUES (1); INSERT INTO \"\(Self.decomposed)\" VALUES (2); INSERT INTO t VALUES (3);",
            steps: "DELETE FROM \"\(name)\"; DELETE FROM t;"
        ).verify()
        #expect(report.rules(.error) == [.rowsLost])
        let reasons = report.notChecked.filter { $0.rule == .rowsLost }.map(\.reason)
        #expect(reasons.contains { $0.contains("only in how Unicode composes letters") }, "\(reasons)")
    }

    @Test func `a table with two such columns is not checked either`() async throws {
        let report = try await Scenario(
            "CREATE TABLE t(\"\(Self.composed)\", \"\(Self.decomposed)\");",
            rows: "INSERT INTO t VALUES (1, 2);",
            steps: "UPDATE t SET \"\(Self.decomposed)\" = 3;"
        ).verify()
        #expect(report.notChecked.contains { $0.rule == .rowsLost }, "\(report.findings.map(\.line))")
    }
}
