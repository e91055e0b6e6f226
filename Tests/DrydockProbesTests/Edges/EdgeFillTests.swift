import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// Edge rows: whatever else the constraints allow.
@Suite struct EdgeFillTests {
    private static let people =
        "CREATE TABLE person(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT, doc TEXT, age INTEGER, size REAL, born_on TEXT); CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person(id), name TEXT NOT NULL);"

    private func edges(_ rowCase: RowCase) async throws -> RowCase.Outcome {
        let outcome = try await rowCase.run(edges: true)
        #expect(outcome.faults.isEmpty, "\(outcome.faults)")
        return outcome
    }

    private func values(_ outcome: RowCase.Outcome, _ table: String, _ column: String) -> [SQLValue] {
        outcome.edges.rows.filter { $0.table == table }.compactMap { row in
            row.columns.firstIndex(of: column).map { row.values[$0] }
        }
    }

    @Test func `a table that takes none says why`() async throws {
        let outcome = try await edges(
            RowCase(
                """
                CREATE TABLE one (id INTEGER PRIMARY KEY CHECK (id = 1), x TEXT);
                CREATE TABLE many (id INTEGER PRIMARY KEY, x TEXT);
                CREATE TABLE sealed (id INTEGER PRIMARY KEY, x TEXT);
                CREATE TRIGGER seal BEFORE INSERT ON sealed WHEN (SELECT count(*) FROM sealed) >= 3
                BEGIN SELECT RAISE(ROLLBACK, 'full'); END;
                """))
        #expect(outcome.edges.empty.map(\.table).sorted() == ["one", "sealed"])
        #expect(outcome.edges.empty.allSatisfy { !$0.reason.isEmpty })
        #expect(outcome.edges.rows.contains { $0.table == "many" })
    }

    @Test(arguments: ["GRDB", "NIO"])
    func `rows differ in one value each`(engine: String) async throws {
        var rowCase = RowCase(Self.people)
        rowCase.engine = engine == "GRDB" ? GRDBDriver() : NIODriver()
        let outcome = try await edges(rowCase)
        let names = values(outcome, "person", "name")
        #expect(names.contains(.null))
        #expect(names.contains(""))
        let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts.values.contains { $0 > 1 })
        let sample = outcome.edges.rows[0].values[2]
        let text = outcome.texts("person", "name").first { SQLValue($0) == sample } ?? "?"
        #expect(names.contains(SQLValue(text + " ")))
        #expect(names.contains(SQLValue(text.uppercased())))
        #expect(values(outcome, "person", "age").contains("many"))
        #expect(values(outcome, "person", "age").contains(.integer(.max)))
        #expect(outcome.edges.rows.count(where: { $0.table == "person" }) <= 44)
        // References are kept where they are enforced.
        #expect(!values(outcome, "pet", "person_id").contains(.integer(987_654_321)))
        #expect(values(outcome, "pet", "person_id").contains(.null))
    }

    @Test func `orphans occur where nothing enforces foreign keys`() async throws {
        var rowCase = RowCase(Self.people)
        rowCase.foreignKeys = false
        let outcome = try await rowCase.run(edges: true)
        #expect(values(outcome, "pet", "person_id").contains(.integer(987_654_321)))
    }

    @Test func `what later migrations demand is broken first`() async throws {
        let outcome = try await edges(
            RowCase(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, status TEXT NOT NULL, payload TEXT NOT NULL, email TEXT);",
                later:
                    "CREATE UNIQUE INDEX e ON t(email); CREATE INDEX p ON t(json_extract(payload, '$.kind'));",
                "CREATE TABLE t2(id INTEGER PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('open','done')), payload TEXT NOT NULL, email TEXT); DROP TABLE t; ALTER TABLE t2 RENAME TO t;"
            ))
        #expect(values(outcome, "t", "status").contains("OPEN"))
        #expect(values(outcome, "t", "status").contains("open "))
        #expect(values(outcome, "t", "payload").contains("{"))
        #expect(
            Dictionary(values(outcome, "t", "email").map { ($0, 1) }, uniquingKeysWith: +).values.contains {
                $0 > 1
            })
    }

    /// Columns that may not be NULL, and the number of columns that may.
    @Test(arguments: [(0, 1), (5, 1), (30, 1), (40, 3), (0, 60), (100, 100)])
    func `each column that may be NULL is in some row`(required: Int, optional: Int) async throws {
        let needed = (0..<required).map { "c\($0) TEXT NOT NULL" }
        let open = (0..<optional).map { "u\($0) TEXT" }
        // The last two may not be NULL together.
        let check = optional > 1 ? [", CHECK (coalesce(u\(optional - 1), u\(optional - 2)) IS NOT NULL)"] : []
        func table(_ name: String, _ columns: [String], _ check: String) -> String {
            "CREATE TABLE \(name)(id INTEGER PRIMARY KEY, \(columns.joined(separator: ", "))\(check));"
        }
        let outcome = try await edges(
            RowCase(
                table("t", needed + open, check.joined()),
                later: table("n", needed + open.map { $0 + " NOT NULL" }, "")
                    + "INSERT INTO n SELECT * FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;"))
        for column in 0..<optional {
            #expect(values(outcome, "t", "u\(column)").contains(.null), "u\(column)")
        }
        #expect(outcome.edges.rows.count <= 80, "\(outcome.edges.rows.count)")
    }

    @Test func `each row can be inserted alone, or after the rows before it`() async throws {
        let outcome = try await edges(RowCase(Self.people))
        let database = try PlainDatabase()
        try database.execute("PRAGMA foreign_keys = ON")
        try database.execute(Self.people)
        for row in outcome.result.rows {
            try database.execute(
                "INSERT INTO \(row.table) VALUES (\(row.values.map(\.literal).joined(separator: ", ")))")
        }
        var before: [String] = []
        var alone = 0
        for row in outcome.edges.rows {
            let insert =
                "INSERT INTO \(row.table) VALUES (\(row.values.map(\.literal).joined(separator: ", ")));\n"
            try database.execute("SAVEPOINT one")
            do {
                try database.execute(insert)
                alone += 1
            } catch is PlainDatabase.Failure {
                try database.execute(before.joined() + insert)
            }
            try database.execute("ROLLBACK TO one; RELEASE one")
            before.append(insert)
        }
        // Only the children of a duplicate need it.
        #expect(alone >= outcome.edges.rows.count - 4)
    }

    @Test func `keys without a rowid alias may be NULL, and rowids are unusual`() async throws {
        let outcome = try await edges(
            RowCase(
                "CREATE TABLE k(a TEXT PRIMARY KEY, b TEXT); CREATE TABLE i(id INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT);"
            ))
        #expect(values(outcome, "k", "a").contains(.null))
        let ids = values(outcome, "i", "id")
        #expect(
            ids.contains(0) && ids.contains(-1) && ids.contains(9_007_199_254_740_993)
                && !ids.contains(.integer(.max)))
    }

    @Test func `the same seed gives the same rows`() async throws {
        let first = try await edges(RowCase(Self.people))
        let second = try await edges(RowCase(Self.people))
        #expect(first.edges.rows == second.edges.rows)
        #expect(first.dump == second.dump)
    }

    /// What a migration replaces, by its key, and whether it is there.
    private static let replaced: [(sql: String, test: String)] = [
        ("REPLACE INTO e VALUES ('theme', 'dark', NULL);", "k = 'theme'"),
        ("INSERT OR REPLACE INTO \"E\" (v, \"K\") VALUES ('dark', 'theme'), ('x', 'size');", "k = 'size'"),
        ("REPLACE INTO e (k, v) SELECT 'theme', 'dark';", "k = 'theme'"),
        (
            "INSERT INTO e (k, v) VALUES ('theme', 'dark') ON CONFLICT (k) DO UPDATE SET v = excluded.v;",
            "k = 'theme'"
        ),
        ("REPLACE INTO n (v, code) VALUES ('dark', 7);", "code = 7"),
        ("REPLACE INTO two VALUES ('a', -3, 'x');", "a = 'a' AND b = -3"),
    ]

    @Test(arguments: replaced.indices)
    func `a row has the key that a migration replaces`(_ index: Int) async throws {
        let (sql, test) = Self.replaced[index]
        let outcome = try await edges(
            RowCase(
                """
                CREATE TABLE e (k TEXT PRIMARY KEY COLLATE NOCASE, v TEXT NOT NULL, updated_at TEXT);
                CREATE TABLE n (id INTEGER PRIMARY KEY, code INTEGER UNIQUE, v TEXT);
                CREATE TABLE two (a TEXT, b INTEGER, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
                """, later: sql))
        let table = test.hasPrefix("k") ? "e" : test.hasPrefix("c") ? "n" : "two"
        let rows = outcome.edges.rows.filter { $0.table == table }
        let keys: [SQLValue] = ["theme", "size", 7, .integer(-3)]
        #expect(rows.contains { $0.values.contains(where: keys.contains) }, "\(rows)")
    }

    @Test func `a row that is replaced has children, and one that is inserted is not made`() async throws {
        let tables = """
            CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a ON DELETE CASCADE);
            """
        let outcome = try await edges(RowCase(tables, later: "REPLACE INTO a VALUES (1, 'x');"))
        #expect(values(outcome, "a", "id").contains(1))
        #expect(values(outcome, "b", "a_id").contains(1))
        #expect(!outcome.result.rows.contains { $0.table == "a" && $0.values[0] == 1 })
        let others = try await edges(
            RowCase(
                tables, later: "INSERT INTO a VALUES (1, 'x'); REPLACE INTO a VALUES (1, 'y'), (NULL, 'z');"))
        #expect(!values(others, "a", "id").contains(1))
    }

    @Test func `rows that are alike have several children each`() async throws {
        let outcome = try await edges(
            RowCase(
                "CREATE TABLE person(id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT); CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id), name TEXT NOT NULL);",
                later: "CREATE UNIQUE INDEX person_email ON person(email);"))
        let people = outcome.edges.rows.filter { $0.table == "person" }
        let alike = people.filter { $0.values.dropFirst() == people[0].values.dropFirst() }.map(\.values[0])
        #expect(alike.count == 2)
        let parents = values(outcome, "pet", "person_id")
        for id in alike { #expect(parents.count { $0 == id } == 2) }
    }

    @Test func `children of a duplicate that a migration deletes are missed`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "Migrations/v1.sql",
            "CREATE TABLE person(id INTEGER PRIMARY KEY, email TEXT NOT NULL); CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id) ON DELETE CASCADE);"
        )
        let kept = "id NOT IN (SELECT min(id) FROM person GROUP BY email)"
        let repoint =
            "UPDATE pet SET person_id = (SELECT min(a.id) FROM person a JOIN person b ON a.email = b.email WHERE b.id = pet.person_id);\n"
        func warnings(_ before: String) async throws -> Set<Rule> {
            try folder.write(
                "Migrations/v2.sql",
                "-- drydock: foreign-keys immediate\n-- drydock: deletes from person where \(kept)\n-- drydock: rewrites pet.person_id\n"
                    + before
                    + "DELETE FROM person WHERE \(kept);\nCREATE UNIQUE INDEX person_email ON person(email);")
            let report = try await folder.verify(GRDBDriver()) {
                $0.snapshots.isFolderNamed = false
                // Another tool would not enforce foreign keys, so that some pets would have no person.
                $0.migrations.format = "drydock"
            }
            #expect(report.hasPassed, "\(report.findings.map(\.line))")
            return Set(report.findings.filter { $0.severity == .warning }.map(\.rule))
        }
        #expect(try await warnings("").contains(.rowsLost))
        #expect(try await warnings(repoint).isEmpty)
    }
}
