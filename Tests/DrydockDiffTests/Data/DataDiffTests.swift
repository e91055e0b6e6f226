import DatabaseEngine
import Drydock
import DrydockReport
import Foundation
import GRDBEngine
import TestTools
import Testing

@testable import DrydockTestSupport

/// Checks that the SQL of a data diff makes OLD's rows NEW's, and that pages and SQL find the same differences.
@Suite struct DataDiffTests {
    @Test(arguments: seeds(6, of: 12, soak: 3_000)) func `after the SQL no difference is left`(seed: Int)
        async throws
    {
        let rows = RandomRows(seed: UInt64(seed))
        let folder = try TemporaryFolder()
        let (old, new) = (folder.file("old.sqlite"), folder.file("new.sqlite"))
        do {
            let database = try PlainDatabase(old)
            for sql in rows.pragmas + rows.schema { try database.execute(sql) }
            // Rows that violate a constraint are left out.
            for sql in rows.rows { try? database.execute(sql) }
        }
        try FileManager.default.copyItem(atPath: old, toPath: new)
        do {
            let database = try PlainDatabase(new)
            for sql in rows.writes { try? database.execute(sql) }
        }
        let text = "seed \(seed)\n" + (rows.schema + rows.writes).joined(separator: ";\n")
        let fast = try await diff(old, new)
        let slow = try await PageReading.$isOn.withValue(false) { try await diff(old, new) }
        #expect(fast.facts == slow.facts, "\(text)")
        let crowded = try await DataDiffer.$unpairedLimit.withValue(3) { try await diff(old, new) }
        #expect(crowded.report?.isSame == slow.report?.isSame, "\(text)")
        #expect(crowded.keyed.sorted() == slow.keyed.sorted(), "\(text)")
        #expect(fast.report?.isSame == (try BruteForce.areSame(old, new)), "\(text)")
        let script = try await sql(old, new)
        do {
            try PlainDatabase(old).execute(script)
        } catch {
            Issue.record("\(error)\n\(text)\n\(script)")
        }
        let left = try await diff(old, new)
        #expect(left.report?.isSame == true, "\(left.facts)\n\(text)\n\(script)")
        #expect(try BruteForce.areSame(old, new), "\(text)\n\(script)")
        #expect(try await diff(new, old).report?.isSame == true)
    }

    private func diff(
        _ old: String, _ new: String, _ configure: (inout DataDiffRequest) -> Void = { _ in }
    ) async throws -> Collector {
        var request = DataDiffRequest(from: try SchemaSource(old), to: try SchemaSource(new))
        configure(&request)
        let collector = Collector()
        _ = try await DataDiffer(engine: GRDBDriver()).run(request, to: collector)
        return collector
    }

    private func sql(_ old: String, _ new: String) async throws -> String {
        var request = DataDiffRequest(from: try SchemaSource(old), to: try SchemaSource(new))
        request.wantsScript = true
        var bytes: [UInt8] = []
        _ = try await DataDiffer(engine: GRDBDriver()).run(request, to: DataScriptRenderer { bytes += $0 })
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Keeps everything that a diff finds.
private final class Collector: DataDiffConsumer {
    private(set) var report: DataDiffReport?
    private var lines: [String] = []

    func begin(_ overview: DataDiffOverview) {}
    func begin(_ table: TableDataDiff) -> (passes: Int, detail: RowDetail) {
        if !table.isSame {
            lines.append(
                "\(table.name) \(table.identity) +\(table.added) -\(table.removed) ~\(table.changed) \(table.changes)"
            )
        }
        return (1, .whole)
    }

    func take(_ row: RowDifference, of table: TableDataDiff, pass: Int) {
        // Which of several equal rows is left over does not matter.
        let key = table.identity == .rowid ? row.key : []
        if case .key = table.identity {
            keyed.append("\(table.name) \(row.kind) \(key) \(row.values) \(row.changes)")
        }
        lines.append("\(table.name) \(row.kind) \(key) \(row.values) \(row.changes)")
    }

    func end(_ table: TableDataDiff) {}
    func end(_ report: DataDiffReport) { self.report = report }

    var facts: [String] { lines.sorted() }

    /// The rows of tables with a key.
    private(set) var keyed: [String] = []
}

/// Compares all rows of all tables as multisets of literals.
private enum BruteForce {
    static func areSame(_ old: String, _ new: String) throws -> Bool { try content(old) == content(new) }

    private static func content(_ path: String) throws -> [String: [[String]]] {
        let database = try PlainDatabase(path)
        let tables = try database.rows(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_schema'"
        ) { $0.string(0) }
        var result: [String: [[String]]] = [:]
        for table in tables where !table.hasPrefix("sqlite_stat") {
            let columns = try database.rows("PRAGMA table_xinfo(\"\(table)\")") {
                ($0.string(1), $0.integer(5), $0.integer(6))
            }
            // The rowid of an fts5 table counts, as does that of every table with a rowid key.
            let rowid = table == "ft" ? ["rowid"] : []
            let list = (rowid + columns.filter { $0.2 == 0 }.map { "\"\($0.0)\"" }).joined(separator: ", ")
            result[table] = try database.literals("SELECT \(list) FROM \"\(table)\"").sorted {
                "\($0)" < "\($1)"
            }
        }
        return result
    }
}
