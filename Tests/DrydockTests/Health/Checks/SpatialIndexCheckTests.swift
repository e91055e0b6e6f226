import Drydock
import Foundation
import Testing

@Suite struct SpatialIndexCheckTests {
    @Test func `a node that lost its parent is an error`() async throws {
        let it = try HealthCase(
            "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);" + HealthCase.numbers(500)
                + "INSERT INTO r SELECT n, n, n + 1 FROM s")
        #expect(try await it.findings("spatial-index").isEmpty)
        try it.execute("DELETE FROM r_rowid WHERE rowid < 10")
        let found = try await it.findings("spatial-index")
        #expect(found.map(\.severity) == [.error] && found.first?.table == "r")
    }

    /// A connection that opens the damaged table fails; with a schema that is known already, none has to.
    @Test(arguments: ["DELETE FROM r_node", "UPDATE r_node SET data = zeroblob(10)", "DELETE FROM r_rowid"])
    func `what is said does not depend on the databases before`(_ damage: String) async throws {
        let it = try HealthCase(
            "CREATE VIRTUAL TABLE r USING rtree(id, \"x 0\", x1, +note); INSERT INTO r VALUES (1, 0, 1, 'a')")
        let sound = it.folder.file("sound.sqlite")
        try FileManager.default.copyItem(atPath: it.path, toPath: sound)
        try it.execute(damage)
        var said: [[String]] = []
        for order in [[it.path], [it.path, sound], [sound, it.path]] {
            let report = try await it.report {
                ($0.databases, $0.jobs) = (order, 1)
            }
            #expect(!report.findings.contains { $0.database == sound })
            said.append(
                report.findings.filter { $0.database == it.path }.map { "\($0.rule.rawValue): \($0.message)" }
            )
        }
        #expect(said[0].count == 1 && said[0][0].hasPrefix("spatial-index: R-Tree r is damaged"))
        #expect(Set(said) == [said[0]])
    }
}
