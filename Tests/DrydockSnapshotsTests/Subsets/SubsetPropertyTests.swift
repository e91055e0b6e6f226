import DatabaseEngine
import DrydockFindings
import DrydockSnapshots
import Foundation
import TestTools
import Testing

@testable import DrydockTestSupport

/// What must be true of a subset of any database, on both engines.
@Suite struct SubsetPropertyTests {
    @Test(arguments: seeds(6, of: 25, soak: 1_500))
    func `subsets are closed, the same again, and masked alike`(
        _ seed: Int
    )
        async throws
    {
        let random = RandomDatabase(seed: UInt64(seed))
        var whole = try SubsetCase(random.sql)
        whole.engine = SubsetCase.engines[seed % 2]
        let comment = Comment(rawValue: "DRYDOCK_SEED=\(seed)")
        let taken = try await whole.take { $0.seed = UInt64(seed) }
        #expect(try taken.text("PRAGMA integrity_check") == ["ok"], comment)
        try checkRows(taken, of: whole, random, comment)
        // The other engine makes the same file, to the byte.
        whole.engine = SubsetCase.engines[(seed + 1) % 2]
        let again = try await whole.take("again.sqlite") { $0.seed = UInt64(seed) }
        #expect(
            try Data(contentsOf: URL(filePath: taken.path)) == Data(contentsOf: URL(filePath: again.path)),
            comment)
        let valid = try await whole.take("valid.sqlite") {
            ($0.seed, $0.isOnlyValid) = (UInt64(seed), true)
        }
        try valid.checkSound(comment)
        #expect(valid.report.orphans.isEmpty, comment)
        let masked = try await whole.take("masked.sqlite") { request in
            request.seed = UInt64(seed)
            request.masks.columns = random.tables.map { "\($0).*" }
        }
        try compare(masked, taken, random, comment)
    }

    /// Every row is one of the database, and refers to rows that are there, or are nowhere.
    private func checkRows(
        _ taken: SubsetCase.Taken, of whole: SubsetCase, _ random: RandomDatabase, _ comment: Comment
    ) throws {
        try taken.database.execute("ATTACH '\(whole.path)' AS whole")
        for table in random.tables {
            let name = "\"\(table)\""
            #expect(
                try taken.number(
                    "SELECT count(*) FROM (SELECT * FROM main.\(name) EXCEPT SELECT * FROM whole.\(name))")
                    == 0, comment)
            let (kept, all) = (
                try taken.number("SELECT count(*) FROM main.\(name)"),
                try taken.number("SELECT count(*) FROM whole.\(name)")
            )
            #expect(kept >= min(10, all), "\(comment): \(kept) of \(all) rows of \(name)")
        }
        for link in random.links {
            let match = zip(link.parentColumns, link.columns).map { "p.\($0) = +c.\($1)" }.joined(
                separator: " AND ")
            let lost = try taken.number(
                """
                SELECT count(*) FROM main."\(link.child)" AS c
                WHERE NOT EXISTS (SELECT 1 FROM main."\(link.parent)" AS p WHERE \(match))
                  AND EXISTS (SELECT 1 FROM whole."\(link.parent)" AS p WHERE \(match))
                """)
            #expect(lost == 0, comment)
        }
        let orphans = try taken.rows("PRAGMA main.foreign_key_check").count
        #expect(orphans == taken.report.orphans.reduce(0) { $0 + $1.rows }, comment)
        #expect(orphans > 0 || !random.hasOrphans, comment)
        #expect(
            try taken.rows("SELECT type, name, sql FROM main.sqlite_schema ORDER BY 1, 2")
                == taken.rows("SELECT type, name, sql FROM whole.sqlite_schema ORDER BY 1, 2"), comment)
        try taken.database.execute("DETACH whole")
    }

    /// Masks change neither which rows there are, nor what is equal.
    private func compare(
        _ masked: SubsetCase.Taken, _ plain: SubsetCase.Taken, _ random: RandomDatabase, _ comment: Comment
    ) throws {
        #expect(try masked.text("PRAGMA integrity_check") == ["ok"], comment)
        #expect(masked.report.tables == plain.report.tables, comment)
        #expect(
            try masked.rows("PRAGMA foreign_key_check").count == plain.rows("PRAGMA foreign_key_check").count,
            comment)
        for table in random.tables {
            for column in try plain.text("SELECT name FROM pragma_table_info('\(table)')") {
                for collation in ["BINARY", "NOCASE", "RTRIM"] {
                    let sql = """
                        SELECT count(*), count(DISTINCT "\(column)" COLLATE \(collation)), sum(length("\(column)")),
                          group_concat(DISTINCT typeof("\(column)")) FROM (SELECT * FROM "\(table)" ORDER BY typeof("\(column)"))
                        """
                    // A decimal number may be printed with more digits, and what a CHECK limits have fewer.
                    let shown =
                        ["ratio", "size", "state"].contains(column)
                        ? sql.replacing("sum(length(\"\(column)\"))", with: "0") : sql
                    #expect(try masked.rows(shown) == plain.rows(shown), "\(comment) \(table).\(column)")
                }
            }
        }
        for link in random.links {
            let match = zip(link.parentColumns, link.columns).map { "p.\($0) = +c.\($1)" }.joined(
                separator: " AND ")
            let sql = "SELECT count(*) FROM \"\(link.child)\" AS c JOIN \"\(link.parent)\" AS p ON \(match)"
            #expect(try masked.number(sql) == plain.number(sql), comment)
        }
    }
}
