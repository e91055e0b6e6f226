import DatabaseEngine
import Testing

@testable import DrydockTestSupport

/// Which parents and which keys ordinary rows have.
@Suite struct RowBuilderTests {
    private func filled(_ rowCase: RowCase) async throws -> RowCase.Outcome {
        let outcome = try await rowCase.run()
        #expect(outcome.faults.isEmpty && outcome.result.empty.isEmpty, "\(outcome.result.empty)")
        return outcome
    }

    @Test func `one parent has several children and another none, unless that cannot be`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE p(id INTEGER PRIMARY KEY);
                CREATE TABLE child(id INTEGER PRIMARY KEY, p_id INTEGER NOT NULL REFERENCES p(id));
                CREATE TABLE grandchild(id INTEGER PRIMARY KEY, child INTEGER NOT NULL REFERENCES child(id));
                CREATE TABLE named(id INTEGER PRIMARY KEY, p_id INTEGER NOT NULL);
                CREATE TABLE only(id INTEGER PRIMARY KEY, p INTEGER NOT NULL UNIQUE REFERENCES p(id));
                CREATE TABLE later(id INTEGER PRIMARY KEY, p INTEGER NOT NULL REFERENCES p(id));
                CREATE TABLE kind(k TEXT PRIMARY KEY CHECK (k IN ('a', 'b', 'c')));
                CREATE TABLE item(id INTEGER PRIMARY KEY, k TEXT NOT NULL REFERENCES kind(k));
                """, later: "CREATE UNIQUE INDEX l ON later(p);"))
        for (table, column) in [("child", "p_id"), ("grandchild", "child"), ("named", "p_id")] {
            let values = outcome.values(table, column)
            #expect(values.count == 3 && Set(values).count == 2, "\(table)")
        }
        for (table, column) in [("only", "p"), ("later", "p"), ("item", "k")] {
            #expect(Set(outcome.values(table, column)).count == 3, "\(table)")
        }
    }

    @Test func `keys that migrations handle one by one are all that there are`() async throws {
        // Texts in double quotes are texts, as SQLite reads them.
        let keys = ["host", "PORT", "user", "password", "sender", "theme"]
        let rowCase = RowCase(
            "CREATE TABLE config(key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL); CREATE TABLE few(key TEXT PRIMARY KEY, v);",
            later: "ALTER TABLE config ADD COLUMN category TEXT;"
                + keys.map { "UPDATE config SET category = \"Mail\" WHERE \"key\" = \"\($0)\";" }.joined()
                + "UPDATE few SET v = 1 WHERE key = 'x'; UPDATE few SET v = 2 WHERE key = 'y';",
            "INSERT INTO few SELECT CASE key WHEN 'host' THEN 1 WHEN 'PORT' THEN 2 ELSE 3 END, value FROM config WHERE 0;"
        )
        let outcome = try await filled(rowCase)
        let found = Set(outcome.texts("config", "key"))
        #expect(found.isSubset(of: keys) && found.count >= 3)
        #expect(!outcome.texts("few", "key").allSatisfy { ["x", "y"].contains($0) })
        // Whether users have others is asked by unusual rows.
        let edges = try await rowCase.run(edges: true).edges.rows.filter { $0.table == "config" }
        #expect(edges.contains { !keys.map { SQLValue($0) }.contains($0.values[0]) })
    }
}
