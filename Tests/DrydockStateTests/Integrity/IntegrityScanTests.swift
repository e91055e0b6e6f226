import DatabaseEngine
import DrydockFindings
import Foundation
import GRDBEngine
import OverlayVFS
import TestTools
import SQLiteFile
import SQLiteSchema
import Testing

@testable import DrydockState
@testable import DrydockTestSupport

/// A scan and `PRAGMA integrity_check` agree on which databases are whole.
@Suite struct IntegrityScanTests {
    /// Everything that a plan knows, and what it leaves to SQLite.
    static func sql(_ seed: Int, _ settings: String) -> String {
        let text = (1...4).map { "n * \(2_654_435_761 + $0 * 40_503 + seed) * 48271" }.joined(separator: ", ")
        let numbers = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 700) "
        return """
            \(settings)
            CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT NOT NULL COLLATE NOCASE, r REAL, y UNIQUE, d DATETIME);
            CREATE INDEX t_x ON t(x, r DESC); CREATE INDEX t_r ON t(r); CREATE INDEX t_id ON t(d, id);
            CREATE TABLE s(a INT NOT NULL, b REAL, c TEXT, e BLOB, f ANY, PRIMARY KEY(a, c)) STRICT;
            CREATE TABLE w(k TEXT COLLATE RTRIM, j INT, v, PRIMARY KEY(j DESC, k)) WITHOUT ROWID;
            CREATE INDEX w_v ON w(v); CREATE UNIQUE INDEX w_kv ON w(k COLLATE NOCASE, v);
            CREATE TABLE c(id INTEGER PRIMARY KEY, n INT CHECK (n > 0), m TEXT CHECK (m <> 'bad'));
            CREATE INDEX c_n ON c(n);
            CREATE TABLE p(id INTEGER PRIMARY KEY, n INT, m TEXT, g AS (n * 2));
            CREATE INDEX p_n ON p(n) WHERE n > 10; CREATE INDEX p_m ON p(lower(m)); CREATE INDEX p_g ON p(g);
            CREATE TABLE big(z, q); CREATE INDEX big_q ON big(q); CREATE TABLE empty(a PRIMARY KEY, b);
            CREATE TABLE seq(id INTEGER PRIMARY KEY AUTOINCREMENT, v NUMERIC); CREATE INDEX seq_v ON seq(v);
            \(numbers) INSERT INTO t SELECT n, substr(printf('%016X%016X%016X%016X', \(text)), 3, n % 30 * 2),
                CASE n % 4 WHEN 0 THEN n WHEN 1 THEN n / 7.0 WHEN 2 THEN NULL ELSE -n * 1e20 END,
                CASE n % 9 WHEN 0 THEN NULL ELSE n END, datetime(n * 86400, 'unixepoch') FROM s;
            INSERT INTO s SELECT id, r, x, zeroblob(id % 50), y FROM t;
            INSERT INTO w SELECT x || id, id % 50, r FROM t;
            INSERT INTO c SELECT id, id, x FROM t; INSERT INTO p SELECT id, id % 40, x FROM t;
            INSERT INTO big SELECT zeroblob(id * 20 % 9000), hex(zeroblob(id % 900)) FROM t WHERE id % 5 = 0;
            INSERT INTO seq(v) SELECT CASE id % 3 WHEN 0 THEN x WHEN 1 THEN id ELSE '12 apples' END FROM t;
            ALTER TABLE t ADD COLUMN late INT; CREATE INDEX t_late ON t(late);
            ALTER TABLE c ADD COLUMN late INT NOT NULL DEFAULT 7;
            INSERT INTO t(id, x, late) VALUES(2000, 'late', 3); INSERT INTO c(id, n, m) VALUES(2000, 1, 'x');
            CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f SELECT x FROM t WHERE id < 90;
            ANALYZE;
            DELETE FROM t WHERE id % 7 = 0; DELETE FROM big WHERE rowid % 3 = 0; DELETE FROM w WHERE j = 9;
            """
    }

    static let settings = [
        "PRAGMA page_size = 1024; PRAGMA auto_vacuum = incremental;",
        "PRAGMA page_size = 512; PRAGMA encoding = 'UTF-16le';", "PRAGMA page_size = 65536;",
        "PRAGMA page_size = 1024; PRAGMA encoding = 'UTF-16be'; PRAGMA auto_vacuum = full;",
        "PRAGMA page_size = 4096; PRAGMA legacy_file_format = on;",
    ]

    @Test(arguments: settings) func `a database that is whole is proved to be`(settings: String) async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("whole.sqlite")
        try PlainDatabase(path).execute(Self.sql(1, settings))
        let (scan, check, pragma) = try await Self.check(path)
        #expect(scan?.damage == nil)
        #expect(check.isClean && pragma.isClean, "\(check)")
        // It has a generated column, a partial index and one of an expression.
        let others = SQLiteLibrary.checksVirtualTables ? ["f", "p"] : ["p"]
        #expect(scan?.others == others)
        let parents = try await Self.look(path) { _, _, file in
            try PageParents(file, roots: file.schema().map(\.rootPage).filter { $0 != 0 })
        }
        #expect(scan?.parents == parents)
    }

    @Test(arguments: settings) func `damage that SQLite finds is found`(settings: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("damaged.sqlite")
        var (found, kinds) = (0, Set<PageDamage.Kind>())
        for rows in 0..<(isSoak ? 4 : 1) {
            try? FileManager.default.removeItem(atPath: path)
            try PlainDatabase(path).execute(Self.sql(rows, settings))
            let whole = try Data(contentsOf: URL(filePath: path))
            for number in seeds(15, of: 59, soak: 500) {
                let seed = PageDamage(seed: number + rows * 10_000, of: whole)
                try seed.bytes.write(to: URL(filePath: path))
                let (_, check, pragma) = try await Self.check(path)
                guard !pragma.isClean else { continue }
                found += 1
                kinds.insert(seed.kind)
                #expect(!check.isClean, "\(rows) \(number) \(seed): \(pragma.damage.prefix(3))")
            }
        }
        #expect(found > 0 && !kinds.isEmpty)
    }

    /// A scan of one table gives SQLite's own verdict on it, and says nothing of the others.
    @Test(arguments: disagreements)
    func `one table is checked alone`(name: String, other: String, change: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("one.sqlite")
        try PlainDatabase(path).execute(Self.sql(1, "") + "REINDEX;")
        try Self.disagree(path, name, other, change)
        var damaged = 0
        for table in ["t", "s", "w", "c", "p", "seq"] {
            let (check, pragma) = try await Self.check(path, table: table)
            #expect(
                check.damage == pragma.damage && check.brokenConstraints == pragma.brokenConstraints,
                "\(table): \(check)")
            if !pragma.isClean { damaged += 1 }
        }
        #expect(damaged == 1, "the test damages one table")
    }

    /// Without an entry only the kind of its page shows what a tree is for.
    @Test(arguments: ["empty", "sqlite_autoindex_empty_1"])
    func `an empty tree of the other kind is found`(name: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("kind.sqlite")
        try PlainDatabase(path).execute("CREATE TABLE empty(a PRIMARY KEY, b); CREATE TABLE t(a);")
        let root = try #require(
            try PlainDatabase(path).rows("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'") {
                Int($0.integer(0))
            }.first)
        var bytes = try Data(contentsOf: URL(filePath: path))
        let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
        // The leaf of a table is 13, that of an index 10.
        bytes[(root - 1) * pageSize] ^= 13 ^ 10
        try bytes.write(to: URL(filePath: path))
        let (scan, check, pragma) = try await Self.check(path)
        #expect(!pragma.isClean, "the test makes no damage")
        #expect(!check.isClean && scan?.damage != nil)
    }

    /// A definition that SQLite is made to believe, and what is written meanwhile.
    static let disagreements = [
        (
            "t_x", "CREATE INDEX t_x ON t(x, r DESC) WHERE x = 0",
            "INSERT INTO t(id, x, y) VALUES(9000, 'new', -1)"
        ),
        ("t_x", "CREATE INDEX t_x ON t(x, r DESC) WHERE x = 0", "DELETE FROM t WHERE id = 300"),
        ("t_x", "CREATE INDEX t_x ON t(x, r DESC) WHERE x = 0", "UPDATE t SET r = 5.5 WHERE id = 302"),
        ("t_r", "CREATE INDEX t_r ON t(r) WHERE r = 0", "UPDATE t SET r = NULL WHERE id = 304"),
        ("t_late", "CREATE INDEX t_late ON t(late) WHERE late = 0", "UPDATE t SET late = 9 WHERE id = 305"),
        ("w_v", "CREATE INDEX w_v ON w(v) WHERE v = 0", "UPDATE w SET v = 'other' WHERE j = 3"),
        ("p_n", "CREATE INDEX p_n ON p(n) WHERE n > 100", "UPDATE p SET n = 20 WHERE id = 1"),
        ("p_m", "CREATE INDEX p_m ON p(upper(m))", "UPDATE p SET m = 'zz' WHERE id = 1"),
        (
            "c", "CREATE TABLE c(id INTEGER PRIMARY KEY, n INT, m TEXT, late INT)",
            "UPDATE c SET n = -1 WHERE id = 5"
        ),
        (
            "c", "CREATE TABLE c(id INTEGER PRIMARY KEY, n INT, m TEXT, late INT)",
            "UPDATE c SET late = NULL WHERE id = 5"
        ),
        (
            "s", "CREATE TABLE s(a INT NOT NULL, b REAL, c TEXT, e BLOB, f ANY, PRIMARY KEY(a, c))",
            "UPDATE s SET b = 'text' WHERE a = 5"
        ),
        (
            "t",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT COLLATE NOCASE, r REAL, y UNIQUE, d DATETIME, late INT)",
            "UPDATE t SET x = NULL WHERE id = 5"
        ),
    ]

    /// Rows and entries that disagree, written while SQLite believed another definition.
    @Test(arguments: disagreements)
    func `rows that disagree are found`(name: String, other: String, change: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("disagreeing.sqlite")
        try PlainDatabase(path).execute(Self.sql(1, "") + "REINDEX;")
        try Self.disagree(path, name, other, change)
        let (scan, check, pragma) = try await Self.check(path)
        #expect(!pragma.isClean, "the test makes no damage")
        #expect(
            check.damage == pragma.damage && check.brokenConstraints == pragma.brokenConstraints, "\(check)")
        #expect(scan?.damage == nil && scan?.others.isEmpty == false)
    }

    /// Changes rows while SQLite believes another definition.
    static func disagree(_ path: String, _ name: String, _ other: String, _ change: String) throws {
        let sql = try #require(
            try PlainDatabase(path).rows("SELECT sql FROM sqlite_schema WHERE name = '\(name)'") {
                $0.string(0)
            }.first)
        func define(_ sql: String) throws {
            try PlainDatabase(path).execute(
                "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = '\(sql.replacing("'", with: "''"))' WHERE name = '\(name)'"
            )
        }
        try define(other)
        try PlainDatabase(path).execute(change)
        try define(sql)
    }

    /// Records that are older than a column have its default, which may break what the column demands.
    @Test(arguments: [
        "CREATE TABLE t(a, b INT NOT NULL DEFAULT (NULL))", "CREATE TABLE t(a ANY, b INT DEFAULT 'x') STRICT",
        "CREATE TABLE t(a, b NOT NULL)",
    ])
    func `defaults that break a constraint are left to SQLite`(sql: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("short.sqlite")
        try PlainDatabase(path).execute(
            """
            CREATE TABLE t(a); INSERT INTO t VALUES (1);
            PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = '\(sql.replacing("'", with: "''"))'
            """)
        let (scan, check, pragma) = try await Self.check(path)
        #expect(scan?.others == ["t"])
        #expect(check.brokenConstraints == pragma.brokenConstraints)
    }

    /// SQLite takes such a file for damaged; the pages show nothing.
    @Test(arguments: [
        "CREATE TABLE t(a UNIQUE, b)", "CREATE TABLE t(a PRIMARY KEY, b)",
        "CREATE TABLE t(a, b, UNIQUE (a, b))",
    ])
    func `constraints without their index are left to SQLite`(sql: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lacking.sqlite")
        try PlainDatabase(path).execute(
            """
            CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2);
            PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = '\(sql)'
            """)
        let (scan, check, pragma) = try await Self.check(path)
        #expect(scan?.others == ["t"])
        #expect(!pragma.isClean && !check.isClean, "\(check)")
    }

    /// What no index compares is left alone, and what a text looks like is SQLite's decision.
    @Test(arguments: [
        "12", " 12 ", "1e5", ".5", "-3.", "+7", "1e", "e5", ".", "", "0x10", "1 2", "12a", "- 1", "1e+",
        "9e9 ",
    ])
    func `texts that look like numbers are told from others`(text: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("text.sqlite")
        let database = try PlainDatabase(path)
        try database.execute("CREATE TABLE t(a, b NUMERIC); INSERT INTO t VALUES('\(text)', '\(text)')")
        let isNumber = try database.rows("SELECT typeof(b) <> 'text' FROM t") { $0.integer(0) } == [1]
        try database.execute(
            "DELETE FROM t; PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a, b)'"
        )
        try PlainDatabase(path).execute(
            """
            INSERT INTO t VALUES('\(text)', '\(text)'); PRAGMA writable_schema = on;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a, b NUMERIC)'
            """)
        let (scan, _, _) = try await Self.check(path)
        #expect(scan?.others == (isNumber ? ["t"] : []))
    }

    /// - Returns: what the check of a table says that uses a scan, and what SQLite says of the table.
    private static func check(
        _ path: String, table: String
    ) async throws -> (check: IntegrityCheck, pragma: IntegrityCheck) {
        try await look(path) { connection, catalog, file in
            (
                try IntegrityCheck(
                    connection, catalog: catalog, tables: [table], file: file, leastPages: 0),
                try IntegrityCheck(connection, catalog: catalog, tables: [table])
            )
        }
    }

    /// Passes a connection to a database, its catalog and its pages to a closure.
    static func look<Result: Sendable>(
        _ path: String, _ body: @escaping @Sendable (any Connection, Catalog, DatabaseFile) throws -> Result
    ) async throws -> Result {
        let overlay = try Overlay(snapshot: path)
        return try await GRDBDriver().useWhole(overlay, settings: ConnectionSettings()) { database in
            let file = try DatabaseFile(ImagePages(overlay.freeze().image))
            return try await database.withConnection { connection in
                var unreadable: [Catalog.UnreadableTable] = []
                let catalog = try Catalog(reading: connection, historyTables: [], unreadable: &unreadable)
                return try body(connection, catalog, file)
            }
        }
    }

    /// - Returns: what the scan says, what the check says that uses it, and what SQLite says.
    private static func check(
        _ path: String
    ) async throws -> (scan: IntegrityScan?, check: IntegrityCheck, pragma: IntegrityCheck) {
        guard let overlay = try? Overlay(snapshot: path) else { return (nil, .refused, .refused) }
        do {
            return try await GRDBDriver().useWhole(overlay, settings: ConnectionSettings()) { database in
                let image = overlay.freeze().image
                return try await database.withConnection { connection in
                    var unreadable: [Catalog.UnreadableTable] = []
                    let catalog = try Catalog(
                        reading: connection, historyTables: [], unreadable: &unreadable)
                    let pragma = try IntegrityCheck(connection, catalog: catalog)
                    guard let file = try? DatabaseFile(ImagePages(image)) else {
                        return (nil, .refused, pragma)
                    }
                    return (
                        try IntegrityScan(file, catalog, connection),
                        try IntegrityCheck(connection, catalog: catalog, file: file, leastPages: 0), pragma
                    )
                }
            }
        } catch is EngineError {
            return (nil, .refused, .refused)
        }
    }
}

extension IntegrityCheck {
    /// Nothing can be read at all.
    static var refused: IntegrityCheck {
        var check = IntegrityCheck()
        check.damage = ["not a database"]
        return check
    }

    fileprivate var isClean: Bool { damage.isEmpty && brokenConstraints.isEmpty && notChecked.isEmpty }
}
