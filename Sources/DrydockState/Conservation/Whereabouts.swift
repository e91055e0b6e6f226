import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// Finds where the rows of tables that are gone went, and the values of columns that are gone.
struct Whereabouts {
    let connection: any Connection
    let moved: MovedData
    let declarations: [Declaration]

    /// Returns where the rows of a dropped table are; rows that a declaration allows to go are not searched for.
    func dropped(_ table: Catalog.Table) throws -> Conservation.DroppedTable {
        let place = "main.\(quotedName(table.name))"
        let count =
            try table.isContentless
            ? IndexComparison.documentCount(of: table, connection)
            : connection.count("SELECT count(*) FROM \(place)")
        var dropped = Conservation.DroppedTable(table: table, rowCount: count)
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
        let left = try? connection.count(
            "SELECT count(*) FROM \(place) WHERE NOT \(allowance.condition)")
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
        of facts: Conservation, in before: Catalog, _ lineage: TableLineage
    ) throws -> [Heir] {
        guard !facts.droppedTables.isEmpty || lineage.movesNamesOrRows else { return [] }
        let inheritance = moved.inheritance
        let replacements = inheritance.replacements(of: before.tables).filter { heir in
            // The rules compare such a pair by itself.
            !facts.kept.contains {
                $0.match.before.name == heir.before.name && $0.match.after.name == heir.after.name
            }
        }
        return try facts.droppedTables.flatMap { dropped -> [Heir] in
            let isDeclared = declarations.contains { $0.kind.isDrop(of: dropped.table.name) }
            // A table that lost rows is reported as such.
            guard isDeclared || dropped.home != nil || dropped.rowCount == 0 else { return [] }
            return try inheritance.heirs(
                of: dropped.table, home: dropped.home?.table, isDeclared ? .letGo : .dropped)
        } + replacements
    }

    /// Searches for the values of a table's dropped columns.
    func locateColumns(
        of pair: TableMatch, _ facts: inout Conservation, _ changes: PageChanges?
    ) throws {
        let search = DroppedValueSearch(connection: connection, after: moved.after, changes: changes)
        let table = pair.before
        for index in facts.droppedColumns.indices where facts.droppedColumns[index].table.name == table.name {
            let dropped = facts.droppedColumns[index]
            // Values that can be computed again may have been moved all the same.
            guard dropped.valueCount > 0 || dropped.basis?.gone.isEmpty == true, !table.isContentless,
                !dropped.column.isDropped(from: pair, declarations)
            else { continue }
            facts.droppedColumns[index].home = try moved.home(
                of: dropped.column, in: table, succeededBy: pair,
                allowing: Allowance(conditions: dropped.letGo))
            // A generated column's expression can fail on some row.
            if dropped.valueCount > 0, facts.droppedColumns[index].home == nil, dropped.twin == nil,
                !dropped.column.isGenerated
            {
                facts.droppedColumns[index].whereabouts = try search.columns(holding: dropped)
            }
        }
    }
}
