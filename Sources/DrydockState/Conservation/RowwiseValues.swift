import DrydockFindings
import DatabaseEngine

/// The values of a column whose expression fails on some row, one row at a time: a query of the whole table
/// would end at that row.
struct RowwiseValues {
    let connection: any Connection
    let schema: String
    let table: Catalog.Table
    let column: Catalog.Column

    /// A row, and what the column gave in it.
    struct Row {
        /// The values of ``keyColumns``.
        var key: [SQLValue]
        var value: Result<SQLValue, EngineError>
    }

    /// What rows are known by: the primary key, or the rowid.
    var keyColumns: [String] { key.isEmpty ? ["rowid"] : key.map(\.name) }

    private var key: [Catalog.Column] { table.primaryKey }

    private var source: String { "\(schema).\(quotedName(table.name))" }

    /// Reads every row.
    /// - Returns: false where the table has neither rowid nor key to ask for a row by.
    /// - Throws: ``EngineError`` where the expression does not compile, or reading fails otherwise.
    func forEach(_ body: (Row) throws -> Void) throws -> Bool {
        let keys = key.map { quotedName($0.name) }
        let places = table.rowidName.map { [$0] } ?? keys
        guard !places.isEmpty else { return false }
        let shown = keys.isEmpty ? places : keys
        // Compiled once before any row, since an empty table has none to fail on.
        _ = try connection.prepare("SELECT \(quotedName(column.name)) FROM \(source)")
        try connection.forEachRow("SELECT \((places + shown).joined(separator: ", ")) FROM \(source)") {
            row in
            let key = shown.indices.map { row.value(places.count + $0) }
            let condition = Self.condition(places, places.indices.map(row.value))
            try body(Row(key: key, value: try value(where: condition)))
        }
        return true
    }

    /// The column's value in the row that has a key.
    /// - Returns: nil where there is none, or no key to ask by.
    func value(ofKey values: [SQLValue]) throws -> Result<SQLValue, EngineError>? {
        let places = key.isEmpty ? [table.rowidName].compactMap(\.self) : key.map { quotedName($0.name) }
        guard !places.isEmpty, places.count == values.count else { return nil }
        let condition = Self.condition(places, values)
        guard try connection.firstRow("SELECT 1 FROM \(source) WHERE \(condition)", [], { _ in true }) != nil
        else { return nil }
        return try value(where: condition)
    }

    /// Literals, since text is bound in UTF-8 alone; the sign keeps their affinity out of the comparison.
    private static func condition(_ places: [String], _ values: [SQLValue]) -> String {
        zip(places, values).map { "\($0) IS +\($1.literal)" }.joined(separator: " AND ")
    }

    private func value(where condition: String) throws -> Result<SQLValue, EngineError> {
        let sql = "SELECT \(quotedName(column.name)) FROM \(source) WHERE \(condition)"
        do {
            return .success(try connection.firstRow(sql) { $0.value(0) } ?? .null)
        } catch let error as EngineError where error.isOfExpression {
            return .failure(error)
        }
    }

    /// Whether every row gives a value.
    var isReadable: Bool {
        get throws {
            do {
                try connection.forEachRow("SELECT \(quotedName(column.name)) FROM \(source)") { _ in }
                return true
            } catch let error as EngineError where error.isOfExpression {
                return false
            }
        }
    }
}

extension EngineError {
    /// Whether it may be an expression that failed, rather than the file or the way to it.
    var isOfExpression: Bool { !isInterrupt && !isCorruption && !isOutage }
}
