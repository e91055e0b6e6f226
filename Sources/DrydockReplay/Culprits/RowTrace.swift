import DrydockFindings
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Follows a row: in the table that had it before the step, in those through which it was copied, and in the one that
/// has the table's name at the end.
struct RowTrace {
    private struct Place {
        /// The id of the tracked table.
        let id: Int
        var hasRow = false
        var everHadRow = false
        /// The statement after which the row remained missing there.
        var lostBy: Int?
        /// The first statement that put rows into the table.
        var filledBy: Int?
        /// The last statement that assigned the column.
        var writtenBy: Int?
    }

    private let search: RowSearch?
    private let createdBy: Int?
    /// The places in the order in which the row reaches them.
    private var places: [Place] = []
    /// The statement after which the row remained missing everywhere.
    private var goneBy: Int?

    init(
        _ match: TableMatch, _ row: TableDifference.Locator?, _ column: Int?, from start: TableLineage,
        through statements: [SQLStatement], to end: TableLineage
    ) {
        search = row.map { RowSearch(match: match, row: $0, column: column) }
        let (first, last) = (start[match.before.name], end[match.after.name])
        createdBy = last?.createdBy
        guard let first else { return }
        places.append(Place(id: first.id, hasRow: true, everHadRow: true))
        guard let last, last.id != first.id else { return }
        let copies = TableCopies(from: start, through: statements)
        places += copies.between(first.id, last.id).map { Place(id: $0) } + [Place(id: last.id)]
    }

    mutating func look(_ point: StatementPoint) {
        let wasThere = places.contains(where: \.hasRow)
        for index in places.indices { look(at: index, point) }
        let isThere = places.contains(where: \.hasRow)
        if isThere { goneBy = nil } else if wasThere { goneBy = point.index }
    }

    private mutating func look(at index: Int, _ point: StatementPoint) {
        let name = point.lineage.key(of: places[index].id)
        switch point.action {
        case .insert(let table, _, _) where point.lineage.key(of: table) == name,
            .createTable(let table, _, asSelect: true) where point.lineage.key(of: table) == name:
            places[index].filledBy = places[index].filledBy ?? point.index
        case .update(let table, let columns)
        where point.lineage.key(of: table) == name
            && columns.contains { search?.isColumn($0) ?? false }:
            places[index].writtenBy = point.index
        default: break
        }
        let found = name.map { search?.isFound(in: $0, point) } ?? false
        guard let hasRow = found else { return }
        if hasRow {
            places[index].everHadRow = true
            places[index].lostBy = nil
        } else if places[index].hasRow {
            places[index].lostBy = point.index
        }
        places[index].hasRow = hasRow
    }

    /// The statement that lost the row. Where a table's rows were copied before the row went with the table, the copy
    /// decides.
    var culprit: Int? {
        guard let last = places.last else { return nil }
        guard let goneBy, let home = places.lastIndex(where: { $0.lostBy == goneBy }) else {
            // Another table keeps the row, as a backup does, or this cannot be determined.
            return last.everHadRow ? last.lostBy : last.writtenBy ?? last.filledBy ?? createdBy
        }
        let later = places[(home + 1)...]
        if let copy = later.first(where: \.everHadRow) { return copy.lostBy ?? goneBy }
        // The value never came that far, or was overwritten there by what was to bring it.
        if let written = later.last?.writtenBy, written < goneBy { return written }
        return (later.compactMap(\.filledBy) + [goneBy]).min()
    }
}

/// Which of a step's tables were filled from which others.
private struct TableCopies {
    private var copies: [(source: Int, target: Int)] = []

    init(from start: TableLineage, through statements: [SQLStatement]) {
        var lineage = start
        for (index, statement) in statements.enumerated() {
            let named = Set(
                statement.tokens.compactMap { token in
                    token.name(in: statement.source).flatMap { name in
                        lineage[lineage.key(of: QualifiedName(name: name))]?.id
                    }
                })
            lineage.apply(statement, at: index)
            switch lineage.actions.last {
            case .insert(let table, _, _), .createTable(let table, _, asSelect: true):
                guard let target = lineage[lineage.key(of: table)]?.id else { continue }
                copies += named.filter { $0 != target }.map { ($0, target) }
            default: continue
            }
        }
    }

    /// Returns the tables through which rows can have come from one to another, in the order of their creation.
    func between(_ first: Int, _ last: Int) -> [Int] {
        var reached: Set<Int> = [first]
        for copy in copies where reached.contains(copy.source) { reached.insert(copy.target) }
        var leading: Set<Int> = [last]
        for copy in copies.reversed() where leading.contains(copy.target) { leading.insert(copy.source) }
        return reached.intersection(leading).subtracting([first, last]).sorted()
    }
}

/// Searches for a row of the earlier table in its successor, as it is at one moment.
private struct RowSearch {
    let match: TableMatch
    let row: TableDifference.Locator
    let column: Int?

    /// Whether a name is that of the column that is looked at.
    func isColumn(_ name: String) -> Bool {
        guard let column else { return false }
        return match.columns[column].isCalled(name)
    }

    /// Nil when that cannot be determined, as while the table has different columns.
    func isFound(in table: TableKey, _ point: StatementPoint) -> Bool? {
        isFound(in: table, point, match.after, \.after) ?? isFound(in: table, point, match.before, \.before)
    }

    /// - Parameter side: the side whose column names are in use at the moment.
    private func isFound(
        in table: TableKey, _ point: StatementPoint, _ shape: Catalog.Table,
        _ side: KeyPath<TableMatch.ColumnPair, Catalog.Column>
    ) -> Bool? {
        let source = "\(point.beforeSchema).\(quotedName(match.before.name))"
        let one: String
        var conditions: [String]
        switch row {
        case .rowid(let rowid):
            one = "SELECT * FROM \(source) WHERE \(match.before.rowidName ?? "rowid") = \(rowid)"
            conditions =
                column == nil
                ? match.columns.map { sameValue($0, side) } : ["f.\(shape.rowidName ?? "rowid") = \(rowid)"]
        case .key(let values, let positions):
            let keys = positions.map { match.columns[$0] }
            let condition = zip(keys, values).map { pair, value in
                "\(quotedName(pair.before.name)) IS \(value.literal) COLLATE BINARY"
            }
            one = "SELECT * FROM \(source) WHERE \(condition.joined(separator: " AND ")) LIMIT 1"
            conditions = keys.map { sameValue($0, side) }
        case .ordinal(let ordinal, let positions):
            let keys = positions.map { match.columns[$0] }
            let order = keys.map { quotedName($0.before.name) + " COLLATE BINARY" }
            one =
                "SELECT * FROM \(source)"
                + (order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))")
                + " LIMIT 1 OFFSET \(ordinal)"
            conditions = keys.map { sameValue($0, side) }
        }
        if let column { conditions.append(sameValue(match.columns[column], side)) }
        let condition = conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
        return try? point.connection.firstRow(
            "SELECT EXISTS(SELECT 1 FROM \(quotedName(table.schema)).\(quotedName(table.name)) AS f, (\(one)) AS b WHERE \(condition))"
        ) { $0.integer(0) != 0 }
    }

    private func sameValue(
        _ pair: TableMatch.ColumnPair, _ side: KeyPath<TableMatch.ColumnPair, Catalog.Column>
    ) -> String {
        let (old, new) = ("b.\(quotedName(pair.before.name))", "f.\(quotedName(pair[keyPath: side].name))")
        return "\(new) IS \(old) COLLATE BINARY AND typeof(\(new)) = typeof(\(old))"
    }
}
