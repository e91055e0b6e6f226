import DatabaseEngine
import Testing

@testable import DrydockReplay

struct RowReductionTests {
    private static func rows(_ numbers: [Int64]) -> [GeneratedRow] {
        numbers.map {
            GeneratedRow(table: "t\($0 % 3)", columns: ["a", "b"], values: [.integer($0), "text"])
        }
    }

    private static func numbers(_ rows: [GeneratedRow]) -> Set<Int64> {
        Set(
            rows.compactMap { row -> Int64? in
                guard let place = row.columns.firstIndex(of: "a"),
                    case .integer(let number) = row.values[place]
                else { return nil }
                return number
            })
    }

    @Test(arguments: [[7], [3, 4], [1, 29], [0, 15, 30], Array(0...9)] as [[Int64]])
    func `exactly the rows that are needed remain`(_ needed: [Int64]) async throws {
        var reduction = RowReduction(Self.rows(Array(0...30)), limit: 2000) {
            Self.numbers($0).isSuperset(of: needed)
        }
        #expect(try await reduction.run())
        #expect(Self.numbers(reduction.rows) == Set(needed) && reduction.isFinished)
        // The other column is not needed.
        #expect(reduction.rows.allSatisfy { $0.columns == ["a"] })
    }

    @Test func `an empty list is enough where no row is needed`() async throws {
        var reduction = RowReduction(Self.rows(Array(0...30)), limit: 10) { _ in true }
        #expect(try await reduction.run())
        #expect(reduction.rows.isEmpty)
    }

    @Test func `rows that do not show it are refused`() async throws {
        var reduction = RowReduction(Self.rows([1, 2]), limit: 10) { _ in false }
        #expect(try await !reduction.run())
    }

    @Test func `the limit is kept, and said`() async throws {
        var runs = 0
        var reduction = RowReduction(Self.rows(Array(0...30)), limit: 5) {
            runs += 1
            return Self.numbers($0).contains(17)
        }
        #expect(try await reduction.run())
        #expect(runs == 5 && reduction.runs == 5 && !reduction.isFinished)
        #expect(Self.numbers(reduction.rows).contains(17))
    }

    @Test func `values that are not needed go together, and the others become simple`() async throws {
        let row = GeneratedRow(
            table: "t", columns: ["id", "name", "note", "size"],
            values: [.integer(4711), "a long name", "a long note", .integer(1)])
        var reduction = RowReduction([row, row], limit: 100) { rows in
            rows.contains { $0.columns.contains("name") }
        }
        #expect(try await reduction.run())
        #expect(reduction.rows == [GeneratedRow(table: "t", columns: ["name"], values: ["a"])])
        #expect(reduction.isFinished && reduction.runs < 20)
    }
}
