import DrydockTesting
import GRDB
import Notes
import Testing

/// Each closure is put behind the app's migrations: what is wrong with it has a name.
@Suite struct ClosureTests {
    @Test(arguments: BadClosure.all)
    func badClosuresAreFound(_ closure: BadClosure) async throws {
        var migrator = NotesDatabase.migrator
        closure.register(&migrator)
        let report = try await migrationReport(
            migrator, declaring: ["v5_bad": closure.declarations],
            configuration: NotesDatabase.configuration, lock: nil)
        let errors = report.findings.filter { $0.severity == .error }
        #expect(!report.hasPassed)
        #expect(
            errors.contains { $0.rule.rawValue == closure.rule && $0.migration == "v5_bad" },
            "\(errors.map { "\($0.rule.rawValue) \($0.migration ?? ""): \($0.message)" })")
    }

    @Test(arguments: GoodClosure.all)
    func goodClosuresPass(_ closure: GoodClosure) async throws {
        var migrator = NotesDatabase.migrator
        migrator.registerMigration("v5_good", foreignKeyChecks: closure.checks, migrate: closure.body)
        try await verifyMigrations(
            migrator, declaring: ["v5_good": closure.declarations],
            configuration: NotesDatabase.configuration, lock: nil)
    }
}
