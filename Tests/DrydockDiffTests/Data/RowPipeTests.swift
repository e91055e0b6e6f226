import DatabaseEngine
import DrydockReport
import Foundation
import GRDBEngine
import SQLiteSchema
import Testing

@testable import DrydockDiff
@testable import DrydockTestSupport

/// Checks that rows which go over to another thread arrive as they were sent.
@Suite struct RowPipeTests {
    private let table = TableDataDiff(name: "t", identity: .rowid, columns: ["x"], changes: [0])

    private func row(_ number: Int, bytes: Int = 10) -> RowDifference {
        var row = RowDifference(kind: .added, newRowid: Int64(number))
        row.values = [.blob(Array(repeating: 7, count: bytes))]
        return row
    }

    @Test(arguments: [0, 1, 255, 256, 257, 20_000])
    func `every row arrives, in its order`(count: Int) throws {
        let consumer = Recorder()
        var pipe = RowPipe(consumer, table, pass: 3)
        for number in 0..<count { try pipe.add(row(number, bytes: number % 300 == 0 ? 300_000 : 10)) }
        try pipe.finish()
        #expect(consumer.rowids == Array(0..<Int64(count)))
        #expect(consumer.passes == (count == 0 ? [] : [3]))
    }

    @Test func `an error of the consumer ends the reading, and nothing is taken after it`() throws {
        let consumer = Recorder()
        consumer.failsAt = 1000
        var pipe = RowPipe(consumer, table, pass: 0)
        #expect(throws: CancellationError.self) {
            for number in 0..<100_000 { try pipe.add(row(number)) }
            try pipe.finish()
        }
        pipe.wait()
        #expect(consumer.rowids == Array(0..<1000))
    }

    @Test(arguments: [
        "CREATE TABLE t(id INTEGER PRIMARY KEY, x, y)",
        "CREATE TABLE t(id TEXT PRIMARY KEY, x, y) WITHOUT ROWID",
    ])
    func `the SQL for many rows leads from one database to the other`(schema: String) async throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.file("old.sqlite"), folder.file("new.sqlite"))
        try PlainDatabase(old).execute(
            """
            \(schema);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 12000)
            INSERT INTO t SELECT n, 'it''s ' || n, zeroblob(n % 9) FROM s
            """)
        try FileManager.default.copyItem(atPath: old, toPath: new)
        try PlainDatabase(new).execute(
            """
            UPDATE t SET x = x || '!', y = -id WHERE id % 7 > 0;
            UPDATE t SET y = -9223372036854775807 - 1 WHERE id % 500 = 2; DELETE FROM t WHERE id % 50 = 1
            """)
        var text: [UInt8] = []
        var request = DataDiffRequest(from: try SchemaSource(old), to: try SchemaSource(new))
        request.wantsScript = true
        let report = try await DataDiffer(engine: GRDBDriver()).run(
            request, to: DataScriptRenderer { text += $0 })
        #expect(report.tables.map(\.changed) != [0])
        let database = try PlainDatabase(old)
        try database.execute(String(decoding: text, as: UTF8.self))
        let query = "SELECT * FROM t ORDER BY id"
        #expect(try database.literals(query) == (try PlainDatabase(new).literals(query)))
    }
}

private final class Recorder: DataDiffConsumer {
    var rowids: [Int64] = []
    var passes: Set<Int> = []
    var failsAt: Int64?

    func begin(_ overview: DataDiffOverview) {}
    func begin(_ table: TableDataDiff) -> (passes: Int, detail: RowDetail) { (1, .changes) }
    func end(_ table: TableDataDiff) {}
    func end(_ report: DataDiffReport) {}

    func take(_ row: RowDifference, of table: TableDataDiff, pass: Int) throws {
        if row.newRowid == failsAt { throw CancellationError() }
        rowids.append(row.newRowid ?? -1)
        passes.insert(pass)
    }
}
