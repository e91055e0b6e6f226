import DrydockState
import DrydockMigrations
import SQLiteSchema

/// The pairs of tables before a step and after it.
package struct SchemaMatch: Sendable {
    package var pairs: [TableMatch] = []
    var dropped: [Catalog.Table] = []
    /// Renaming declarations that were needed.
    var usedDeclarations: Set<Declaration> = []

    /// - Parameters:
    ///   - before: tables that store rows or an index are matched; the others are derived.
    ///   - provenance: read where a table was renamed and its name given to another; nil for what the lineage knows.
    package init(
        before: Catalog, after: Catalog, lineage: TableLineage, declarations: [Declaration],
        provenance: (() -> Provenance)? = nil
    ) {
        let provenance = provenance ?? { Provenance(start: lineage.atStart, end: lineage) }
        for table in before.tables.values.sorted(by: { $0.name < $1.name })
        where table.keepsRows || table.isContentless {
            let (successor, declaration) = Self.successor(
                of: table, after, lineage, declarations, provenance)
            if let declaration { usedDeclarations.insert(declaration) }
            guard let successor else {
                dropped.append(table)
                continue
            }
            let matching = ColumnMatching(
                before: table, after: successor, lineage: lineage, declarations: declarations)
            usedDeclarations.formUnion(matching.usedDeclarations)
            pairs.append(
                TableMatch(
                    before: table, after: successor, columns: matching.pairs, derived: matching.derived,
                    droppedColumns: matching.dropped))
        }
        let givenUp = Set(
            pairs.filter { $0.before.name.foldedASCII != $0.after.name.foldedASCII }.map(
                \.before.name.foldedASCII))
        for index in pairs.indices {
            pairs[index].answersToLaterName = !givenUp.contains(pairs[index].after.name.foldedASCII)
        }
    }

    /// Returns the table that took another's place.
    ///
    /// The name decides, since an app reads by name: a table created again under the old name is the successor even
    /// when the old table lives on as a backup, unless it stands for a different table, or got no row of the old one.
    /// Otherwise the table itself is followed through ALTER, and where it was dropped, the table that took its name at
    /// that point.
    private static func successor(
        of table: Catalog.Table, _ after: Catalog, _ lineage: TableLineage, _ declarations: [Declaration],
        _ provenance: () -> Provenance
    ) -> (Catalog.Table?, Declaration?) {
        let sameName = after.table(table.name)
        let takerName = lineage.successor(of: table.name)
        if sameName != nil && lineage[table.name]?.createdBy != nil || takerName != nil,
            let declaration = declarations.first(where: { $0.kind.isDrop(of: table.name) })
        {
            // Dropped as declared, and another table created under its name.
            return (nil, declaration)
        }
        let isAnothers = lineage.standsForAnother(
            table.name, columns: Set(table.columns.map(\.name.foldedASCII)))
        if let current = lineage.currentName(of: table.name) {
            if current == table.name.foldedASCII {
                // Where the statements are not known, what it became is only declared.
                return sameName.map { ($0, nil) } ?? declared(table, after, declarations)
            }
            let renamed = after.table(current)
            guard let sameName, lineage[table.name]?.origin == nil, !isAnothers else {
                return (renamed ?? sameName, nil)
            }
            guard let renamed else { return (sameName, nil) }
            if let declaration = declarations.first(where: { $0.kind.isRename(of: table.name, to: current) })
            {
                return (renamed, declaration)
            }
            return (provenance().hasRows(of: table.name, in: sameName.name) ? sameName : renamed, nil)
        }
        if let takerName, let taker = after.table(takerName),
            sameName == nil || lineage[table.name]?.origin != nil || isAnothers
        {
            return (taker, nil)
        }
        if let sameName { return (sameName, nil) }
        return declared(table, after, declarations)
    }

    /// Returns the table that another was renamed to, as a declaration says.
    private static func declared(
        _ table: Catalog.Table, _ after: Catalog, _ declarations: [Declaration]
    ) -> (Catalog.Table?, Declaration?) {
        for declaration in declarations {
            guard case .renamesTable(let from, let to) = declaration.kind,
                from.foldedASCII == table.name.foldedASCII
            else { continue }
            return (after.table(to), declaration)
        }
        return (nil, nil)
    }
}

extension Declaration.Kind {
    func isDrop(of table: String) -> Bool {
        if case .dropsTable(let name) = self { name.foldedASCII == table.foldedASCII } else { false }
    }

    package func isRename(of table: String, to other: String) -> Bool {
        guard case .renamesTable(let from, let to) = self else { return false }
        return from.foldedASCII == table.foldedASCII && to.foldedASCII == other.foldedASCII
    }

    /// - Parameter column: folded.
    func isDrop(of column: String, in tables: [String]) -> Bool {
        guard case .dropsColumn(let table, let name) = self else { return false }
        return name.foldedASCII == column && tables.contains { $0.foldedASCII == table.foldedASCII }
    }
}
