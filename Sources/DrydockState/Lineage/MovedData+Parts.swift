import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// Rows of one table that went to several.
extension MovedData {
    /// Returns the tables that have every row of a dropped table between them, whole and as often as it had it: by each
    /// some were copied. Empty where a row is in none.
    func parts(of table: Catalog.Table, allowing allowance: Allowance = .nothing) throws -> [Home] {
        let provenance = provenance()
        let parts = candidates(for: table, provenance, \.inserted).compactMap { later in
            copiedColumns(of: table, in: later, provenance).map { Home(table: later, columns: $0) }
        }
        guard parts.count > 1 else { return [] }
        let own = table.storedColumns.map { quotedName($0.name) }
        let old =
            "SELECT 1, \(Self.values(own)) FROM main.\(quotedName(table.name)) WHERE NOT \(allowance.condition)"
        let new = parts.map { part in
            "SELECT -1, \(Self.values(part.columns.map { quotedName($0.after.name) })) FROM "
                + "\(TableComparison.afterSchema).\(quotedName(part.table.name))"
        }
        let others = try parts.compactMap { try ownRows(of: $0, besides: table, provenance) }
        let names = (0..<own.count * 2).map { "c\($0)" }.joined(separator: ", ")
        let sql = """
            WITH rows(weight, \(names)) AS (\(([old] + others + new).joined(separator: " UNION ALL ")))
            SELECT EXISTS (SELECT 1 FROM rows GROUP BY \(names) HAVING sum(weight) > 0)
            """
        do {
            guard try connection.firstRow(sql, [], { $0.integer(0) == 0 }) ?? false else { return [] }
        } catch let error as EngineError where error.isOfExpression {
            return []
        }
        return parts
    }

    /// Returns a query for the rows that a part had before, and must have besides those of the table; nil for a new table,
    /// or where statements copied rows of one to the other before.
    private func ownRows(
        of part: Home, besides table: Catalog.Table, _ provenance: Provenance
    ) throws -> String? {
        guard let now = provenance.end[part.table.name], let name = provenance.start.key(of: now.id)?.name,
            !areRelated(table.name, name)
        else { return nil }
        let columns = part.columns.map(\.after.name)
        var known: Set<String> = []
        try connection.forEachRow(
            "SELECT name FROM pragma_table_xinfo(?1, 'main')", [.text(Array(name.utf8))]
        ) { known.insert($0.string(0).foldedASCII) }
        guard known.isSuperset(of: columns.map(\.foldedASCII)) else { return nil }
        return "SELECT 1, \(Self.values(columns.map(quotedName))) FROM main.\(quotedName(name))"
    }

    /// Returns the columns of a table, in its order, with those of a later table into which statements copied them; nil
    /// where one was not copied.
    private func copiedColumns(
        of table: Catalog.Table, in later: Catalog.Table, _ provenance: Provenance
    ) -> [TableMatch.ColumnPair]? {
        var taken: Set<String> = []
        var columns: [TableMatch.ColumnPair] = []
        for column in table.storedColumns {
            let found = provenance.columns(for: column.name, of: table, in: later).first {
                provenance.isCopied(column.name, of: table, to: $0.name, in: later)
                    && taken.insert($0.name.foldedASCII).inserted
            }
            guard let found else { return nil }
            columns.append(.init(before: column, after: found))
        }
        return columns
    }

    /// The values as they are stored, each with its storage class: 1 is not 1.0, and 'a' not 'A'. The plus sign takes
    /// the affinity and the collation from a column.
    static func values(_ columns: [String]) -> String {
        columns.map { "+\($0) COLLATE BINARY, typeof(\($0))" }.joined(separator: ", ")
    }
}
