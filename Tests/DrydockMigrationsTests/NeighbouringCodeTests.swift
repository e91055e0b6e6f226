import Drydock
import Testing

@testable import DrydockTestSupport

/// Files of code between migrations, which no format runs: they are named.
@Suite struct NeighbouringCodeTests {
    @Test(arguments: ["2_fill.py", "2_fill.rb", "002_fill.sh", "2_fill.ts", "2_fill.java", "2_fill.go"])
    func codeBetweenMigrationsIsNamed(_ file: String) async throws {
        for project in [DbmateProject.project, SqlxProject.project, UserVersionProject.project] {
            let report = try await project.with(file, "code").verify()
            #expect(report.rules(.error).isEmpty)
            let finding = try report.finding(.migrationInCode)
            #expect(finding.severity == .warning)
            #expect(finding.message == "1 file of code between the migrations is not run here: \(file)")
        }
    }

    @Test(arguments: ["2_fill_test.go", "2_fill.test.ts", "2_fill.d.ts", "fill.py", "2_fill.txt", "2.md"])
    func otherFilesAreNot(_ file: String) async throws {
        try await UserVersionProject.project.with(file, "code").verify().expectNothing()
    }

    /// A runner that runs the code too records it.
    @Test func codeThatTheHistoryHasIsNotUnknown() async throws {
        var project = DbmateProject.project
        project.history += "INSERT INTO schema_migrations VALUES ('20240109');"
        #expect(try await project.verify().rules(.error).contains(.unknownMigration))
        let report = try await project.with("20240109_fill.py", "code").verify()
        #expect(!report.findings.contains { $0.rule == .unknownMigration })
    }
}
