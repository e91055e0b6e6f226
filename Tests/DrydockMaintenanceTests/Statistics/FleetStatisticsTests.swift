import DrydockMaintenance
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// `drydock stats` of several databases.
@Suite struct FleetStatisticsTests {
    private static func folder(_ count: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for number in 0..<count {
            try PlainDatabase(folder.file("t\(number).db")).execute(
                """
                CREATE TABLE a(id INTEGER PRIMARY KEY, t TEXT); CREATE INDEX a_t ON a(t);
                CREATE TABLE only\(number % 2)(x);
                INSERT INTO a(t) SELECT hex(zeroblob(200)) FROM
                (WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < \(number * 7)) SELECT i FROM n);
                DELETE FROM a WHERE id % \(number % 3 + 2) = 0
                """)
        }
        return folder
    }

    @Test func `the sums are those of the databases one by one`() async throws {
        let folder = try Self.folder(9)
        let paths = (0..<9).map { folder.file("t\($0).db") }
        let reader = StatisticsReader(engine: GRDBDriver())
        let fleet = try await reader.statistics(of: paths + [folder.file("none.db")], jobs: 3)
        #expect(fleet.databases.map(\.path) == paths + [folder.file("none.db")])
        #expect(fleet.read.count == 9 && fleet.hasTrouble)
        var rows = 0, bytes = 0, sum = 0.0
        for (path, database) in zip(paths, fleet.databases) {
            let one = try await reader.statistics(of: path)
            #expect(database.bytes == one.byteCount)
            #expect(database.vacuumReclaimableBytes == one.reclaimableByteCount)
            #expect(database.freelistBytes == one.freelistPages * one.pageSize)
            sum += Double(one.byteCount)
            for object in one.objects where object.name == "a" {
                rows += object.entries
                bytes += object.tree.pages * one.pageSize
            }
        }
        #expect(fleet.size?.sum == sum)
        let table = try #require(fleet.objects.first { $0.name == "a" })
        #expect(table.rows == rows && table.bytes == bytes && table.databases == 9)
        #expect(fleet.objects.first { $0.name == "only0" }?.databases == 5)
        let nio = try await StatisticsReader(engine: NIODriver()).statistics(of: paths, jobs: 1)
        #expect(nio.databases.map(\.bytes) == fleet.read.map(\.bytes))
    }

    @Test func `the command shows the others where one cannot be read`() throws {
        let folder = try Self.folder(12)
        try Data("no database at all, whatever it is called".utf8).write(
            to: URL(filePath: folder.file("broken.db")))
        try Data().write(to: URL(filePath: folder.file("empty.db")))
        let tool = Tool(folder: folder)
        let all = try tool.run("stats", "t*.db")
        #expect(all.status == 0 && all.output.hasPrefix("12 databases"), "\(all.output) \(all.errors)")
        #expect(all.output.contains("… and 2 more"))
        let some = try tool.run("stats", "*.db", "missing.db", "./t1.db")
        #expect(some.status == 2 && some.output.contains("15 databases, "), "\(some.output)")
        #expect(some.output.contains("? ") && some.output.contains("missing.db"))
        let json = try tool.run("stats", "*.db", "--format", "json")
        #expect(json.status == 2 && json.output.contains("\"verdict\" : \"failed\""))
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect((object?["databases"] as? [Any])?.count == 14)
        #expect(try tool.run("stats").status == 64)
        let page = try tool.run("stats", "t1.db", "t2.db", "--format", "html")
        #expect(page.status == 0 && page.output.hasPrefix("<!DOCTYPE html>"))
        #expect(try tool.run("stats", "t1.db", "t2.db", "--compare", "t3.db").status == 64)
        #expect(try tool.run("stats", "t*.db", "--compare", "t3.db").status == 2)
        #expect(try tool.run("stats", "t1.db", "./t1.db").output.hasPrefix("t1.db "))
    }
}
