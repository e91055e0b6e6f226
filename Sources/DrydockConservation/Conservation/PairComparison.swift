import DrydockState
import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// Compares a table with what became of it in a step: its rows, its columns, and the columns that are gone.
struct PairComparison {
    let connection: any Connection
    let encoding: TextEncoding
    /// What the pages say; nil where they are not known.
    let pages: PageConservation?
    let ledger: Ledger
    let lineage: TableLineage
    let declarations: [Declaration]

    /// Adds what became of a table's rows and columns to the facts.
    func compare(_ pair: TableMatch, _ facts: inout Conservation) throws {
        if pair.before.isContentless { return try compareIndex(pair, &facts) }
        var pair = pair
        var difference = try readableDifference(of: &pair, &facts)
        while let next = try withoutRefuted(pair, difference) {
            pair = next
            difference = try readableDifference(of: &pair, &facts)
        }
        var equalColumns: [String: String] = [:]
        for column in pair.droppedColumns
        where !column.isGenerated && !column.isDropped(from: pair, declarations) {
            let search = EqualColumnSearch(connection: connection, pair: pair, difference: difference)
            guard let equalColumn = try search.equalColumn(of: column) else { continue }
            guard ledger.isGiven(column, of: pair.before, to: equalColumn, of: pair.after) else {
                equalColumns[column.name] = equalColumn.name
                continue
            }
            pair.columns.append(.init(before: column, after: equalColumn, isGuess: true))
            pair.droppedColumns.removeAll { $0.name == column.name }
            difference = try readableDifference(of: &pair, &facts)
        }
        while let merged = try withoutMerged(pair, difference) {
            pair = merged
            difference = try readableDifference(of: &pair, &facts)
        }
        let generated = GeneratedComparison(
            connection: connection, match: pair, difference: difference,
            rewritable: rewritable(in: pair), encoding: encoding)
        for column in pair.droppedColumns {
            facts.droppedColumns.append(
                try dropped(column, from: pair, generated, equalColumn: equalColumns[column.name], &facts))
        }
        var result = Conservation.Kept(match: pair, difference: difference, derived: try generated.derived())
        if difference.added.count > 0 {
            let sql = "SELECT NOT EXISTS (SELECT 1 FROM main.\(quotedName(pair.before.name)))"
            result.wasEmpty = try connection.count(sql) == 1
        }
        facts.kept.append(result)
    }

    /// Compares a full-text table that stores no text.
    private func compareIndex(_ pair: TableMatch, _ facts: inout Conservation) throws {
        let verdict = try pages?.verdict(on: pair, rewritable: [], hasConditions: false)
        if case .untouched = verdict {
            facts.untouchedCount += 1
            return facts.kept.append(.init(match: pair, difference: TableDifference()))
        }
        let deletions = declarations.filter { $0.kind.isDeletion(from: pair) }
        let outcome = try IndexComparison(
            connection: connection, match: pair, deletable: deletions.map(\.kind.condition),
            encoding: encoding
        ).run()
        facts.usedDeclarations.formUnion(outcome.difference.usedConditions.map { deletions[$0] })
        if let failure = outcome.failure { facts.unsettled.append((pair, failure)) }
        for column in pair.droppedColumns {
            let count = try FullTextIndex(pair.before, in: "main", connection)?.valueCount(of: column) ?? 0
            facts.droppedColumns.append(.init(table: pair.before, column: column, valueCount: count))
        }
        facts.kept.append(.init(match: pair, difference: outcome.difference))
    }

    // MARK: - Rows

    /// Compares a table with its successor. Columns whose expression fails on some row are compared row by row, and
    /// come last among the pair's columns.
    private func readableDifference(
        of pair: inout TableMatch, _ facts: inout Conservation
    ) throws -> TableDifference {
        do {
            return try difference(of: pair, &facts)
        } catch let error as EngineError where error.isOfExpression {
            let failing = try pair.columns.filter { column in
                guard column.before.isGenerated || column.after.isGenerated else { return false }
                let comparison = GeneratedComparison(connection: connection, match: pair, encoding: encoding)
                return try !comparison.isReadable(column)
            }
            guard !failing.isEmpty else { throw error }
            pair.columns.removeAll { column in failing.contains { $0.before.name == column.before.name } }
            var difference = try difference(of: pair, &facts)
            let comparison = GeneratedComparison(connection: connection, match: pair, encoding: encoding)
            for column in failing {
                let (changes, failure) = try comparison.changes(of: column)
                if changes.count > 0 { difference.changed[pair.columns.count] = changes }
                if let failure { facts.unsettled.append((pair, failure)) }
                pair.columns.append(column)
            }
            if difference.keyColumns.isEmpty { difference.keyColumns = comparison.keyColumns }
            return difference
        }
    }

    private func difference(
        of pair: TableMatch, _ facts: inout Conservation
    ) throws -> TableDifference {
        let deletions = declarations.filter { $0.kind.isDeletion(from: pair) }
        let rewritable = rewritable(in: pair)
        switch try pages?.verdict(on: pair, rewritable: rewritable, hasConditions: !deletions.isEmpty) {
        case .untouched:
            facts.untouchedCount += 1
            return TableDifference()
        case .compared(let difference): return difference
        case .undecided, nil: break
        }
        var comparison = TableComparison(
            connection: connection, match: pair, rewritable: rewritable, encoding: encoding,
            deletable: deletions.map(\.kind.condition))
        do {
            let difference = try comparison.run()
            facts.usedDeclarations.formUnion(difference.usedConditions.map { deletions[$0] })
            return difference
        } catch let error as EngineError
            where !deletions.isEmpty && !error.isInterrupt && !error.isCorruption && !error.isOutage
        {
            // A condition can fail on a row; then it allows nothing.
            comparison.deletable = []
            let difference = try comparison.run()
            facts.failedConditions += deletions.map { ($0, error) }
            return difference
        }
    }

    /// Returns the positions of the columns whose values declarations let change.
    private func rewritable(in pair: TableMatch) -> Set<Int> {
        var positions: Set<Int> = []
        for declaration in declarations {
            guard case .rewrites(let table, let column) = declaration.kind, pair.isCalled(table) else {
                continue
            }
            positions.formUnion(
                pair.columns.indices.filter { index in
                    // The rows of a whole table can still be identified by their key.
                    guard let column else { return pair.columns[index].before.keyPosition == 0 }
                    return pair.columns[index].isCalled(column)
                })
        }
        return positions
    }

    // MARK: - Renames that are inferred

    /// Checks every value of a rename that is only inferred from a copying statement. Returns the match with the next
    /// candidate, or without one, where a value differs; nil where all are equal. NULLs may have been filled, as by
    /// `coalesce`, if at least one value was kept.
    private func withoutRefuted(
        _ pair: TableMatch, _ difference: TableDifference
    ) throws -> TableMatch? {
        var next = pair
        var isRefuted = false
        for index in pair.columns.indices.reversed() where pair.columns[index].isGuess {
            let column = pair.columns[index].before
            let generated = GeneratedComparison(connection: connection, match: pair)
            if let changes = difference.changed[index] {
                if changes.overwrittenCount == 0, try generated.valueCount(of: column).values > 0 { continue }
            } else if difference.lost.count == 0 || difference.keyPositions != nil {
                continue
            } else if try generated.valueCount(of: column).values > 0 {
                // Rows without a key cannot show that a column was renamed, and an empty column proves nothing.
                continue
            }
            isRefuted = true
            let taken = Set(next.columns.map(\.after.name.foldedASCII))
            let others = pair.columns[index].alternatives.filter { !taken.contains($0.name.foldedASCII) }
            if let other = others.first {
                next.columns[index].after = other
                next.columns[index].alternatives = Array(others.dropFirst())
            } else {
                next.columns.remove(at: index)
                next.droppedColumns.append(column)
            }
        }
        return isRefuted ? next : nil
    }

    /// Returns the match without the next rename that is only inferred and filled NULLs, where another dropped column
    /// has all of its values in the same place: the two were merged, as by `coalesce`, and none was renamed.
    private func withoutMerged(
        _ pair: TableMatch, _ difference: TableDifference
    ) throws -> TableMatch? {
        for (index, column) in pair.columns.enumerated() where column.isGuess {
            guard let changes = difference.changed[index], changes.overwrittenCount == 0 else { continue }
            var apart = pair
            apart.columns.remove(at: index)
            let search = EqualColumnSearch(connection: connection, pair: apart, difference: difference)
            let isMerged = try pair.droppedColumns.contains {
                try !$0.isGenerated && !$0.isDropped(from: pair, declarations)
                    && search.equalColumn(of: $0, only: column.after) != nil
            }
            guard isMerged else { continue }
            apart.droppedColumns.append(column.before)
            return apart
        }
        return nil
    }

    // MARK: - Columns that are gone

    private func dropped(
        _ column: Catalog.Column, from pair: TableMatch, _ generated: GeneratedComparison,
        equalColumn: String?,
        _ facts: inout Conservation
    ) throws -> Conservation.DroppedColumn {
        var dropped = Conservation.DroppedColumn(
            table: pair.before, column: column, valueCount: 0, equalColumn: equalColumn)
        if column.isGenerated {
            let basis = try generated.basis(of: column)
            dropped.basis = basis
            if basis.gone.isEmpty { return dropped }
        }
        let allowance = try Allowance(of: pair.before, now: pair.after, declarations)
            .after(generated.difference, of: pair.before, connection)
        dropped.letGo = allowance.lostCount == nil ? allowance.conditions : []
        let counted = try generated.valueCount(of: column, exceptWhere: dropped.letGo)
        dropped.valueCount = counted.values
        if let failure = counted.failure { facts.unsettled.append((pair, failure)) }
        if column.isGenerated, counted.failure == nil, !column.isDropped(from: pair, declarations) {
            let search = EqualColumnSearch(
                connection: generated.connection, pair: pair, difference: generated.difference)
            dropped.equalColumn = try search.equalColumn(of: column)?.name
        }
        return dropped
    }
}
