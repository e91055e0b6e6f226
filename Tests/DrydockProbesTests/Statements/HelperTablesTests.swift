import DatabaseEngine
import Testing

@testable import DrydockTestSupport

/// Literals in the tables that migrations make for themselves are values of the columns that are compared with them.
struct HelperTablesTests {
    private static let map = "CREATE TABLE map (old TEXT, new TEXT); INSERT INTO map VALUES ('red', 'blue');"

    @Test(arguments: [
        map
            + "UPDATE a SET kind = (SELECT new FROM map WHERE old = kind) WHERE kind IN (SELECT old FROM map);",
        map + "UPDATE a SET kind = map.new FROM map WHERE map.old = a.kind;",
        map + "DELETE FROM a WHERE EXISTS (SELECT 1 FROM map AS m WHERE m.old = a.kind);",
        map + "DELETE FROM a WHERE kind IN (SELECT DISTINCT m.old FROM main.map AS m) AND name = 'x';",
        "CREATE TEMP TABLE \"Map\" (\"old\" TEXT); INSERT INTO Map (old) SELECT 'red' UNION ALL SELECT 'green'; "
            + "DELETE FROM a WHERE a.kind IN (SELECT old FROM map) AND id NOT IN (SELECT a_id FROM b); DROP TABLE map;",
        "WITH map (old, new) AS (VALUES ('red', 'blue')) UPDATE a SET kind = (SELECT new FROM map WHERE old = kind) "
            + "WHERE kind IN (SELECT old FROM map);",
    ])
    func `a row has the value that a map has`(_ later: String) async throws {
        let outcome = try await RowCase(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT); CREATE TABLE b (a_id INTEGER REFERENCES a);",
            later: later
        ).run()
        #expect(!Set(outcome.texts("a", "kind")).isDisjoint(with: ["red", "green"]), "\(outcome.dump)")
    }

    @Test func `integers of a map are keys`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a);",
            later:
                "CREATE TABLE map (old INTEGER); INSERT INTO map VALUES (3), (4); UPDATE b SET a_id = NULL WHERE a_id IN (SELECT old FROM map);"
        ).run()
        #expect(!Set(outcome.values("b", "a_id")).isDisjoint(with: [3, 4]), "\(outcome.dump)")
    }
}
