import SQLiteSchema

/// A table before a step and the one that took its place, column by column.
struct TableMatch: Sendable {
    struct ColumnPair: Sendable {
        var before: Catalog.Column
        var after: Catalog.Column
        /// The rename follows from a copying statement alone, so the values must bear it out.
        var isGuess = false
    }

    var before: Catalog.Table
    var after: Catalog.Table
    /// Those whose values must be the same: at least one side stores them.
    var columns: [ColumnPair]
    /// Those that are generated on both sides.
    var derived: [ColumnPair] = []
    var droppedColumns: [Catalog.Column]
}

/// How the tables before a step correspond to those after it.
struct SchemaMatch: Sendable {
    var pairs: [TableMatch] = []
    var dropped: [Catalog.Table] = []
    /// Renaming declarations that were needed.
    var usedDeclarations: Set<Declaration> = []

    /// - Parameter before: tables that keep rows or an index of their own are matched; the others are derived.
    init(
        before: Catalog, after: Catalog, lineage: TableLineage, declarations: [Declaration]
    ) {
        for table in before.tables.values.sorted(by: { $0.name < $1.name })
        where table.keepsRows || table.isContentless {
            let (successor, declaration) = Self.successor(of: table, after, lineage, declarations)
            if let declaration { usedDeclarations.insert(declaration) }
            guard let successor else {
                dropped.append(table)
                continue
            }
            let matching = ColumnMatching(
                before: table, after: successor, incarnation: lineage[successor.name],
                declarations: declarations,
                wasDropped: { lineage.dropStatement(ofColumn: $0, in: table.name) != nil })
            usedDeclarations.formUnion(matching.usedDeclarations)
            pairs.append(
                TableMatch(
                    before: table, after: successor, columns: matching.pairs, derived: matching.derived,
                    droppedColumns: matching.dropped))
        }
    }

    /// The table that took another's place.
    ///
    /// The name counts, since an app reads by name: a table made anew under the old name is the successor
    /// even when the old one lives on as a backup. Otherwise the table itself is followed through ALTER.
    private static func successor(
        of table: Catalog.Table, _ after: Catalog, _ lineage: TableLineage, _ declarations: [Declaration]
    ) -> (Catalog.Table?, Declaration?) {
        let sameName = after.table(table.name)
        if sameName != nil, lineage[table.name]?.createdBy != nil,
            let declaration = declarations.first(where: { $0.kind.isDrop(of: table.name) })
        {
            // Dropped as declared, and another made under its name.
            return (nil, declaration)
        }
        if let current = lineage.currentName(of: table.name) {
            if current == table.name.foldedASCII { return (sameName, nil) }
            if let sameName, lineage[table.name]?.origin == nil { return (sameName, nil) }
            return (after.table(current) ?? sameName, nil)
        }
        if let sameName { return (sameName, nil) }
        for declaration in declarations {
            guard case .renamesTable(let from, let to) = declaration.kind,
                from.foldedASCII == table.name.foldedASCII
            else { continue }
            return (after.table(to), declaration)
        }
        return (nil, nil)
    }
}

/// Pairs the columns of a table with those of its successor.
private struct ColumnMatching {
    private(set) var pairs: [TableMatch.ColumnPair] = []
    private(set) var derived: [TableMatch.ColumnPair] = []
    private(set) var dropped: [Catalog.Column] = []
    private(set) var usedDeclarations: Set<Declaration> = []

    init(
        before: Catalog.Table, after: Catalog.Table, incarnation: TableLineage.Incarnation?,
        declarations: [Declaration], wasDropped: (String) -> Bool
    ) {
        let followsIdentity = incarnation?.origin == before.name.foldedASCII
        var taken: Set<String> = []
        // First what ALTER says, since it may have given a column another one's old name.
        var target: [String: Catalog.Column] = [:]
        if followsIdentity, let incarnation {
            for column in after.columns {
                let first = incarnation.firstName(column.name).foldedASCII
                guard first != column.name.foldedASCII, before.column(first) != nil else { continue }
                target[first] = column
                taken.insert(column.name.foldedASCII)
            }
        }
        for declaration in declarations {
            guard case .renamesColumn(let table, let from, let to) = declaration.kind,
                [before.name.foldedASCII, after.name.foldedASCII].contains(table.foldedASCII),
                target[from.foldedASCII] == nil, before.column(from) != nil, let column = after.column(to),
                !taken.contains(column.name.foldedASCII)
            else { continue }
            target[from.foldedASCII] = column
            taken.insert(column.name.foldedASCII)
            usedDeclarations.insert(declaration)
        }
        var left: [Catalog.Column] = []
        for column in before.columns {
            let folded = column.name.foldedASCII
            // Dropped as declared, and another made under its name.
            if wasDropped(folded),
                declarations.contains(where: { $0.kind.isDrop(of: folded, in: [before.name, after.name]) })
            {
                dropped.append(column)
                continue
            }
            if let renamed = target[folded] {
                add(.init(before: column, after: renamed))
            } else if let kept = after.column(folded), taken.insert(folded).inserted {
                add(.init(before: column, after: kept))
            } else {
                left.append(column)
            }
        }
        for column in left {
            guard !followsIdentity,
                let guess = Self.copiedTo(column, before, after, incarnation),
                before.column(guess.name) == nil, taken.insert(guess.name.foldedASCII).inserted
            else {
                dropped.append(column)
                continue
            }
            add(.init(before: column, after: guess, isGuess: true))
        }
    }

    private mutating func add(_ pair: TableMatch.ColumnPair) {
        if pair.before.isGenerated, pair.after.isGenerated { derived.append(pair) } else { pairs.append(pair) }
    }

    /// The column that a copying statement filled from another, by its column list or by position.
    private static func copiedTo(
        _ column: Catalog.Column, _ before: Catalog.Table, _ after: Catalog.Table,
        _ incarnation: TableLineage.Incarnation?
    ) -> Catalog.Column? {
        for copy in incarnation?.copies ?? [] where copy.origin == before.name.foldedASCII {
            let columns = copy.columns ?? after.storedColumns.map(\.name)
            let items = copy.items.flatMap { item in
                // A star has the generated columns too.
                item == .star ? before.columns.map { .column($0.name.foldedASCII) } : [item]
            }
            for (name, item) in zip(columns, items) where item == .column(column.name.foldedASCII) {
                let current = after.storedColumns.first {
                    incarnation?.firstName($0.name).foldedASCII == name.foldedASCII
                }
                if let current { return current }
            }
        }
        return nil
    }
}

extension Declaration.Kind {
    fileprivate func isDrop(of table: String) -> Bool {
        if case .dropsTable(let name) = self { name.foldedASCII == table.foldedASCII } else { false }
    }

    /// - Parameter column: folded.
    fileprivate func isDrop(of column: String, in tables: [String]) -> Bool {
        guard case .dropsColumn(let table, let name) = self else { return false }
        return name.foldedASCII == column && tables.contains { $0.foldedASCII == table.foldedASCII }
    }
}
