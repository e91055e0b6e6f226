import Drydock
import TestTools
import Testing

@testable import DrydockTestSupport

/// The pages and SQL give the same findings.
@Suite struct PageConservationTests {
    @Test func `the verdict from the pages is that of SQL`() async throws {
        for seed in seeds(40, of: 200, soak: 8_000) {
            let migration = RandomMigration(seed: UInt64(seed))
            let steps = migration.steps.enumerated().map { ("v\($0 + 2)", $1) }
            let scenario = Scenario(
                migrations: [("v1", migration.schema)] + steps, at: 1, rows: migration.rows,
                pragmas: migration.pragmas)
            let folder: TemporaryFolder
            do {
                folder = try scenario.write()
            } catch {
                Issue.record("seed \(seed): \(error)")
                continue
            }
            let fast = try await folder.verify()
            let slow = try await PageReading.$isOn.withValue(false) { try await folder.verify() }
            #expect(
                facts(fast) == facts(slow), "seed \(seed)\n\(migration.steps.joined(separator: "\n--\n"))")
        }
    }

    /// Of a table of which many pages changed several threads compare ranges of rows.
    @Test(arguments: [
        "-- drydock: rewrites t.a\nUPDATE t SET a = a || 'x'; DELETE FROM t WHERE id % 1000 = 7; UPDATE t SET b = 1 WHERE id > 19000",
        "CREATE TABLE n(id INTEGER PRIMARY KEY, a TEXT, b, c DEFAULT 5, d); INSERT INTO n(id, a, b, c) SELECT id, a, nullif(b, 77), c FROM t WHERE id <> 12345; DROP TABLE t; ALTER TABLE n RENAME TO t",
        "UPDATE t SET b = b + 1 WHERE id % 5 = 0; INSERT INTO t(id, a) VALUES(-5, 'new')",
        // The first row is longer than the rest, which end before the column with a default.
        "UPDATE t SET c = 5 WHERE id = 1; UPDATE t SET a = upper(a), c = CASE WHEN id = 9000 THEN 6 ELSE c END",
        "CREATE TABLE n(a TEXT, b, c); INSERT INTO n SELECT a, b, c FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
    ])
    func `ranges of rows have the verdict of the whole`(migration: String) async throws {
        let scenario = Scenario(
            migrations: [
                ("v1", "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b)"),
                // The records end before it.
                ("v2", "ALTER TABLE t ADD COLUMN c DEFAULT 5"), ("v3", migration),
            ], at: 1,
            rows: """
                WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20000)
                INSERT INTO t(id, a, b) SELECT n, 'text ' || n || hex(zeroblob(30)), n % 100 FROM s;
                """, pragmas: ["PRAGMA page_size = 512"])
        let folder = try scenario.write()
        let fast = try await folder.verify()
        let slow = try await PageReading.$isOn.withValue(false) { try await folder.verify() }
        #expect(facts(fast) == facts(slow))
        #expect(!facts(slow).isEmpty)
    }

    /// Returns everything except the statement that caused a finding: it is searched for with the first row, which
    /// differs where the order of the table is not BINARY.
    private func facts(_ report: Report) -> [String] {
        report.findings.map { finding in
            "\(finding.severity) \(finding.rule) \(finding.migration ?? "-") \(finding.message) \(finding.tags) \(finding.table ?? "-").\(finding.column ?? "-") \(finding.evidence?.rowCount ?? -1)"
        }.sorted()
    }
}
