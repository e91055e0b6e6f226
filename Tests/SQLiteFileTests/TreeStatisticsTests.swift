import TestTools
import Testing

@testable import SQLiteFile

/// The figures of a tree are the sums that dbstat gives.
@Suite struct TreeStatisticsTests {
    /// The query of sqlite3_analyzer (tool/spaceanal.tcl), without the gaps.
    private static let query = """
        SELECT sum(ncell), sum((pagetype = 'leaf') * ncell),
            max((length(CASE WHEN path LIKE '%+%' THEN '' ELSE path END) + 3) / 4), sum(payload),
            sum((pagetype = 'overflow') * payload), sum(path LIKE '%+000000'), max(mx_payload),
            sum(pagetype = 'internal'), sum(pagetype = 'leaf'), sum(pagetype = 'overflow'),
            sum((pagetype = 'internal') * unused), sum((pagetype = 'leaf') * unused),
            sum((pagetype = 'overflow') * unused)
        FROM dbstat WHERE name =
        """

    @Test(arguments: seeds(10, of: 20, soak: 2_000)) func figuresMatchTheAnalyzer(seed: Int) throws {
        let folder = Folder()
        var made = try RandomDatabase(seed: seed, in: folder)
        try made.edit(60)
        try made.database.execute("pragma wal_checkpoint(truncate)")
        // SQLite has this table only if it was built with it.
        guard (try? made.database.rows("select 1 from dbstat limit 1")) != nil else { return }
        let file = try DatabaseFile(path: made.path)
        for (name, root) in try [("sqlite_schema", 1)] + file.schema().map({ ($0.name, $0.rootPage) })
        where root != 0 {
            let ours = try TreeStatistics(file, root: root)
            let quoted = "'\(name.replacing("'", with: "''"))'"
            let theirs = try made.database.rows("\(Self.query) \(quoted)")[0]
            #expect(ours.figures == theirs, "seed \(seed) \(name)")
            #expect(try ours.gapCount == gaps(name: quoted, made), "seed \(seed) \(name)")
            guard name != "sqlite_schema", try isTable(name, file) else { continue }
            let count = try made.database.integer(
                "select count(*) from \"\(name.replacing("\"", with: "\"\""))\"")
            #expect(ours.rowCount == count, "seed \(seed) \(name)")
            #expect(ours.payloadSizes.reduce(0, +) == count)
        }
    }

    private func isTable(_ name: String, _ file: DatabaseFile) throws -> Bool {
        try file.schema().contains { $0.name == name && $0.type == "table" }
    }

    private func gaps(name: String, _ made: RandomDatabase) throws -> Int {
        try made.database.integer(
            """
            SELECT count(*) FROM (SELECT pageno, pagetype, lag(pageno) OVER (ORDER BY pageno) AS before FROM dbstat
            WHERE name = \(name)) WHERE pagetype = 'leaf' AND pageno <> before + 1
            """)
    }

    /// A tree of three levels is read in parts.
    @Test func leavesThatDoNotFollowAreCountedInAllOfATree() throws {
        let folder = Folder()
        let database = try Database(folder.file("large.db"))
        try database.execute(
            """
            PRAGMA page_size = 512; CREATE TABLE t(id INTEGER PRIMARY KEY, x);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 3000)
            INSERT INTO t SELECT n * 7919 % 3001, zeroblob(100) FROM s
            """)
        guard (try? database.rows("select 1 from dbstat limit 1")) != nil else { return }
        let scattered = try database.integer(
            """
            SELECT count(*) FROM (SELECT pageno, lag(pageno) OVER (ORDER BY path) AS before FROM dbstat
            WHERE name = 't' AND pagetype = 'leaf') WHERE pageno <> before + 1
            """)
        let file = try DatabaseFile(path: folder.file("large.db"))
        let statistics = try TreeStatistics(file, root: file.root("t"))
        #expect(statistics.depth > 2 && statistics.scatteredLeaves == scattered)
    }

    @Test func rowsInOrderAreNotScattered() throws {
        let folder = Folder()
        let database = try Database(folder.file("order.db"))
        let numbers = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 3000)"
        try database.execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE u(id INTEGER PRIMARY KEY, x);
            \(numbers) INSERT INTO t SELECT n, zeroblob(100) FROM s;
            \(numbers) INSERT INTO u SELECT n * 7919 % 3001, zeroblob(100) FROM s; VACUUM
            """)
        let inOrder = try DatabaseFile(path: folder.file("order.db"))
        // The interior page that was added when the first was full is among the leaves.
        #expect(try TreeStatistics(inOrder, root: inOrder.root("t")).scatteredLeaves <= 1)
        try database.execute(
            "DELETE FROM u; \(numbers) INSERT INTO u SELECT n * 7919 % 3001, zeroblob(100) FROM s")
        let scattered = try DatabaseFile(path: folder.file("order.db"))
        let statistics = try TreeStatistics(scattered, root: scattered.root("u"))
        #expect(statistics.scatteredLeaves > statistics.leafPages / 2)
    }
}

extension TreeStatistics {
    fileprivate var figures: [StoredValue] {
        [
            cellCount, leafCellCount, depth, payload, overflowPayload, overflowCellCount, largestPayload,
            interiorPages, leafPages, overflowPages, interiorUnused, leafUnused, overflowUnused,
        ].map { .integer(Int64($0)) }
    }
}
