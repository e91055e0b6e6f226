import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct TransactionRuleTests {
    @Test(arguments: [
        LintCase("VACUUM", "VACUUM", says: [.error]),
        LintCase("journal_mode", "PRAGMA journal_mode = WAL", says: [.error]),
        LintCase("another mode is passed over", "PRAGMA journal_mode = DELETE"),
        LintCase("synchronous", "PRAGMA synchronous = OFF", says: [.error]),
        LintCase("synchronous queried", "PRAGMA synchronous"),
        LintCase("ANALYZE", "ANALYZE"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.refusedInTransaction) }

    @Test func sqliteRefusesIt() throws {
        let database = try PlainDatabase()
        #expect(throws: PlainDatabase.Failure.self) {
            try database.execute("BEGIN; PRAGMA synchronous = OFF")
        }
    }

    @Test func itRunsOutsideATransaction() async throws {
        try await LintCase("", "VACUUM", tool: .d1).check(.refusedInTransaction) {
            $0.migrations.options.transaction = ToolPolicy.Transaction.none
        }
    }

    @Test(arguments: [
        LintCase("BEGIN", "BEGIN; CREATE TABLE a(x); COMMIT", says: [.error], tool: .d1)
    ]) func begin(_ it: LintCase) async throws {
        let findings = try await it.lint().report.findings.filter { $0.rule == .transactionEnded }
        #expect(!findings.isEmpty)
        let off = try await it.lint { $0.severities[.transactionEnded] = .off }
        #expect(!off.report.findings.contains { $0.rule == .transactionEnded })
    }

    @Test func pragmasThatDoNothing() async throws {
        try await LintCase("", "PRAGMA foreign_keys = OFF", says: [.warning]).check(.pragmaIgnored)
    }
}
