import DatabaseEngine
import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// Generates the rows of probes.
package struct RowMaker: RowGenerator {
    package init() {}

    package func insertOrdinaryRows(
        _ request: RowRequest, on connection: any Connection
    ) throws -> GeneratedRows {
        var result = GeneratedRows()
        for name in request.tables.sorted() {
            guard let table = request.schema.table(name) else { continue }
            for number in 1...request.rowCount {
                let columns = table.columns.filter { $0.generated == nil }
                let values = columns.map { column -> SQLValue in
                    switch table.affinity(of: column) {
                    case .integer, .real, .numeric: .integer(Int64(100 + number))
                    default: SQLValue("\(column.name) \(number)")
                    }
                }
                let names = columns.map { quotedName($0.name) }.joined(separator: ", ")
                let marks = columns.map { _ in "?" }.joined(separator: ", ")
                let statement = try connection.prepare(
                    "INSERT INTO \(quotedName(table.name)) (\(names)) VALUES (\(marks))")
                do {
                    try statement.reset(binding: values)
                    _ = try statement.step()
                    result.rows.append(
                        GeneratedRow(table: table.name, columns: columns.map(\.name), values: values))
                } catch let error as EngineError where !error.isInterrupt {
                    result.empty.append(.init(table: table.name, reason: error.message))
                }
            }
        }
        return result
    }

    package func insertEdgeRows(
        _ request: RowRequest, on connection: any Connection
    ) throws -> GeneratedRows { GeneratedRows() }
}
