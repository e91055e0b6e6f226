import DatabaseEngine
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// Rows that meet the conditions of statements.
struct ConditionFillTests {
    private static let tables = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT);
        CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a (id), t TEXT);
        CREATE TABLE c (id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b, amount REAL);
        CREATE TABLE own (id INTEGER PRIMARY KEY REFERENCES a, x TEXT);
        CREATE TABLE pair (a_id INTEGER REFERENCES a, c_id INTEGER REFERENCES c, x TEXT, PRIMARY KEY (a_id, c_id))
          WITHOUT ROWID;
        CREATE TABLE e (k TEXT PRIMARY KEY, v TEXT NOT NULL, updated_at TEXT);
        CREATE TABLE tree (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES tree, n INTEGER);
        CREATE TABLE code (id INT PRIMARY KEY, n INT NOT NULL) STRICT;
        CREATE TABLE plain (id INTEGER NOT NULL PRIMARY KEY, a_id INTEGER NOT NULL) WITHOUT ROWID, STRICT;
        """

    /// A table, and a condition that ordinary rows meet.
    private static let conditions: [(table: String, condition: String)] = [
        ("a", "id = 1"), ("a", "1 = id"), ("a", "\"ID\" = 1"), ("a", "rowid = 4"), ("a", "_rowid_ IN (4, 6)"),
        ("a", "id BETWEEN 1 AND 5"), ("a", "id < 100"), ("a", "id > 5 AND id < 20"),
        ("a", "id = 1 OR id = 2"),
        ("a", "id = 99999"), ("a", "id IN (0x10, 17)"), ("a", "id >= 2000000"),
        ("b", "a_id = 7"), ("b", "a_id IN (1, 2, 3) AND t = 'q'"), ("b", "a_id < 50 AND id = 12"),
        ("c", "b_id = 7"), ("c", "b_id BETWEEN 2 AND 4 AND amount > 3"), ("own", "id = 9"),
        ("pair", "a_id = 9 AND c_id = 8"), ("pair", "a_id = 9"), ("plain", "id = 3"), ("plain", "a_id = 5"),
        ("tree", "parent_id = 5"), ("tree", "parent_id IN (5, 6) AND n = 4"),
        ("code", "id IN (7, 8) AND n = 4"), ("code", "id < 5 AND n = 4"),
        ("a", "kind = 'old' AND NOT EXISTS (SELECT 1 FROM b WHERE a_id = a.id)"),
        ("a", "kind = 'old' AND name = 'x' AND NOT EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id)"),
        ("a", "kind = 'old' AND id NOT IN (SELECT a_id FROM b)"),
        ("a", "(kind = 'x' OR kind = 'y') AND name = 'u' AND id IN (2, 3)"),
        ("e", "k = 'theme' AND v <> 'dark'"), ("e", "v = 'x' AND updated_at < '2020-01-01'"),
        ("e", "k = 'theme' AND v = 'x' AND updated_at >= '2031-01-01'"),
        ("c", "amount = 1 AND b_id IN (3, 4)"),
    ]

    @Test(arguments: conditions.indices)
    func `an ordinary row meets each condition as a whole`(_ index: Int) async throws {
        let (table, condition) = Self.conditions[index]
        let rowCase = RowCase(Self.tables, later: "DELETE FROM \(table) WHERE \(condition);")
        let outcome = try await rowCase.run(asking: ["SELECT count(*) FROM \(table) WHERE \(condition)"])
        #expect(outcome.faults.isEmpty && outcome.result.empty.isEmpty)
        #expect(outcome.answers != [["0"]], "\(outcome.dump[table] ?? [])")
    }

    @Test(arguments: ["GRDB", "NIO"]) func `both engines insert the same rows`(engine: String) async throws {
        var rowCase = RowCase(
            Self.tables, later: "DELETE FROM b WHERE a_id = 7; UPDATE c SET amount = 1 WHERE b_id IN (2, 3);")
        rowCase.engine = engine == "GRDB" ? GRDBDriver() : NIODriver()
        let outcome = try await rowCase.run()
        let expected = try await RowCase(rowCase.present, later: rowCase.later[0]).run()
        #expect(outcome.dump == expected.dump)
        #expect(outcome.values("a", "id").contains(7))
    }

    @Test(arguments: [
        "UPDATE OR IGNORE a SET name = 'x'", "UPDATE OR REPLACE main.\"A\" AS q SET name = 'x'",
    ])
    func `the table stands after OR`(_ update: String) async throws {
        let outcome = try await RowCase(Self.tables, later: "\(update) WHERE id = 1;").run()
        #expect(outcome.values("a", "id").contains(1))
    }

    @Test func `a parent has the key that a condition on a later table names`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);",
            later: "CREATE TABLE h (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a);",
            "DELETE FROM h WHERE a_id IN (4, 5);"
        ).run()
        #expect(!Set(outcome.values("a", "id")).isDisjoint(with: [4, 5]))
    }

    @Test func `a condition in an alias is met as a whole`() async throws {
        let test = "q.kind = 'old' AND q.name = 'z' AND NOT EXISTS (SELECT 1 FROM b WHERE b.a_id = q.id)"
        let outcome = try await RowCase(Self.tables, later: "DELETE FROM a AS q WHERE \(test);")
            .run(asking: ["SELECT count(*) FROM a AS q WHERE \(test)"])
        #expect(outcome.answers == [["1"]])
    }

    @Test func `names that come later are known`() async throws {
        let outcome = try await RowCase(
            Self.tables,
            later: "ALTER TABLE a RENAME TO human; ALTER TABLE human RENAME COLUMN id TO number;",
            "DELETE FROM human WHERE number = 5 AND kind = 'old';"
        ).run(asking: ["SELECT count(*) FROM a WHERE id = 5 AND kind = 'old'"])
        #expect(outcome.answers == [["1"]])
    }

    /// Keys that migrations insert are not those of ordinary rows, and nobody types a key below 1.
    @Test(arguments: [
        "INSERT INTO a VALUES (1, 'x', 'y'); UPDATE a SET name = 'z' WHERE id = 1;",
        "UPDATE a SET name = 'z' WHERE id = 1; INSERT INTO a (kind, id, name) VALUES ('y', 1, 'z');",
        "REPLACE INTO a VALUES (1, 'x', 'y'); DELETE FROM a WHERE id = 1;",
        "INSERT INTO a SELECT 1, 'x', 'y' UNION ALL SELECT 2, 'x', 'y'; DELETE FROM a WHERE id IN (1, 2);",
        "DELETE FROM a WHERE id <= 0;", "DELETE FROM a WHERE NOT (id > 0);",
    ])
    func `a key that a migration inserts, or nobody has, is not taken`(_ later: String) async throws {
        let outcome = try await RowCase(Self.tables, later: later).run(asking: [
            "SELECT count(*) FROM a WHERE id < 3"
        ])
        #expect(outcome.answers == [["0"]])
        // It does not fail on these rows.
        #expect(outcome.dump["a"]?.count ?? 0 >= 3)
    }

    @Test func `other literals of an INSERT are not keys`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER);",
            later: "INSERT INTO a VALUES (5, 1), (6, 2); DELETE FROM a WHERE id = 1;"
        ).run()
        #expect(outcome.values("a", "id").contains(1))
        #expect(Set(outcome.values("a", "id")).isDisjoint(with: [5, 6]))
    }
}
