import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

/// `view-broken` where the tool's SQLite accepts `"text"` as a string: a column in double quotes that is gone does not
/// keep anything from compiling.
@Suite struct QuotedReferenceTests {
    private static let table = "CREATE TABLE a(id INTEGER PRIMARY KEY, m, n); CREATE TABLE l(q);"
    private static let dropM = "-- drydock: drops column a.m\nALTER TABLE a DROP COLUMN m;"
    private static let rebuild = """
        -- drydock: drops column a.m
        PRAGMA legacy_alter_table = ON; CREATE TABLE a2(id INTEGER PRIMARY KEY, n); INSERT INTO a2 SELECT id, n FROM a;
        DROP TABLE a; ALTER TABLE a2 RENAME TO a;
        """
    private static let rename = """
        CREATE TABLE b AS SELECT * FROM a; DROP TABLE a; CREATE TABLE a(id INTEGER PRIMARY KEY, mm, n);
        INSERT INTO a SELECT * FROM b; DROP TABLE b;
        """

    private func verify(
        _ schema: String, _ step: String, isNIO: Bool = false
    ) async throws -> Report {
        let one = Self.table + schema + ";\n"
        let project = ToolProject(
            files: ["00001_x.sql": "-- +goose Up\n" + one, "00002_x.sql": "-- +goose Up\n" + step],
            history: """
                CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL,
                is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
                INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
                """, schema: one, rows: "INSERT INTO a VALUES (1, 'x', 'p')")
        return try await project.write().verify(isNIO ? NIODriver() : GRDBDriver())
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT id, \"m\" FROM a", rename),
        ("CREATE VIEW v AS SELECT id, \"m\" FROM a", dropM),
        ("CREATE VIEW v AS SELECT id FROM a WHERE n = \"active\" AND \"M\" > 1", rebuild),
        ("CREATE TRIGGER t AFTER DELETE ON l BEGIN UPDATE a SET n = \"m\" WHERE \"m\" = 'x'; END", rebuild),
        ("CREATE INDEX i ON a(\"m\")", rebuild + "CREATE INDEX i ON a(\"m\");"),
        ("CREATE INDEX i ON a(n) WHERE \"m\" > 0", rebuild + "CREATE INDEX i ON a(n) WHERE \"m\" > 0;"),
    ])
    func aColumnThatBecameAStringIsAnError(_ object: String, _ step: String) async throws {
        for isNIO in [false, true] {
            let report = try await verify(object, step, isNIO: isNIO)
            #expect(report.rules(.error) == [.viewBroken], "\(report.findings.map(\.line))")
            let finding = try report.finding(.viewBroken)
            #expect(finding.message.contains(" as the text 'm', since no column has that name any more"))
        }
    }

    @Test func aConstraintThatComparesAStringIsAnError() async throws {
        let report = try await verify(
            "CREATE TABLE c(k, j, CHECK (\"k\" <> 'z'))",
            """
            -- drydock: drops column c.k
            CREATE TABLE c2(j, CHECK ("k" <> 'z')); INSERT INTO c2 SELECT j FROM c; DROP TABLE c; ALTER TABLE c2 RENAME TO c;
            """)
        #expect(report.rules(.error) == [.viewBroken], "\(report.findings.map(\.line))")
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT id FROM a WHERE n = \"active\"", dropM),
        ("CREATE VIEW v AS SELECT id FROM a WHERE n = \"m\"", "ALTER TABLE a ADD COLUMN k;"),
        ("CREATE VIEW v AS SELECT id, \"n\" FROM a", dropM),
        ("CREATE VIEW v AS SELECT id, \"m\" FROM a", "ALTER TABLE a RENAME COLUMN m TO k;"),
        (
            "CREATE VIEW v AS SELECT id, \"m\" FROM a",
            "DROP VIEW v; CREATE VIEW v AS SELECT id, 'm' AS m FROM a; " + dropM
        ),
        ("CREATE VIEW v AS SELECT q FROM l WHERE q = \"m\"", dropM),
        ("CREATE VIEW v AS SELECT q AS \"m\" FROM l ORDER BY \"m\"", dropM),
        ("CREATE INDEX i ON a(\"n\")", rebuild + "CREATE INDEX i ON a(\"n\");"),
    ])
    func whatWasAStringOrStillIsAColumnIsNot(_ object: String, _ step: String) async throws {
        let report = try await verify(object, step)
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test func theHelpNamesTheNewColumn() async throws {
        let report = try await verify("CREATE VIEW v AS SELECT id, \"m\" FROM a", Self.rename)
        let finding = try report.finding(.viewBroken)
        #expect(finding.help.contains("mm stands in its place"), "\(finding.help)")
        #expect(finding.proposedSQL == "DROP VIEW v;\n")
        let better = "DROP VIEW v; " + Self.rename + "CREATE VIEW v AS SELECT id, mm AS m FROM a;"
        let second = try await verify("CREATE VIEW v AS SELECT id, \"m\" FROM a", better)
        #expect(second.rules(.error).isEmpty, "\(second.findings.map(\.line))")
    }
}
