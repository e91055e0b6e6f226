import DrydockState
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
        package var home: Ledger.Home?
        /// The tables that have all of its rows between them, each with the same columns, where none has them all.
        package var parts: [Ledger.Home] = []
        /// The rows that ``homes`` have, but not for this table and for others whose rows are there too.
        package var crowding: Crowding?

        /// The tables that have its rows, each with the same columns.
        package var homes: [Ledger.Home] { home.map { [$0] } ?? parts }

        /// Whether no row is missing.
        var isMoved: Bool { home?.missing.isEmpty == true || parts.first?.missing.isEmpty == true }
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
        package var equalColumn: String?
        /// The column that has its values beside their rows, or most of them.
        package var place: ColumnAccount.Place?
        /// The column, as TABLE.COLUMN, that has all of its values.
        package var home: String? { place?.missing == 0 ? place?.path : nil }
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
    package var successors: [Successor] = []
    package var usedDeclarations: Set<Declaration> = []
    /// Declared conditions that failed on a row, with the error.
    package var failedConditions: [(Declaration, EngineError)] = []
    /// The number of tables without a changed page.
    package var untouchedCount = 0
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
    ///   - explains: whether values that are gone are searched for in columns to which nothing leads.
    package init(
        connection: any Connection, before: Catalog, after: Catalog, changes: PageChanges? = nil,
        lineage: TableLineage, declarations: [Declaration], provenance: (() -> Provenance)? = nil,
        explains: Bool = true
    ) throws {
        let encoding = before.encoding
        let pages = changes.map {
            PageConservation(changes: $0, connection: connection, encoding: encoding)
        }
        let match = SchemaMatch(
            before: before, after: after, lineage: lineage, declarations: declarations, provenance: provenance
        )
        usedDeclarations = match.usedDeclarations
        let ledger = Ledger(
            connection: connection, before: before, after: after, declarations: declarations,
            provenance: provenance ?? { Provenance(start: lineage.atStart, end: lineage) })
        let comparison = PairComparison(
            connection: connection, encoding: encoding, pages: pages, ledger: ledger, lineage: lineage,
            declarations: declarations)
        for table in match.dropped {
            droppedTables.append(try ledger.dropped(table))
        }
        for pair in match.pairs {
            do {
                // A copy for each table would make the cost grow with the square of their number.
                let rest = lineage.currentName(of: pair.before.name) == nil ? self : nil
                try comparison.compare(pair, &self)
                try ledger.locateColumns(
                    of: kept.last?.match ?? pair, &self,
                    explains
                        ? DroppedValueSearch(connection: connection, after: after, changes: changes) : nil)
                guard let rest, loses(more: rest) else { continue }
                // Another table may only have taken its name.
                guard ledger.isReplaced(pair.before, by: pair.after) else { continue }
                let dropped = try ledger.dropped(pair.before)
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
        try settleCrowdedHomes(ledger)
        successors = try ledger.successors(of: self, lineage)
    }

    /// Compares no more than the tables that are gone after several steps, and those that have their rows.
    package init(
        movesIn connection: any Connection, before: Catalog, after: Catalog, lineage: TableLineage,
        declarations: [Declaration], provenance: Provenance
    ) throws {
        let encoding = before.encoding
        let match = SchemaMatch(
            before: before, after: after, lineage: lineage, declarations: declarations,
            provenance: { provenance })
        let ledger = Ledger(
            connection: connection, before: before, after: after, declarations: declarations,
            provenance: { provenance })
        for table in match.dropped {
            droppedTables.append(try ledger.dropped(table))
        }
        let homes = Set(droppedTables.flatMap { $0.homes.map(\.table.name) })
        let comparison = PairComparison(
            connection: connection, encoding: encoding, pages: nil, ledger: ledger, lineage: lineage,
            declarations: declarations)
        for pair in match.pairs where homes.contains(pair.after.name) {
            try comparison.compare(pair, &self)
        }
        try settleCrowdedHomes(ledger)
    }

    private mutating func settleCrowdedHomes(_ ledger: Ledger) throws {
        var homes = CrowdedHomes(
            connection: ledger.connection, ledger: ledger, kept: kept, droppedTables: droppedTables)
        try homes.settle()
        droppedTables = homes.droppedTables
    }

    /// Whether something is lost in these states that was not lost before.
    private func loses(more rest: Conservation) -> Bool {
        kept.dropFirst(rest.kept.count).contains {
            $0.difference.lost.count > 0 || !$0.difference.changed.isEmpty
        }
            || droppedColumns.dropFirst(rest.droppedColumns.count).contains {
                $0.valueCount > 0 && $0.home == nil
            }
    }
}

extension Connection {
    func count(_ sql: String) throws -> Int { try firstRow(sql) { Int($0.integer(0)) } ?? 0 }
}
