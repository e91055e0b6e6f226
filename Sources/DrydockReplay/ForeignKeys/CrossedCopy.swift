import DrydockFindings
import DrydockState
import SQLiteSchema

/// A copying statement that exchanges columns of a table, as one by position does when the new table has the columns in
/// a different order.
struct CrossedCopy {
    /// The crossed columns: a column of both tables, and the column that gets its values.
    private let crossings: [(from: String, to: String)]
    private let target: String
    private let origin: String
    /// The columns that both tables have, as spelled in the new one.
    private let shared: [String]

    /// - Returns: nil where every column is copied to the column with its name.
    init?(
        _ copy: TableLineage.Copy, _ statement: SQLStatement, into table: Catalog.Table,
        from origin: Catalog.Table?
    ) {
        guard let origin, case .insert(let target, _, let source) = statement.action else { return nil }
        let columns = copy.columns ?? table.storedColumns.map(\.name)
        let items = copy.items.flatMap { item in
            item == .star ? origin.storedColumns.map { .column($0.name.foldedASCII) } : [item]
        }
        crossings = zip(columns, items).compactMap { column, item in
            guard case .column(let from) = item, from != column.foldedASCII,
                let own = table.storedColumns.first(where: { $0.name.foldedASCII == from }),
                origin.column(column) != nil
            else { return nil }
            return (own.name, column)
        }
        guard !crossings.isEmpty else { return nil }
        self.target = target.name
        self.origin = source?.tables.first ?? origin.name
        shared = table.storedColumns.map(\.name).filter { name in
            origin.column(name).map { !$0.isGenerated } ?? false
        }
    }

    func concerns(_ columns: [String]) -> Bool {
        let folded = Set(columns.map(\.foldedASCII))
        return crossings.contains { folded.contains($0.to.foldedASCII) }
    }

    func cause(_ place: String) -> String {
        let parts = crossings.prefix(3).map { "\($0.from) into \($0.to)" }
        return "the copy in \(place) puts \(parts.joined(separator: " and "))"
    }

    var help: Help {
        let list = shared.map(quotedIfNeeded).joined(separator: ", ")
        return """
            Name the columns on both sides of the copy:
              INSERT INTO \(quotedIfNeeded(target))(\(list)) SELECT \(list) FROM \(quotedIfNeeded(origin));
            """
    }
}
