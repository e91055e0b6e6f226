import DatabaseEngine
import DrydockFindings
import DrydockSnapshots
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// A database, and what a subset of it has.
struct SubsetCase {
    let folder: TemporaryFolder
    let path: String
    var engine: any Engine = GRDBDriver()

    static let engines: [any Engine] = [GRDBDriver(), NIODriver()]

    init(_ sql: String) throws {
        folder = try TemporaryFolder()
        path = folder.file("app.sqlite")
        try PlainDatabase(path).execute(sql)
    }

    /// A database with many rows: `n` has the numbers from 1 to 5000.
    static let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)"

    static func key(_ text: String = "a key that only tests have") throws -> MaskKey {
        try MaskKey(text: Array(text.utf8), from: "a test")
    }

    func take(
        _ name: String = "small.sqlite", _ change: (inout SubsetRequest) throws -> Void = { _ in }
    ) async throws -> Taken {
        var request = SubsetRequest(database: path, output: folder.file(name))
        request.amount = .rows(10)
        request.wholeLimit = 0
        request.masks.key = try Self.key()
        try change(&request)
        let before = try Data(contentsOf: URL(filePath: path))
        let report = try await SubsetMaker(engine: engine).run(request)
        #expect(try Data(contentsOf: URL(filePath: path)) == before, "the database was written")
        return Taken(report: report, database: try PlainDatabase(request.output), path: request.output)
    }

    /// Expects an error with a text, and that nothing is left.
    func expectRefusal(_ text: String, _ change: (inout SubsetRequest) throws -> Void) async throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let error = await #expect(throws: RequestError.self) { _ = try await take("none.sqlite", change) }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
    }

    struct Taken {
        var report: SubsetReport
        var database: PlainDatabase
        var path: String

        func rows(_ sql: String) throws -> [[String]] {
            try database.rows(sql) { row in (0..<row.columnCount).map { row.value($0).literal } }
        }

        func text(_ sql: String) throws -> [String] { try database.rows(sql) { $0.string(0) } }
        func number(_ sql: String) throws -> Int { try database.firstRow(sql) { Int($0.integer(0)) } ?? -1 }

        /// Checks what is true of every subset without orphans.
        func checkSound(_ comment: Comment? = nil) throws {
            #expect(try text("PRAGMA integrity_check") == ["ok"], comment)
            #expect(try rows("PRAGMA foreign_key_check").isEmpty, comment)
        }
    }
}
