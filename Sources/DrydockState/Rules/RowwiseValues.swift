import DrydockFindings
import DatabaseEngine

/// The values of a column whose expression fails on some row, read one row at a time: a query of the whole table would
/// stop at that row.
package struct RowwiseValues {
    let connection: any Connection
    let schema: String
    let table: Catalog.Table
    let column: Catalog.Column

    package init(connection: any Connection, schema: String, table: Catalog.Table, column: Catalog.Column) {
        self.connection = connection
        self.schema = schema
        self.table = table
        self.column = column
    }

    /// A row, and the column's value in it.
    package struct Row {
        /// The values of ``keyColumns``.
        package var key: [SQLValue]
        package var value: Result<SQLValue, EngineError>
    }

    /// The columns that identify rows: the primary key, or the rowid.
    package var keyColumns: [String] { key.isEmpty ? ["rowid"] : key.map(\.name) }

    private var key: [Catalog.Column] { table.primaryKey }

    private var source: String { "\(schema).\(quotedName(table.name))" }

    /// Reads every row.
    /// - Returns: false where the table has neither a rowid nor a key by which a row can be selected.
    /// - Throws: ``EngineError`` where the expression does not compile, or reading fails for another reason.
    package func forEach(_ body: (Row) throws -> Void) throws -> Bool {
        let keys = key.map { quotedName($0.name) }
        let places = table.rowidName.map { [$0] } ?? keys
        guard !places.isEmpty else { return false }
        let shown = keys.isEmpty ? places : keys
        // Compiled before any row is read, since an empty table has no row that could fail.
        _ = try connection.prepare("SELECT \(quotedName(column.name)) FROM \(source)")
        try connection.forEachRow("SELECT \((places + shown).joined(separator: ", ")) FROM \(source)") {
            row in
            let key = shown.indices.map { row.value(places.count + $0) }
            let condition = Self.condition(places, places.indices.map(row.value))
            try body(Row(key: key, value: try value(where: condition)))
        }
        return true
    }

    /// Returns the column's value in the row with a key.
    /// - Returns: nil where no row has it, or there is no key.
    package func value(ofKey values: [SQLValue]) throws -> Result<SQLValue, EngineError>? {
        let places = key.isEmpty ? [table.rowidName].compactMap(\.self) : key.map { quotedName($0.name) }
        guard !places.isEmpty, places.count == values.count else { return nil }
        let condition = Self.condition(places, values)
        guard try connection.firstRow("SELECT 1 FROM \(source) WHERE \(condition)", [], { _ in true }) != nil
        else { return nil }
        return try value(where: condition)
    }

    /// Uses literals, since text is bound only in UTF-8; the sign keeps their affinity out of the comparison.
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

    /// Whether the column can be computed in every row.
    package var isReadable: Bool {
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
    /// Whether an expression may have failed, rather than the file or the access to it.
    package var isOfExpression: Bool { !isInterrupt && !isCorruption && !isOutage }
}
