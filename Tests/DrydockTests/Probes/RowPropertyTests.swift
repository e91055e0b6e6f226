import DatabaseEngine
import Foundation
import GRDBEngine
import Testing

/// Fills random schemas: SQLite accepts every row with all checks on, and the same seed gives the same rows.
@Suite struct RowPropertyTests {
    @Test(arguments: 0..<8)
    func `rows of random schemas satisfy every constraint`(chunk: Int) async throws {
        let count = Soak.rounds(25, 1250)
        let only = Int(ProcessInfo.processInfo.environment["DRYDOCK_SEED"] ?? "")
        for seed in only.map({ $0...$0 }) ?? (chunk * count + 1)...((chunk + 1) * count) {
            if only != nil, chunk > 0 { continue }
            do {
                try await Self.round(UInt64(seed))
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    private static func round(_ seed: UInt64) async throws {
        var random = SchemaRandom(seed: seed)
        let schema = try PlanRound.schema(&random)
        let sql = schema.statements.joined(separator: ";\n") + ";"
        var rowCase = RowCase(sql)
        rowCase.seed = seed
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
