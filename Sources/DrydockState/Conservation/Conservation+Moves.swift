import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// What is missing from a table, and where it went.
extension Conservation {
    /// Records a dropped table and where its rows are; rows that a declaration allows to go are not searched for.
    func dropped(
        _ table: Catalog.Table, _ connection: any Connection, _ moved: MovedData,
        _ declarations: [Declaration]
    ) throws -> DroppedTable {
        let place = "main.\(quotedName(table.name))"
        let count =
            try table.isContentless
            ? IndexComparison.documentCount(of: table, connection)
            : Self.count(connection, "SELECT count(*) FROM \(place)")
        var dropped = DroppedTable(table: table, rowCount: count)
        if count == 0 || table.isContentless
            || declarations.contains(where: { $0.kind.isDrop(of: table.name) })
        {
            return dropped
        }
        dropped.home = try moved.home(of: table)
        if !dropped.isMoved { dropped.parts = try moved.parts(of: table) }
        let allowance = Allowance(of: table, declarations)
        guard !dropped.isMoved, !allowance.isEmpty else { return dropped }
        // A condition can fail on a row; then it allows nothing. One that matches every row does not allow the table to
        // go.
        let left = try? Self.count(
            connection, "SELECT count(*) FROM \(place) WHERE NOT \(allowance.condition)")
        guard let left, left > 0 else { return dropped }
        if let home = try moved.home(of: table, allowing: allowance) {
            dropped.home = home
            dropped.needsDeclarations = true
        }
        guard !dropped.isMoved else { return dropped }
        dropped.parts = try moved.parts(of: table, allowing: allowance)
        if !dropped.parts.isEmpty { dropped.needsDeclarations = true }
        return dropped
    }

    /// Returns the heirs of the tables that are gone or gave up their names.
    func heirs(
        in before: Catalog, _ lineage: TableLineage, _ moved: MovedData, _ declarations: [Declaration]
    ) throws -> [Heir] {
        guard !droppedTables.isEmpty || lineage.movesNamesOrRows else { return [] }
        let inheritance = moved.inheritance
        let replacements = inheritance.replacements(of: before.tables).filter { heir in
            // The rules compare such a pair by itself.
            !kept.contains {
                $0.match.before.name == heir.before.name && $0.match.after.name == heir.after.name
            }
        }
        return try droppedTables.flatMap { dropped -> [Heir] in
            let isDeclared = declarations.contains { $0.kind.isDrop(of: dropped.table.name) }
            // A table that lost rows is reported as such.
            guard isDeclared || dropped.home != nil || dropped.rowCount == 0 else { return [] }
            return try inheritance.heirs(
                of: dropped.table, home: dropped.home?.table, isDeclared ? .letGo : .dropped)
        } + replacements
    }

    /// Returns the declared conditions under which rows of a table may go, if every row that matches one is gone.
    func letGo(
        from pair: TableMatch, _ generated: GeneratedComparison, _ declarations: [Declaration]
    ) throws -> [String] {
        guard generated.difference.declaredLost > 0 else { return [] }
        let conditions = declarations.filter { $0.kind.isDeletion(from: pair) }.map(\.kind.condition)
        let allowance = Allowance(conditions: conditions)
        let sql = "SELECT count(*) FROM main.\(quotedName(pair.before.name)) WHERE \(allowance.condition)"
        do {
            let meeting = try Self.count(generated.connection, sql)
            return meeting == generated.difference.declaredLost ? conditions : []
        } catch let error as EngineError where error.isOfExpression {
            return []
        }
    }

    /// Returns the match without the next rename that is only inferred and filled NULLs, where another dropped column
    /// has all of its values in the same place: the two were merged, as by `coalesce`, and none was renamed.
    static func withoutMerged(
        _ pair: TableMatch, _ difference: TableDifference, _ connection: any Connection,
        _ declarations: [Declaration]
    ) throws -> TableMatch? {
        for (index, column) in pair.columns.enumerated() where column.isGuess {
            guard let changes = difference.changed[index], changes.overwrittenCount == 0 else { continue }
            var apart = pair
            apart.columns.remove(at: index)
            let search = TwinSearch(connection: connection, pair: apart, difference: difference)
            let isMerged = try pair.droppedColumns.contains {
                try !$0.isGenerated && !$0.isDropped(from: pair, declarations)
                    && search.twin(of: $0, only: column.after) != nil
            }
            guard isMerged else { continue }
            apart.droppedColumns.append(column.before)
            return apart
        }
        return nil
    }

    /// Searches for the values of a table's dropped columns.
    mutating func locate(
        in pair: TableMatch, _ connection: any Connection, _ after: Catalog, _ changes: PageChanges?,
        _ moved: MovedData, _ declarations: [Declaration]
    ) throws {
        let search = DroppedValueSearch(connection: connection, after: after, changes: changes)
        let table = pair.before
        for index in droppedColumns.indices where droppedColumns[index].table.name == table.name {
            let dropped = droppedColumns[index]
            // Values that can be computed again may have been moved all the same.
            guard dropped.valueCount > 0 || dropped.basis?.gone.isEmpty == true, !table.isContentless,
                !dropped.column.isDropped(from: pair, declarations)
            else { continue }
            droppedColumns[index].home = try moved.home(
                of: dropped.column, in: table, succeededBy: pair,
                allowing: Allowance(conditions: dropped.letGo))
            // A generated column's expression can fail on some row.
            if dropped.valueCount > 0, droppedColumns[index].home == nil, dropped.twin == nil,
                !dropped.column.isGenerated
            {
                droppedColumns[index].whereabouts = try search.columns(holding: dropped)
            }
        }
    }

    /// Whether something is lost in these states that was not lost before.
    func loses(more rest: Conservation) -> Bool {
        kept.dropFirst(rest.kept.count).contains {
            $0.difference.lost.count > 0 || !$0.difference.changed.isEmpty
        }
            || droppedColumns.dropFirst(rest.droppedColumns.count).contains {
                $0.valueCount > 0 && $0.home == nil
            }
    }
}

/// What declarations allow a table to lose.
struct Allowance: Sendable {
    /// Rows that match one of these conditions may go.
    var conditions: [String] = []
    /// Values of these columns may go (folded); nil stands for all columns.
    var columns: Set<String?> = []

    init(conditions: [String]) { self.conditions = conditions }

    init(of table: Catalog.Table, _ declarations: [Declaration]) {
        for declaration in declarations {
            switch declaration.kind {
            case .deletes(let name, _) where name.foldedASCII == table.name.foldedASCII:
                conditions.append(declaration.kind.condition)
            case .rewrites(let name, let column) where name.foldedASCII == table.name.foldedASCII:
                columns.insert(column?.foldedASCII)
            default: break
            }
        }
    }

    static let nothing = Allowance(conditions: [])

    var isEmpty: Bool { conditions.isEmpty && columns.isEmpty }

    /// True of a row that may go.
    var condition: String {
        conditions.isEmpty
            ? "0" : "(" + conditions.map { "coalesce((\($0)), 0)" }.joined(separator: " OR ") + ")"
    }

    func rewrites(_ column: Catalog.Column) -> Bool {
        columns.contains(nil) && column.keyPosition == 0 || columns.contains(column.name.foldedASCII)
    }
}

extension Catalog.Column {
    /// Whether a declaration lets the column of a table go.
    func isDropped(from pair: TableMatch, _ declarations: [Declaration]) -> Bool {
        declarations.contains {
            $0.kind.isDrop(of: name.foldedASCII, in: [pair.before.name, pair.after.name])
        }
    }
}
