import Foundation
import OverlayVFS
import TestTools
import Testing

@testable import DrydockFindings
@testable import DrydockMaintenance
@testable import DrydockTestSupport

/// Whatever operation fails, the outcome is an error that says so: never a crash, never a false pass, and the files
/// stay unchanged.
@Suite struct FaultTests {
    /// With an index, rows that need overflow pages, a full-text table and a rebuild.
    private static let scenario = Scenario(
        Mail.schema + "CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE big(id INTEGER PRIMARY KEY, b);",
        rows: Mail.rows
            + """
            INSERT INTO f SELECT subject FROM email;
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 40)
            INSERT INTO big SELECT n, zeroblob(n * 200) FROM s
            """,
        steps: "ALTER TABLE big ADD COLUMN c DEFAULT 1; CREATE INDEX big_c ON big(c, id);",
        "CREATE TABLE copy(id INTEGER PRIMARY KEY, b, c); INSERT INTO copy SELECT * FROM big; DROP TABLE big; ALTER TABLE copy RENAME TO big; CREATE INDEX big_c ON big(c, id);"
    )

    private static let failures: [FaultPlan.Failure] = [.inputOutput, .diskFull]

    /// Returns operations at equal distances, from the first to near the last.
    private static func operations(_ count: Int) -> [Int] {
        let rounds = isSoak ? 4000 : 6
        return Array(Swift.stride(from: 1, through: max(1, count), by: max(1, count / rounds)))
    }

    @Test(arguments: [true, false])
    func `a failed replay reports the failure`(lasts: Bool) async throws {
        let folder = try Self.scenario.write()
        let before = try folder.contents()
        let counting = FaultPlan()
        let passed = try await Overlay.$faults.withValue(counting) { try await folder.verify() }
        #expect(passed.hasPassed && counting.count > 100, "\(passed.findings.map(\.line))")
        var struck = 0
        for failure in Self.failures {
            for number in Self.operations(counting.count) {
                let plan = FaultPlan(failing: number, with: failure, lasts: lasts)
                do {
                    let report = try await Overlay.$faults.withValue(plan) { try await folder.verify() }
                    #expect(
                        plan.hits == 0 || !report.hasPassed || !report.notChecked.isEmpty,
                        "operation \(number), \(failure): \(report.findings.map(\.line))")
                } catch {
                    #expect(!"\(error)".isEmpty && plan.hits > 0)
                }
                struck += plan.hits > 0 ? 1 : 0
            }
        }
        #expect(struck > 10)
        #expect(try folder.contents() == before)
    }

    @Test func `a health check reports what it could not check`() async throws {
        let it = try HealthCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x REFERENCES t); CREATE INDEX t_x ON t(x); CREATE VIRTUAL TABLE f USING fts5(y);"
                + HealthCase.numbers(500) + "INSERT INTO t SELECT n, n FROM s;"
                + "INSERT INTO f SELECT hex(randomblob(200)) FROM t")
        let before = try it.folder.contents()
        let counting = FaultPlan()
        let whole = try await Overlay.$faults.withValue(counting) { try await it.health { $0.isDeep = true } }
        #expect(whole.notReached.isEmpty && counting.count > 20, "\(counting.count)")
        var struck = 0
        for failure in Self.failures {
            for number in Self.operations(counting.count) {
                let plan = FaultPlan(failing: number, with: failure)
                let health = try await Overlay.$faults.withValue(plan) {
                    try await it.health { $0.isDeep = true }
                }
                guard plan.hits > 0 else { continue }
                struck += 1
                let isShown = !health.notReached.isEmpty || health.findings.contains { $0.severity == .error }
                #expect(isShown, "operation \(number), \(failure)")
            }
        }
        #expect(struck > 5)
        #expect(try it.folder.contents() == before)
    }
}
