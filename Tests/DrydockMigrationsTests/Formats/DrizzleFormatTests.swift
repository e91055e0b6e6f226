import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct DrizzleFormatTests {
    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await DrizzleProject.project.verify()
        report.expect(warnings: [.migrationEdited])
        #expect(report.steps == ["0001_born", "0002_index"])
    }

    /// All pending migrations share a transaction with foreign keys on.
    @Test func aRebuildCascades() async throws {
        let report = try await DrizzleProject.project.with(
            "0002_index.sql", DrizzleProject.pieces(ToolProject.rebuild)
        ).verify()
        report.expect(errors: [.pragmaIgnored, .rowsLost], warnings: [.migrationEdited])
        #expect(try report.finding(.rowsLost).table == "pet")
        #expect(try report.finding(.rowsLost).place?.lineText?.hasPrefix("DROP TABLE person") == true)
    }

    @Test func theJournalGivesTheOrder() async throws {
        let project = DrizzleProject.project.with(
            "meta/_journal.json", DrizzleProject.journal(["0000_people", "0002_index", "0001_born"]))
        #expect(try await project.verify().steps == ["0002_index", "0001_born"])
    }

    @Test func anEntryBelowTheNewestAppliedNeverRuns() async throws {
        var project = DrizzleProject.project
        project.schema += ToolProject.three
        project.history += "INSERT INTO __drizzle_migrations(hash, created_at) VALUES ('x', 3000);"
        let report = try await project.verify()
        #expect(report.rules(.error).contains(.migrationOutOfOrder))
        #expect(report.steps.isEmpty)
    }

    @Test func aLastEntryWithAnEarlierDateNeverRuns() async throws {
        let journal = DrizzleProject.journal(["0000_people", "0001_born", "0002_index"])
        let project = DrizzleProject.project.with(
            "meta/_journal.json", journal.replacing("3000", with: "900"))
        let report = try await project.verify()
        #expect(try report.finding(.migrationOutOfOrder).migration == "0002_index")
        #expect(report.steps == ["0001_born"])
    }

    @Test func anEntryWithoutItsFileIsReported() async throws {
        let report = try await DrizzleProject.project.with("0002_index.sql", nil).verify()
        #expect(
            report.faults == [
                "_journal.json:7: the journal names '0002_index', but there is no 0002_index.sql"
            ])
        #expect(report.steps == ["0001_born"])
    }

    @Test(arguments: [
        ("{\n  \"entries\": [\n", ":3"), ("{ }", ":1: the journal has no list 'entries'"),
        ("{ \"entries\": [\n { \"tag\": \"a\" } ] }", ":2: entry 0 of the journal has no"),
    ])
    func aBrokenJournal(_ text: String, _ told: String) async throws {
        let refusal = try await DrizzleProject.project.with("meta/_journal.json", text).refusal()
        #expect(refusal.contains("_journal.json:"), "\(refusal)")
        if told.count > 3 { #expect(refusal.contains("_journal.json" + told), "\(refusal)") }
    }

    @Test func twoStatementsInAPieceAreAWarning() async throws {
        let report = try await DrizzleProject.project.with(
            "0002_index.sql", ToolProject.three + "SELECT 1;\n"
        ).verify()
        report.expect(warnings: [.migrationEdited, .migrationFailed])
    }

    /// A violation that a later migration of the same transaction fixes is not a failure of the first.
    @Test func aDeferredViolationIsFixedByTheNextStep() async throws {
        let project = DrizzleProject.project
            .with(
                "0001_born.sql",
                "PRAGMA defer_foreign_keys = ON;\n--> statement-breakpoint\nINSERT INTO pet VALUES (3, 7, 'Flo');\n"
            )
            .with("0002_index.sql", "INSERT INTO person VALUES (7, 'Cy');\n")
        let report = try await project.verify()
        #expect(report.rules(.error).isEmpty, "\(report.faults)")
        #expect(report.steps == ["0001_born", "0002_index"])
        let open = try await project.with("0002_index.sql", "SELECT 1;\n").verify()
        #expect(open.rules(.error) == [.migrationFailed])
        #expect(open.faults[0].contains("when its transaction is committed"))
    }

    /// In a transaction that has written, `PRAGMA journal_mode` does nothing; in one that has not, it fails.
    @Test func theJournalModeIsLeftInATransaction() async throws {
        let mode = "PRAGMA journal_mode = WAL;\n"
        let later = DrizzleProject.project.with("0002_index.sql", mode)
        let report = try await later.verify()
        #expect(report.rules(.error).isEmpty, "\(report.faults)")
        #expect(report.steps == ["0001_born", "0002_index"])
        let first = try await DrizzleProject.project.with("0001_born.sql", mode).verify()
        #expect(first.rules(.error) == [.migrationFailed])
        #expect(first.faults[0].contains("cannot change into wal mode"))
    }

    @Test func foldersWithSnapshotsAreRead() async throws {
        let project = ToolProject(
            files: [
                "20240101000000_people/migration.sql": ToolProject.one,
                "20240101000000_people/snapshot.json": "{}",
                "20240102000000_born/migration.sql": ToolProject.two,
                "20240102000000_born/snapshot.json": "{}",
            ], history: DrizzleProject.history.replacing("1000", with: "1704067200000"))
        let report = try await project.verify()
        #expect(report.steps == ["20240102000000_born"])
        #expect(report.rules(.error).isEmpty, "\(report.faults)")
    }
}
