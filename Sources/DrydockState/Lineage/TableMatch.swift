import DrydockMigrations
import SQLiteSchema

/// A table before a step and its successor, column by column.
package struct TableMatch: Sendable {
    package struct ColumnPair: Sendable {
        package var before: Catalog.Column
        package var after: Catalog.Column
        /// Whether the rename is only inferred from a copying statement or from values, and must be confirmed by every
        /// value.
        package var isGuess = false
        /// Further candidates for the case that the values do not confirm the rename.
        var alternatives: [Catalog.Column] = []

        package init(
            before: Catalog.Column, after: Catalog.Column, isGuess: Bool = false,
            alternatives: [Catalog.Column] = []
        ) {
            self.before = before
            self.after = after
            self.isGuess = isGuess
            self.alternatives = alternatives
        }
    }

    package var before: Catalog.Table
    package var after: Catalog.Table
    /// Pairs whose values must be equal: at least one side stores them.
    package var columns: [ColumnPair]
    /// Pairs of columns that are generated on both sides.
    var derived: [ColumnPair] = []
    package var droppedColumns: [Catalog.Column]
    /// Whether a declaration that names the later table refers to this one: false where two tables swap their names.
    var answersToLaterName = true

    package init(
        before: Catalog.Table, after: Catalog.Table, columns: [ColumnPair], derived: [ColumnPair] = [],
        droppedColumns: [Catalog.Column]
    ) {
        self.before = before
        self.after = after
        self.columns = columns
        self.derived = derived
        self.droppedColumns = droppedColumns
    }
}

/// The pairs of tables before a step and after it.
package struct SchemaMatch: Sendable {
    package var pairs: [TableMatch] = []
    var dropped: [Catalog.Table] = []
    /// Renaming declarations that were needed.
    var usedDeclarations: Set<Declaration> = []

    /// - Parameter before: tables that store rows or an index are matched; the others are derived.
    package init(
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
                before: table, after: successor, lineage: lineage, declarations: declarations)
            usedDeclarations.formUnion(matching.usedDeclarations)
            pairs.append(
                TableMatch(
                    before: table, after: successor, columns: matching.pairs, derived: matching.derived,
                    droppedColumns: matching.dropped))
        }
        for index in pairs.indices {
            let later = pairs[index].after.name.foldedASCII
            pairs[index].answersToLaterName = !pairs.contains { other in
                other.before.name.foldedASCII == later && other.after.name.foldedASCII != later
            }
        }
    }

    /// Returns the table that took another's place.
    ///
    /// The name decides, since an app reads by name: a table created again under the old name is the successor even
    /// when the old table lives on as a backup, unless it stands for a different table. Otherwise the table itself is
    /// followed through ALTER, and where it was dropped, the table that took its name at that point.
    private static func successor(
        of table: Catalog.Table, _ after: Catalog, _ lineage: TableLineage, _ declarations: [Declaration]
    ) -> (Catalog.Table?, Declaration?) {
        let sameName = after.table(table.name)
        let takerName = lineage.heir(of: table.name)
        if sameName != nil && lineage[table.name]?.createdBy != nil || takerName != nil,
            let declaration = declarations.first(where: { $0.kind.isDrop(of: table.name) })
        {
            // Dropped as declared, and another table created under its name.
            return (nil, declaration)
        }
        let isAnothers = lineage.standsForAnother(
            table.name, columns: Set(table.columns.map(\.name.foldedASCII)))
        if let current = lineage.currentName(of: table.name) {
            if current == table.name.foldedASCII { return (sameName, nil) }
            if let sameName, lineage[table.name]?.origin == nil, !isAnothers { return (sameName, nil) }
            return (after.table(current) ?? sameName, nil)
        }
        if let takerName, let taker = after.table(takerName),
            sameName == nil || lineage[table.name]?.origin != nil || isAnothers
        {
            return (taker, nil)
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
        before: Catalog.Table, after: Catalog.Table, lineage: TableLineage, declarations: [Declaration]
    ) {
        var taken: Set<String> = []
        // ALTER comes first, since it may have given a column the former name of another.
        let (renamed, kept) = Self.byName(before, after, lineage)
        var target = renamed
        for column in renamed.values { taken.insert(column.name.foldedASCII) }
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
            // Dropped as declared, and another column created under its name.
            if lineage.dropStatement(ofColumn: folded, in: before.name) != nil,
                declarations.contains(where: { $0.kind.isDrop(of: folded, in: [before.name, after.name]) })
            {
                dropped.append(column)
                continue
            }
            if let renamed = target[folded] {
                add(.init(before: column, after: renamed))
            } else if let kept = kept[folded], taken.insert(kept.name.foldedASCII).inserted {
                add(.init(before: column, after: kept))
            } else {
                left.append(column)
            }
        }
        for column in left {
            let candidates = Self.copies(of: column, before, after, lineage).filter {
                !taken.contains($0.name.foldedASCII)
            }
            guard let guess = candidates.first else {
                dropped.append(column)
                continue
            }
            taken.insert(guess.name.foldedASCII)
            add(
                .init(
                    before: column, after: guess, isGuess: true,
                    alternatives: Array(candidates.dropFirst())))
        }
    }

    private mutating func add(_ pair: TableMatch.ColumnPair) {
        if pair.before.isGenerated, pair.after.isGenerated {
            derived.append(pair)
        } else {
            pairs.append(pair)
        }
    }

    /// Returns the columns that can be paired by name only, by folded name before the step: those that ALTER renamed,
    /// and those that kept their names.
    private static func byName(
        _ before: Catalog.Table, _ after: Catalog.Table, _ lineage: TableLineage
    ) -> (renamed: [String: Catalog.Column], kept: [String: Catalog.Column]) {
        var (renamed, kept): ([String: Catalog.Column], [String: Catalog.Column]) = ([:], [:])
        for column in after.columns {
            let folded = column.name.foldedASCII
            let first = lineage.nameBefore(ofColumn: folded, in: after.name, from: before.name)?.foldedASCII
            if let first, first != folded, before.column(first) != nil {
                renamed[first] = column
            } else {
                kept[folded] = column
            }
        }
        return (renamed, kept)
    }

    /// Returns the columns that copying statements filled from a column, by their column lists or by position.
    private static func copies(
        of column: Catalog.Column, _ before: Catalog.Table, _ after: Catalog.Table, _ lineage: TableLineage
    ) -> [Catalog.Column] {
        guard let made = lineage[after.name], made.origin != before.name.foldedASCII else { return [] }
        return after.storedColumns.filter { candidate in
            lineage.sources(ofColumn: candidate.name, in: after.name).contains {
                $0.column == column.name.foldedASCII
                    && lineage.incarnation($0.table)?.origin == before.name.foldedASCII
            }
        }
    }
}

extension Declaration.Kind {
    func isDrop(of table: String) -> Bool {
        if case .dropsTable(let name) = self { name.foldedASCII == table.foldedASCII } else { false }
    }

    /// - Parameter column: folded.
    func isDrop(of column: String, in tables: [String]) -> Bool {
        guard case .dropsColumn(let table, let name) = self else { return false }
        return name.foldedASCII == column && tables.contains { $0.foldedASCII == table.foldedASCII }
    }
}

extension TableMatch {
    /// Whether a name in a declaration refers to this table: the name before the step or after it.
    package func isCalled(_ name: String) -> Bool {
        before.name.foldedASCII == name.foldedASCII
            || answersToLaterName && after.name.foldedASCII == name.foldedASCII
    }
}

extension TableMatch.ColumnPair {
    package func isCalled(_ name: String) -> Bool {
        [before.name.foldedASCII, after.name.foldedASCII].contains(name.foldedASCII)
    }
}
