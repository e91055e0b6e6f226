import DatabaseEngine
import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// Fills a virtual table as an app would: through its triggers, by INSERT, or by the module's own command.
struct VirtualTableFill {
    private let table: VirtualTable
    private let request: RowRequest
    private let connection: any Connection
    private let name: String

    init(_ table: VirtualTable, _ request: RowRequest, on connection: any Connection) {
        (self.table, self.request, self.connection) = (table, request, connection)
        name = "main." + quotedName(table.name)
    }

    func run(_ result: inout GeneratedRows) throws {
        do {
            if table.isExternalContent {
                try rebuild()
            } else {
                try insert(&result)
            }
        } catch let error as EngineError
            where !error.isInterrupt && !error.isOutage && connection.isInTransaction
        {
            result.empty.append(.init(table: table.name, reason: "\(table.module): \(error.message)"))
        }
    }

    /// Adds unusual rows to a full-text table that has its own text.
    func runEdges(_ result: inout GeneratedRows) throws {
        guard table.isFullText, !table.isExternalContent, !table.isContentless else { return }
        do {
            guard try !isFilledByTriggers() else { return }
            let columns = try self.columns()
            guard let first = columns.first else { return }
            let sql = "INSERT INTO \(name) (\(quotedName(first.name))) VALUES (?)"
            let statement = try connection.prepare(sql)
            for value: SQLValue in [.null, "", "a\u{0}b", SQLValue(String(repeating: "long ", count: 900))] {
                try statement.reset(binding: [value])
                while try statement.step() {}
                result.rows.append(GeneratedRow(table: table.name, columns: [first.name], values: [value]))
            }
        } catch let error as EngineError
            where !error.isInterrupt && !error.isOutage && connection.isInTransaction
        {
            // The module refuses such rows, or all that come after the first ones.
            guard !result.rows.contains(where: { $0.table == table.name }) else { return }
            result.empty.append(.init(table: table.name, reason: "\(table.module): \(error.message)"))
        }
    }

    // MARK: - External content

    /// Builds the index of a table that has the text, unless triggers have done that.
    private func rebuild() throws {
        let content = table.content ?? ""
        let isKept = request.schema.triggers.values.contains { trigger in
            trigger.table.foldedASCII == content.foldedASCII && trigger.names.contains(table.name.foldedASCII)
        }
        guard !isKept, try !connection.isEmpty(content) else { return }
        try connection.execute("INSERT INTO \(name)(\(quotedName(table.name))) VALUES ('rebuild')")
    }

    // MARK: - Own content

    private func insert(_ result: inout GeneratedRows) throws {
        // Rows of a trigger belong to those of another table; more would not.
        if !table.isContentless, try isFilledByTriggers() { return }
        let columns = try columns()
        var names = columns.map(\.name)
        if table.isFullText { names.insert("rowid", at: 0) }
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT INTO \(name) (\(names.map(quotedName).joined(separator: ", "))) VALUES (\(marks))"
        let statement = try connection.prepare(sql)
        let number = Int(SeededRandom.hash(table.name.foldedASCII) % 899) + 1
        let maker = ValueMaker(seed: request.seed, table: table.name.foldedASCII)
        for index in 0..<request.rowCount {
            let key = number * 100 + request.round * 40 + index + 1
            var values = columns.enumerated().map { place, column in
                value(column, place, ValueMaker.Row(key: key, index: index), maker)
            }
            if table.isFullText { values.insert(.integer(Int64(key)), at: 0) }
            try statement.reset(binding: values)
            while try statement.step() {}
            result.rows.append(GeneratedRow(table: table.name, columns: names, values: values))
        }
    }

    private typealias NamedColumn = (name: String, type: String, isHidden: Bool)

    private func columns() throws -> [NamedColumn] {
        try connection.rows("PRAGMA main.table_xinfo(\(quotedName(table.name)))") { row in
            (name: row.string(1), type: row.string(2), isHidden: row.integer(6) != 0)
        }.filter { !$0.isHidden }
    }

    private func isFilledByTriggers() throws -> Bool {
        let folded = table.name.foldedASCII
        return try request.schema.triggers.values.contains { $0.names.contains(folded) }
            && !connection.isEmpty(table.name)
    }

    private func value(
        _ column: NamedColumn, _ place: Int, _ row: ValueMaker.Row,
        _ maker: ValueMaker
    ) -> SQLValue {
        switch table.module.foldedASCII {
        case "rtree", "rtree_i32":
            let isBound = place > 0 && place <= coordinates
            if place == 0 { return .integer(Int64(row.key)) }
            // The least bound of a dimension is before its greatest.
            if isBound {
                return .integer(Int64(row.index * 10 + (place - 1) / 2 + (place.isMultiple(of: 2) ? 5 : 0)))
            }
        case "geopoly" where place == 0:
            let (x, y) = (row.index * 10, row.index * 10 + 5)
            return SQLValue("[[\(x),\(x)],[\(y),\(x)],[\(y),\(y)],[\(x),\(x)]]")
        default: break
        }
        let declared = Column(name: column.name, declaredType: table.isFullText ? "TEXT" : column.type)
        var plan = ColumnPlan(
            name: column.name, folded: column.name.foldedASCII, affinity: declared.affinity,
            kind: table.isFullText ? .text : ColumnKind(declared, affinity: declared.affinity, json: nil),
            isNotNull: false, declaredType: column.type)
        plan.rank = place
        return maker.value(plan, Domain(), row)
    }

    /// The number of bounds of an R-tree; columns with a plus sign are data (https://www.sqlite.org/rtree.html).
    private var coordinates: Int { table.arguments.dropFirst().filter { !$0.text.hasPrefix("+") }.count }
}
