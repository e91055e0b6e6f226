import Drydock
import Testing

/// The pages and SQL give the same findings.
@Suite struct PageConservationTests {
    static let chunks = 8
    static let seedsOfChunk = Soak.rounds(25, 1_000)

    @Test(arguments: 0..<chunks)
    func `the verdict from the pages is that of SQL`(chunk: Int) async throws {
        for seed in (chunk * Self.seedsOfChunk + 1)...((chunk + 1) * Self.seedsOfChunk) {
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

    /// Returns everything except the statement that caused a finding: it is searched for with the first row, which
    /// differs where the order of the table is not BINARY.
    private func facts(_ report: Report) -> [String] {
        report.findings.map { finding in
            "\(finding.severity) \(finding.rule) \(finding.migration ?? "-") \(finding.message) \(finding.tags) \(finding.table ?? "-").\(finding.column ?? "-") \(finding.evidence?.rowCount ?? -1)"
        }.sorted()
    }
}
