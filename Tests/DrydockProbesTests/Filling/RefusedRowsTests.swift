import DatabaseEngine
import Testing

@testable import DrydockTestSupport

/// Tables that no row fits, and very many.
@Suite struct RefusedRowsTests {
    @Test func `a table that stays empty is reported with what refused it`() async throws {
        let outcome = try await RowCase(
            """
            CREATE TABLE never(id INTEGER PRIMARY KEY, a INTEGER CHECK (a > 5 AND a < 3));
            CREATE TABLE odd(id INTEGER PRIMARY KEY, a TEXT, CONSTRAINT "is odd" CHECK (a IN (SELECT 1) IS 7));
            CREATE TABLE raised(id INTEGER PRIMARY KEY, a TEXT);
            CREATE TRIGGER r BEFORE INSERT ON raised BEGIN SELECT RAISE(ABORT, 'read only'); END;
            CREATE TABLE rolled(id INTEGER PRIMARY KEY, a TEXT);
            CREATE TRIGGER o BEFORE INSERT ON rolled BEGIN SELECT RAISE(ROLLBACK, 'not today'); END;
            CREATE TABLE child(id INTEGER PRIMARY KEY, n INTEGER NOT NULL REFERENCES never(id));
            CREATE TABLE optional(id INTEGER PRIMARY KEY, n INTEGER REFERENCES never(id));
            CREATE TABLE fine(id INTEGER PRIMARY KEY, a TEXT);
            """.replacing("(SELECT 1)", with: "(1)")
        ).run()
        #expect(outcome.faults.isEmpty)
        #expect(outcome.reason("never") == "CHECK (a > 5 AND a < 3)")
        #expect(outcome.reason("raised") == "a trigger refuses it: read only")
        #expect(outcome.reason("rolled")?.contains("not today") == true)
        #expect(
            outcome.reason("child")
                == "FOREIGN KEY (n) REFERENCES never: never has no rows that it can refer to")
        #expect(outcome.dump["fine"]?.count == 3)
        #expect(outcome.values("optional", "n") == [.null, .null, .null])
        #expect(outcome.dump["raised"]?.isEmpty == true)
    }

    @Test func `a reference that SQLite never accepts is NULL, or the table is reported`() async throws {
        let outcome = try await RowCase(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE now(id INTEGER PRIMARY KEY, r REAL REFERENCES p(id));
            CREATE TABLE late(id INTEGER PRIMARY KEY, r REAL REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE must(id INTEGER PRIMARY KEY, r REAL NOT NULL REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED);
            """
        ).run(edges: true)
        #expect(outcome.faults.isEmpty)
        #expect(outcome.values("now", "r").prefix(3) == [.null, .null, .null])
        #expect(outcome.values("late", "r").prefix(3) == [.null, .null, .null])
        #expect(outcome.reason("must")?.contains("FOREIGN KEY") == true)
    }

    @Test func `ON CONFLICT ROLLBACK costs no other table its rows`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, s TEXT UNIQUE ON CONFLICT ROLLBACK CHECK (s IN ('x', 'y'))); CREATE TABLE b(id INTEGER PRIMARY KEY, n INTEGER NOT NULL ON CONFLICT ROLLBACK); CREATE TABLE i(s TEXT UNIQUE ON CONFLICT IGNORE CHECK (s IN ('x', 'y'))); CREATE TABLE r(s TEXT UNIQUE ON CONFLICT REPLACE CHECK (s IN ('x', 'y')));"
        ).run()
        #expect(outcome.faults.isEmpty)
        for table in ["a", "i", "r"] { #expect(outcome.dump[table]?.count == 2) }
        #expect(outcome.dump["b"]?.count == 3)
    }

    @Test func `a table of 2,000 columns is filled`() async throws {
        let columns = (1...1999).map { "c\($0) \(["TEXT", "INTEGER", "REAL", "BLOB"][$0 % 4])" }.joined(
            separator: ", ")
        let outcome = try await RowCase("CREATE TABLE wide(id INTEGER PRIMARY KEY, \(columns))").run(
            edges: true)
        #expect(outcome.faults.isEmpty)
        #expect(outcome.result.rows.count == 3)
        #expect(outcome.edges.rows.count > 20 && outcome.edges.rows.count < 70)
    }

    @Test func `4,000 tables are filled`() async throws {
        let tables = (0..<4000).map { number in
            "CREATE TABLE t\(number)(id INTEGER PRIMARY KEY, name TEXT NOT NULL\(number == 0 ? "" : ", p INTEGER NOT NULL REFERENCES t\(number / 2)(id)"));"
        }.joined(separator: "\n")
        let outcome = try await RowCase(tables).run()
        #expect(outcome.result.empty.isEmpty)
        #expect(outcome.result.rows.count == 12_000)
    }
}
