import DatabaseEngine
import Foundation
import GRDBEngine
import TestTools
import Testing

@testable import DrydockTestSupport

/// Fills random schemas: SQLite accepts every row with all checks on, and the same seed gives the same rows.
@Suite struct RowPropertyTests {
    @Test(arguments: seeds(40, of: 200, soak: 10_000))
    func `rows of random schemas satisfy every constraint`(seed: Int) async throws {
        var random = SeededGenerator(seed: seed)
        let schema = RandomSchema.valid(&random)
        let sql = schema.statements.joined(separator: ";\n") + ";"
        var rowCase = RowCase(sql)
        rowCase.seed = UInt64(seed)
        rowCase.foreignKeys = random.chance(80)
        let context = "seed \(seed)\n\(sql)"
        let outcome: RowCase.Outcome
        do {
            outcome = try await rowCase.run(edges: true)
        } catch {
            Issue.record("\(error)\n\(context)")
            return
        }
        #expect(outcome.faults.filter { !$0.contains("non-") }.isEmpty, "\(outcome.faults)\n\(context)")
        let reported = Set(outcome.result.empty.map(\.table))
        for (table, rows) in outcome.dump where rows.isEmpty {
            #expect(reported.contains(table), "\(table) is empty and not reported\n\(context)")
        }
        let again = try await rowCase.run(edges: true)
        #expect(again.dump == outcome.dump, "the rows differ\n\(context)")
        rowCase.seed += 1
        #expect(try await rowCase.run().faults.allSatisfy { $0.contains("non-") }, "\(context)")
    }
}
