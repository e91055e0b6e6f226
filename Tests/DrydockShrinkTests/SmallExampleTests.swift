import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockReplay
@testable import DrydockShrink
@testable import DrydockTestSupport
@testable import DrydockVerify

/// The script of a finding that was made small: it was run, and makes the rows of the folder.
@Suite struct SmallExampleTests {
    private func shrink(_ scenario: Scenario, _ target: ShrinkTarget) async throws -> ShrunkFinding {
        let folder = try scenario.write()
        var verify = VerifyRequest()
        verify.migrations.folder = folder.file("Migrations")
        verify.snapshots.folder = folder.file("Snapshots")
        var request = ShrinkRequest(verify, folder: folder.file("found"))
        (request.target, request.timeout) = (target, nil)
        let shrunk = try await Verifier(engine: GRDBDriver()).shrink(request)
        try ScriptCheck(shrunk, in: folder.file("found")).run()
        #expect(shrunk.project.isVerified && shrunk.isScriptExact)
        return shrunk
    }

    /// What SQLite computes for a column that is left out would be another value each time.
    @Test(arguments: ["CURRENT_TIMESTAMP", "(random())", "(hex(randomblob(8)))"])
    func aComputedDefaultIsWritten(value: String) async throws {
        let shrunk = try await shrink(
            Scenario(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, made TEXT DEFAULT \(value), a TEXT)",
                rows: "INSERT INTO t(a) VALUES ('some text'), ('more text')",
                steps: "DELETE FROM t WHERE made IS NOT NULL;"), ShrinkTarget(rule: .rowsLost))
        let inserts = try #require(shrunk.finding.counterexample?.inserts)
        #expect(inserts.count == 1 && inserts[0].contains("made"), "\(inserts)")
    }

    /// A trigger that writes rows as others are inserted writes them once.
    @Test func rowsOfATrigger() async throws {
        let shrunk = try await shrink(
            Scenario(
                """
                CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);
                CREATE TABLE z_log(id INTEGER PRIMARY KEY, t_id INTEGER, made TEXT DEFAULT 'now');
                CREATE TRIGGER t_log AFTER INSERT ON t BEGIN INSERT INTO z_log(id, t_id) VALUES (new.id + 100, new.id); END;
                """,
                rows: "INSERT INTO t(a) VALUES ('some text'), ('more text'), ('other text')",
                steps: "DELETE FROM z_log WHERE id > 101 AND t_id IN (SELECT id FROM t);"),
            ShrinkTarget(rule: .rowsLost))
        #expect(shrunk.finding.table == "z_log" && shrunk.rowCount <= 2)
    }

    /// A row that is there already is not one more.
    @Test func rowsAreCountedOnce() async throws {
        let shrunk = try await shrink(
            Scenario(
                """
                CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);
                CREATE TABLE u(id INTEGER PRIMARY KEY REFERENCES t(id), b TEXT);
                CREATE TRIGGER t_u AFTER INSERT ON t BEGIN INSERT INTO u VALUES (new.id, 'made'); END;
                """,
                rows: "INSERT INTO t(a) VALUES ('some text'), ('more text'), ('other text')",
                steps: "DELETE FROM u WHERE id = 2;"), ShrinkTarget(rule: .rowsLost))
        let inserts = try #require(shrunk.finding.counterexample?.inserts)
        #expect(shrunk.rowCount == inserts.count, "\(inserts)")
    }
}
