import DatabaseEngine
import DrydockReplay
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// Prints what the generator makes of a schema: `DRYDOCK_SCHEMA=schema.sql swift test --filter RealSchemaTests`.
@Suite struct RealSchemaTests {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["DRYDOCK_SCHEMA"] != nil))
    func `rows of a schema`() async throws {
        let path = ProcessInfo.processInfo.environment["DRYDOCK_SCHEMA"] ?? ""
        for path in path.split(separator: ":") {
            let text = try String(contentsOfFile: String(path), encoding: .utf8)
            let steps = text.components(separatedBy: "-- LATER\n")
            var rowCase = RowCase(steps[0])
            rowCase.later = Array(steps.dropFirst())
            let edges = ProcessInfo.processInfo.environment["DRYDOCK_EDGES"] != nil
            let outcome = try await rowCase.run(edges: edges)
            let tables = outcome.dump.count
            let filled = outcome.dump.values.filter { !$0.isEmpty }.count
            var columns = (all: 0, filled: 0)
            for (name, rows) in outcome.dump {
                for place in (outcome.columns[name] ?? []).indices {
                    columns.all += 1
                    if rows.contains(where: { $0[place] != .null }) { columns.filled += 1 }
                }
            }
            print(
                "\(path): \(filled) of \(tables) tables, \(columns.filled) of \(columns.all) columns, \(outcome.result.rows.count) rows, \(outcome.edges.rows.count) edge rows, \(outcome.seconds) s"
            )
            for empty in outcome.result.empty { print("  empty: \(empty.table): \(empty.reason)") }
            for fault in outcome.faults { print("  fault: \(fault)") }
            guard ProcessInfo.processInfo.environment["DRYDOCK_SHOW"] != nil else { continue }
            for row in outcome.result.rows + outcome.edges.rows {
                let values = row.values.map { value in
                    if case .text(let bytes) = value {
                        "'\(String(decoding: bytes.prefix(60), as: UTF8.self))'"
                    } else {
                        "\(value)".replacing("integer(", with: "").replacing("real(", with: "r")
                    }
                }
                print("  \(row.table)(\(values.joined(separator: ", ")))")
            }
        }
    }
}
