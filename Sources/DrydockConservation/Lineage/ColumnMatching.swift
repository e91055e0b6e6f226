import DrydockState
import DrydockMigrations
import SQLiteSchema

/// Pairs the columns of a table with those of its successor.
struct ColumnMatching {
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
            let first = lineage.columns.nameBefore(ofColumn: folded, in: after.name, from: before.name)?
                .foldedASCII
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
            lineage.columns.sources(ofColumn: candidate.name, in: after.name).contains {
                $0.column == column.name.foldedASCII
                    && lineage.trackedTable($0.table)?.origin == before.name.foldedASCII
            }
        }
    }
}
