import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// The differences of every table, row and value in one step: facts, before any rule judges them.
package struct Conservation: Sendable {
    package struct Kept: Sendable {
        package var match: TableMatch
        package var difference: TableDifference
        /// Whether the table had no rows before the step; only known where rows were added.
        package var wasEmpty = false
        /// Generated columns with a different expression than before.
        package var derived: Derived?
    }

    /// The compared values of columns that were generated and still are.
    package struct Derived: Sendable {
        package var match: TableMatch
        package var difference: TableDifference
        /// Columns whose old values cannot be computed again, since the columns they were computed from are gone;
        /// folded.
        package var irrecoverable: Set<String>
    }

    package struct DroppedTable: Sendable {
        package var table: Catalog.Table
        package var rowCount: Int
        /// Whether ``home`` lacks rows that declarations allow to go.
        package var needsDeclarations = false
        /// The table that has all of its rows after the step.
        package var home: MovedData.Home?
        /// The tables that have all of its rows between them, where none has them all.
        package var parts: [MovedData.Home] = []
        /// The rows that ``homes`` have, but not for this table and for others whose rows are there too.
        package var crowding: Crowding?

        /// The tables that have its rows, each with the same columns.
        package var homes: [MovedData.Home] { home.map { [$0] } ?? parts }

        /// Whether no row is missing.
        var isMoved: Bool { home?.missing.isEmpty == true || !parts.isEmpty }
    }

    /// Tables that lack rows to have those of several.
    package struct Crowding: Sendable {
        package var homes: [Catalog.Table]
        /// The other tables with the same rows.
        package var others: [String]
        package var missing: Int
    }

    package struct DroppedColumn: Sendable {
        package var table: Catalog.Table
        package var column: Catalog.Column
        /// The number of rows with a value other than NULL; 0 where ``basis`` is whole.
        package var valueCount: Int
        /// The columns from which a generated column was computed; nil for an ordinary column.
        package var basis: Basis?
        /// A new column with all of its values, though no statement copied them there.
        package var twin: String?
        /// The column of another table, as TABLE.COLUMN, that has all of its values with the keys of their rows.
        package var home: String?
        /// Declared conditions: every row that matches one is gone, and its value with it.
        var letGo: [String] = []
        /// Columns of the state after, as TABLE.COLUMN, that have all of its values, in any rows.
        package var whereabouts: [String] = []
    }

    /// The ordinary columns that a generated column was computed from.
    package struct Basis: Sendable {
        package var sources: [String]
        /// Those of the columns that are gone or have different values now.
        package var gone: [String]
    }

    package var kept: [Kept] = []
    package var droppedTables: [DroppedTable] = []
    package var droppedColumns: [DroppedColumn] = []
    /// The tables that have the places of tables which are gone, or which gave up their names.
    package var heirs: [Heir] = []
    package var usedDeclarations: Set<Declaration> = []
    /// Declared conditions that failed on a row, with the error.
    package var failedConditions: [(Declaration, EngineError)] = []
    /// The number of tables without a changed page.
    package var untouchedCount = 0
    var encoding = TextEncoding.utf8
    /// Tables that could not be compared, with the reasons.
    package var notCompared: [(match: TableMatch, error: EngineError)] = []
    /// Values that could not be compared, with a description.
    package var unsettled: [(match: TableMatch, reason: String)] = []

    /// The renamed columns, by folded name of their table before the step.
    package var renamedColumns: [String: [String: String]] {
        kept.reduce(into: [:]) { names, kept in
            for pair in kept.match.columns + kept.match.derived
            where pair.before.name.foldedASCII != pair.after.name.foldedASCII {
                names[kept.match.before.name.foldedASCII, default: [:]][pair.before.name.foldedASCII] =
                    pair.after.name.foldedASCII
            }
        }
    }

    /// The rows of tables that remain, and of those that are gone and whose rows were found.
    package var rowsCompared: Int {
        kept.reduce(0) { $0 + $1.difference.rowsCompared }
            + droppedTables.reduce(0) { $0 + ($1.isMoved ? $1.rowCount : 0) }
    }
}

extension Conservation {
    /// Compares two states through a connection with the earlier one as `main` and the later one attached.
    ///
    /// - Parameters:
    ///   - changes: what the pages say, where it is known.
    ///   - provenance: read where a table or column is gone; nil for what the lineage knows.
    package init(
        connection: any Connection, before: Catalog, after: Catalog, changes: PageChanges? = nil,
        lineage: TableLineage, declarations: [Declaration], provenance: (() -> Provenance)? = nil
    ) throws {
        encoding = before.encoding
        let pages = changes.map {
            PageConservation(changes: $0, connection: connection, encoding: before.encoding)
        }
        let match = SchemaMatch(
            before: before, after: after, lineage: lineage, declarations: declarations, provenance: provenance
        )
        usedDeclarations = match.usedDeclarations
        let moved = MovedData(
            connection: connection, after: after,
            provenance: provenance ?? { Provenance(start: lineage.atStart, end: lineage) })
        for table in match.dropped {
            droppedTables.append(try dropped(table, connection, moved, declarations))
        }
        for pair in match.pairs {
            do {
                // A copy for each table would make the cost grow with the square of their number.
                let rest = lineage.currentName(of: pair.before.name) == nil ? self : nil
                try compare(pair, connection, pages, moved, declarations, lineage)
                try locate(in: kept.last?.match ?? pair, connection, after, changes, moved, declarations)
                guard let rest, loses(more: rest) else { continue }
                // Another table may only have taken its name.
                guard moved.isReplaced(pair.before, by: pair.after) else { continue }
                let dropped = try dropped(pair.before, connection, moved, declarations)
                if dropped.isMoved {
                    self = rest
                    droppedTables.append(dropped)
                }
            } catch let error as EngineError
                where !error.isInterrupt && (!error.isCorruption || error.isCorruptionOfModule)
            {
                notCompared.append((pair, error))
            }
        }
        try settleSharedHomes(connection, moved, declarations)
        heirs = try heirs(in: before, lineage, moved, declarations)
    }

    mutating func compare(
        _ pair: TableMatch, _ connection: any Connection, _ pages: PageConservation?, _ moved: MovedData,
        _ declarations: [Declaration], _ lineage: TableLineage
    ) throws {
        if pair.before.isContentless {
            return try compareIndex(pair, connection, pages, declarations)
        }
        var pair = pair
        var difference = try readableDifference(of: &pair, connection, pages, declarations)
        while let next = try Self.withoutRefuted(pair, difference, connection) {
            pair = next
            difference = try readableDifference(of: &pair, connection, pages, declarations)
        }
        var twins: [String: String] = [:]
        for column in pair.droppedColumns
        where !column.isGenerated && !column.isDropped(from: pair, declarations) {
            let search = TwinSearch(connection: connection, pair: pair, difference: difference)
            guard let twin = try search.twin(of: column) else { continue }
            guard
                lineage.areMentionedTogether(column.name, twin.name)
                    || moved.isCopied(column, of: pair.before, to: twin, of: pair.after)
            else {
                twins[column.name] = twin.name
                continue
            }
            pair.columns.append(.init(before: column, after: twin, isGuess: true))
            pair.droppedColumns.removeAll { $0.name == column.name }
            difference = try readableDifference(of: &pair, connection, pages, declarations)
        }
        while let merged = try Self.withoutMerged(pair, difference, connection, declarations) {
            pair = merged
            difference = try readableDifference(of: &pair, connection, pages, declarations)
        }
        let generated = GeneratedComparison(
            connection: connection, match: pair, difference: difference,
            rewritable: Self.rewritable(in: pair, declarations), encoding: encoding)
        for column in pair.droppedColumns {
            droppedColumns.append(
                try dropped(column, from: pair, generated, twin: twins[column.name], declarations))
        }
        var result = Kept(match: pair, difference: difference, derived: try generated.derived())
        if difference.added.count > 0 {
            let sql = "SELECT NOT EXISTS (SELECT 1 FROM main.\(quotedName(pair.before.name)))"
            result.wasEmpty = try Self.count(connection, sql) == 1
        }
        kept.append(result)
    }

    /// Compares a full-text table that stores no text.
    private mutating func compareIndex(
        _ pair: TableMatch, _ connection: any Connection, _ pages: PageConservation?,
        _ declarations: [Declaration]
    ) throws {
        let verdict = try pages?.verdict(on: pair, rewritable: [], hasConditions: false)
        if case .untouched = verdict {
            untouchedCount += 1
            return kept.append(Kept(match: pair, difference: TableDifference()))
        }
        let deletions = declarations.filter { $0.kind.isDeletion(from: pair) }
        let outcome = try IndexComparison(
            connection: connection, match: pair, deletable: deletions.map(\.kind.condition),
            encoding: encoding
        ).run()
        usedDeclarations.formUnion(outcome.difference.usedConditions.map { deletions[$0] })
        if let failure = outcome.failure { unsettled.append((pair, failure)) }
        for column in pair.droppedColumns {
            let count = try FullTextIndex(pair.before, in: "main", connection)?.valueCount(of: column) ?? 0
            droppedColumns.append(DroppedColumn(table: pair.before, column: column, valueCount: count))
        }
        kept.append(Kept(match: pair, difference: outcome.difference))
    }

    private mutating func dropped(
        _ column: Catalog.Column, from pair: TableMatch, _ generated: GeneratedComparison, twin: String?,
        _ declarations: [Declaration]
    ) throws -> DroppedColumn {
        var dropped = DroppedColumn(table: pair.before, column: column, valueCount: 0, twin: twin)
        if column.isGenerated {
            let basis = try generated.basis(of: column)
            dropped.basis = basis
            if basis.gone.isEmpty { return dropped }
        }
        dropped.letGo = try letGo(from: pair, generated, declarations)
        let counted = try generated.valueCount(of: column, exceptWhere: dropped.letGo)
        dropped.valueCount = counted.values
        if let failure = counted.failure { unsettled.append((pair, failure)) }
        if column.isGenerated, counted.failure == nil, !column.isDropped(from: pair, declarations) {
            let search = TwinSearch(
                connection: generated.connection, pair: pair, difference: generated.difference)
            dropped.twin = try search.twin(of: column)?.name
        }
        return dropped
    }

    /// Checks every value of a rename that is only inferred from a copying statement. Returns the match with the next
    /// candidate, or without one, where a value differs; nil where all are equal. NULLs may have been filled, as by
    /// `coalesce`, if at least one value was kept.
    private static func withoutRefuted(
        _ pair: TableMatch, _ difference: TableDifference, _ connection: any Connection
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

    /// Compares a table with its successor. Columns whose expression fails on some row are compared row by row, and
    /// come last among the pair's columns.
    private mutating func readableDifference(
        of pair: inout TableMatch, _ connection: any Connection, _ pages: PageConservation?,
        _ declarations: [Declaration]
    ) throws -> TableDifference {
        do {
            return try difference(of: pair, connection, pages, declarations)
        } catch let error as EngineError where error.isOfExpression {
            let failing = try pair.columns.filter { column in
                guard column.before.isGenerated || column.after.isGenerated else { return false }
                let comparison = GeneratedComparison(connection: connection, match: pair, encoding: encoding)
                return try !comparison.isReadable(column)
            }
            guard !failing.isEmpty else { throw error }
            pair.columns.removeAll { column in failing.contains { $0.before.name == column.before.name } }
            var difference = try difference(of: pair, connection, pages, declarations)
            let comparison = GeneratedComparison(connection: connection, match: pair, encoding: encoding)
            for column in failing {
                let (changes, failure) = try comparison.changes(of: column)
                if changes.count > 0 { difference.changed[pair.columns.count] = changes }
                if let failure { unsettled.append((pair, failure)) }
                pair.columns.append(column)
            }
            if difference.keyColumns.isEmpty { difference.keyColumns = comparison.keyColumns }
            return difference
        }
    }

    static func rewritable(in pair: TableMatch, _ declarations: [Declaration]) -> Set<Int> {
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

    private mutating func difference(
        of pair: TableMatch, _ connection: any Connection, _ pages: PageConservation?,
        _ declarations: [Declaration]
    ) throws -> TableDifference {
        let deletions = declarations.filter { $0.kind.isDeletion(from: pair) }
        let rewritable = Self.rewritable(in: pair, declarations)
        switch try pages?.verdict(on: pair, rewritable: rewritable, hasConditions: !deletions.isEmpty) {
        case .untouched:
            untouchedCount += 1
            return TableDifference()
        case .compared(let difference): return difference
        case .undecided, nil: break
        }
        var comparison = TableComparison(
            connection: connection, match: pair, rewritable: rewritable, encoding: encoding,
            deletable: deletions.map(\.kind.condition))
        do {
            let difference = try comparison.run()
            usedDeclarations.formUnion(difference.usedConditions.map { deletions[$0] })
            return difference
        } catch let error as EngineError
            where !deletions.isEmpty && !error.isInterrupt && !error.isCorruption && !error.isOutage
        {
            // A condition can fail on a row; then it allows nothing.
            comparison.deletable = []
            let difference = try comparison.run()
            failedConditions += deletions.map { ($0, error) }
            return difference
        }
    }

    static func count(_ connection: any Connection, _ sql: String) throws -> Int {
        try connection.firstRow(sql) { Int($0.integer(0)) } ?? 0
    }
}

extension Declaration.Kind {
    func isDeletion(from pair: TableMatch) -> Bool {
        if case .deletes(let table, _) = self { pair.isCalled(table) } else { false }
    }

    /// A condition that every row matches.
    static var everyRow: String { "1" }

    /// The condition of a `deletes from` declaration; every row matches where it names none.
    var condition: String {
        if case .deletes(_, let condition?) = self { condition } else { Self.everyRow }
    }
}
