import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

/// Every remedy that is printed for a damaged R-Tree works, in a connection of its own.
@Suite struct SpatialRepairTests {
    private static let fill = "SELECT n, n, n + 1, 'x' FROM s"
    private static let definitions = ["rtree(id, \"x 0\", x1, +note)", "rtree_i32(id, a, b, +c TEXT)"]

    private func make(_ definition: String) throws -> HealthCase {
        try HealthCase(
            "CREATE VIRTUAL TABLE \"r 1\" USING \(definition);" + HealthCase.numbers(500)
                + "INSERT INTO \"r 1\" \(Self.fill)")
    }

    /// Does what a remedy says: its statements are indented, and the rows come after the first one.
    private func follow(_ help: String, _ it: HealthCase) throws {
        let statements = help.split(separator: "\n").filter { $0.hasPrefix("  ") }
        try it.execute(String(statements[0]))
        try it.execute(HealthCase.numbers(500) + "INSERT INTO \"r 1_new\" \(Self.fill)")
        try it.execute(statements.dropFirst().joined())
    }

    @Test(
        arguments: definitions,
        [
            "DELETE FROM \"r 1_rowid\" WHERE rowid = 7", "DELETE FROM \"r 1_parent\"",
            "DELETE FROM \"r 1_node\"",
            "UPDATE \"r 1_node\" SET data = zeroblob(10)", "UPDATE \"r 1_node\" SET data = zeroblob(448)",
            "UPDATE \"r 1_node\" SET data = x'7fff' || substr(data, 3)",
            "UPDATE \"r 1_node\" SET data = NULL WHERE nodeno = 1",
            "DELETE FROM \"r 1_node\" WHERE nodeno > 1; DELETE FROM \"r 1_rowid\"",
        ])
    func `another one takes its place`(_ definition: String, _ damage: String) async throws {
        let it = try make(definition)
        #expect(try await it.findings("spatial-index").isEmpty)
        try it.execute(damage)
        let found = try #require(try await it.findings("spatial-index").first)
        try follow(found.help, it)
        #expect(try await it.report { $0.isDeep = true }.findings.filter { $0.severity == .error }.isEmpty)
        #expect(try PlainDatabase(it.path).rows("SELECT count(*) FROM \"r 1\"") { $0.integer(0) } == [500])
    }

    @Test(arguments: ["r 1_node", "r 1_rowid", "r 1_parent"])
    func `one with damaged pages is not to be dropped`(_ table: String) async throws {
        let it = try make(Self.definitions[0])
        try it.overwriteRoot(of: table)
        let found = try #require(try await it.findings("spatial-index").first)
        #expect(found.help.contains("damaged") && !found.help.contains("DROP"))
        try follow(found.help, it)
        #expect(
            try PlainDatabase(it.path).rows("SELECT count(*) FROM \"r 1_new\"") { $0.integer(0) } == [500])
    }
}
