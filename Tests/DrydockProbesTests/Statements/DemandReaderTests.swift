import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockProbes
@testable import DrydockTestSupport

/// What a function demands of a column decides which values it gets, before its name does.
struct DemandReaderTests {
    private func verify(_ migrations: [String]) async throws -> Report {
        let folder = try TemporaryFolder()
        for (index, sql) in migrations.enumerated() {
            try folder.write("Migrations/v\(index + 1).sql", sql)
        }
        return try await folder.verify(GRDBDriver()) { $0.snapshots.isFolderNamed = false }
    }

    private static let names = [
        "sent", "ts", "time", "day", "start", "ended", "last_login", "due", "dob", "logged", "stamp",
        "whenever",
        "joined", "note", "phone", "email_data", "settings",
    ]

    @Test(arguments: names) func `a text that is read as a date is one, whatever its name`(name: String)
        async throws
    {
        let report = try await verify([
            "CREATE TABLE visit(id INTEGER PRIMARY KEY, \(name) TEXT NOT NULL);",
            """
            CREATE TABLE visit_new(id INTEGER PRIMARY KEY, \(name) INTEGER NOT NULL);
            INSERT INTO visit_new SELECT id, CAST(strftime('%s', \(name)) AS INTEGER) * 1000 FROM visit;
            DROP TABLE visit;
            ALTER TABLE visit_new RENAME TO visit;
            -- drydock: rewrites visit.\(name)
            """,
        ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    /// Each expression gives NULL for what it does not understand, and the new column refuses NULL.
    @Test(arguments: [
        "datetime(x)", "date(x)", "time(x)", "julianday(x)", "strftime('%Y', x)", "datetime(x, '+1 day')",
        "datetime(replace(x, 'T', ' '))", "strftime('%s', substr(x, 1, 19))", "date(coalesce(x, 'now'))",
        "CASE WHEN x = 'never' THEN 0 ELSE strftime('%s', x) END", "datetime(t.x)",
        "json_extract(x, '$.a') || json_type(x)", "nullif(CAST(x AS INTEGER), 0)", "nullif(x * 100, 0)",
        "nullif(round(x, 2), 0)", "nullif(CAST(trim(x) AS REAL), 0)", "nullif(100 * x, 0)",
    ]) func `a function says what a column has`(expression: String) async throws {
        let expression = expression.contains("json_extract") ? "json_type(x)" : expression
        let report = try await verify([
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT NOT NULL);",
            """
            -- drydock: drops column t.x
            ALTER TABLE t ADD COLUMN y;
            UPDATE t SET y = \(expression);
            CREATE TABLE t2(id INTEGER PRIMARY KEY, y NOT NULL);
            INSERT INTO t2 SELECT id, y FROM t;
            DROP TABLE t;
            ALTER TABLE t2 RENAME TO t;
            """,
        ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test func `numbers since 1970 are of the size that a division says`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c TEXT, d INTEGER);",
            later:
                "CREATE VIEW v AS SELECT datetime(a, 'unixepoch'), datetime(b / 1000, 'unixepoch'), datetime(c, 'unixepoch'), datetime(d) FROM t;"
        ).run(asking: [
            "SELECT min(date(a, 'unixepoch')) FROM t", "SELECT min(date(b / 1000, 'unixepoch')) FROM t",
            "SELECT min(date(c, 'unixepoch')) FROM t",
        ])
        for answer in outcome.answers { #expect(answer[0].hasPrefix("2024"), "\(answer)") }
        // Without a modifier a number is a day, and any will do.
        #expect(outcome.values("t", "d").allSatisfy { $0.number ?? 0 < 100_000 })
    }

    @Test func `a table with the name of a function demands nothing`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE date(x TEXT, y TEXT); CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT);",
            later: "INSERT INTO date (x, y) SELECT x, 'b' FROM t;", "CREATE INDEX i ON date (x);"
        ).run()
        #expect(outcome.texts("t", "x").allSatisfy { !$0.hasPrefix("2024") })
    }
}
