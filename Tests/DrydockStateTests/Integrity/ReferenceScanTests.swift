import DatabaseEngine
import Foundation
import GRDBEngine
import OverlayVFS
import SQLiteFile
import Testing

@testable import DrydockState
@testable import DrydockTestSupport

/// A scan of foreign keys proves nothing that `PRAGMA foreign_key_check` denies.
@Suite struct ReferenceScanTests {
    /// Three kinds of keys to a rowid, of which one is the row's own.
    private static let sql = """
        PRAGMA page_size = 512; PRAGMA foreign_keys = off;
        CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE c(id INTEGER PRIMARY KEY REFERENCES p, a REFERENCES p(id), text TEXT, up INT REFERENCES c(id));
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20000)
        INSERT INTO p SELECT n * 2, 'parent ' || n FROM s;
        INSERT INTO c SELECT id, (id * 7919 % 20000 + 1) * 2, name, CASE WHEN id > 9 THEN id / 4 * 2 END FROM p;
        """

    /// What is done to the rows; whether they are whole by the pages alone, and to SQLite.
    static let changes: [(change: String, isProved: Bool, isWhole: Bool)] = [
        ("", true, true),
        ("UPDATE c SET a = NULL WHERE id % 3 = 0", true, true),
        (
            "ALTER TABLE c ADD COLUMN late INT REFERENCES p; INSERT INTO p VALUES(-3, 'x'); UPDATE c SET late = -3 WHERE id = 8",
            true, true
        ),
        ("UPDATE c SET a = '400' WHERE id = 30000", false, true),
        ("UPDATE c SET a = 400.0 WHERE id = 30000", false, true),
        ("UPDATE c SET a = 40002 WHERE id = 2", false, false),
        ("UPDATE c SET a = 3 WHERE id = 40000", false, false),
        ("UPDATE c SET up = 9223372036854775807 WHERE id = 20002", false, false),
        ("UPDATE c SET a = x'00' WHERE id = 20002", false, false),
        ("INSERT INTO c(id) VALUES(-9223372036854775808)", false, false),
        ("DELETE FROM p WHERE id = 20000", false, false),
        ("DELETE FROM c WHERE id = 10", false, false),
    ]

    @Test(arguments: changes)
    func `it agrees with SQLite`(change: String, isProved: Bool, isWhole: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("keys.sqlite")
        try PlainDatabase(path).execute(Self.sql + change)
        let (scan, broken) = try await IntegrityScanTests.look(path) { connection, catalog, file in
            let table = try #require(catalog.table("c"))
            let scan = try #require(try ReferenceScan(table, catalog, Self.pages(file)))
            let broken = try connection.rows("PRAGMA foreign_key_check(c)") { $0.integer(1) }
            return (try scan.isWhole(), broken)
        }
        #expect(scan == isProved)
        #expect(broken.isEmpty == isWhole)
    }

    @Test(arguments: [
        "CREATE TABLE c(a REFERENCES q(code))", "CREATE TABLE c(a REFERENCES w)",
        "CREATE TABLE c(a REFERENCES nowhere)",
        "CREATE TABLE c(a, b, FOREIGN KEY(a, b) REFERENCES q(code, b))",
        "CREATE TABLE c(a PRIMARY KEY REFERENCES p) WITHOUT ROWID",
        "CREATE TABLE c(x); INSERT INTO c VALUES(1); ALTER TABLE c ADD COLUMN a INT DEFAULT 5 REFERENCES p",
    ])
    func `other keys are left to SQLite`(sql: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("keys.sqlite")
        try PlainDatabase(path).execute(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE q(code UNIQUE, b, UNIQUE(code, b));
            CREATE TABLE w(id INTEGER PRIMARY KEY) WITHOUT ROWID; PRAGMA foreign_keys = off; \(sql)
            """)
        let isUnderstood = try await IntegrityScanTests.look(path) { _, catalog, file in
            let table = try #require(catalog.table("c"))
            return try ReferenceScan(table, catalog, Self.pages(file)) != nil
        }
        #expect(!isUnderstood)
    }

    private static func pages(_ file: DatabaseFile) throws -> ProvedPages {
        let roots = try file.schema().filter { $0.type == "table" }.map { ($0.name, $0.rootPage) }
        return ProvedPages(file) { name in roots.first { $0.0 == name }?.1 }
    }
}
