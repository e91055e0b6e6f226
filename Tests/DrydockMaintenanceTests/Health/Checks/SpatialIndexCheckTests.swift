import Drydock
import Foundation
import NIOEngine
import Testing

@testable import DrydockTestSupport

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
        let said = try await it.saidInEveryOrder { try $0.execute(damage) }.findings
        #expect(said.count == 1 && said[0].message.hasPrefix("R-Tree r is damaged"))
    }

    @Test(arguments: [true, false]) func `a damaged page of an R-Tree stops no other check`(_ isGRDB: Bool)
        async throws
    {
        var it = try HealthCase(
            "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, +note); INSERT INTO r VALUES (1, 0, 1, 'a')")
        if !isGRDB { it.engine = NIODriver() }
        let said = try await it.saidInEveryOrder { try $0.overwriteRoot(of: "r_node") }
        #expect(said.findings.map(\.rule) == [.integrityFailure, .spatialIndex])
        #expect(said.findings.last?.table == "r")
        #expect(Set(said.notReached.map(\.rule)) == [.fragmentation, .objectSize])
    }
}
