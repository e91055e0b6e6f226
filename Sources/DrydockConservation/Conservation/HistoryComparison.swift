import DrydockState
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// Compares the tables in which a tool keeps its history before and after a step.
///
/// What the tool records there is not a loss, and any other change is: a migration may write to the table, and an app
/// may keep its version among its settings. So the bookkeeping is run on the state before, and only the remaining
/// differences are reported. Bookkeeping that writes the time of day never gives the same result: then the migration is
/// run without it (``RunWithoutHistory``).
/// migration is run without it (``RunWithoutHistory``).
package struct HistoryComparison: Sendable {
    /// The history tables of the state before.
    package let before: Catalog
    package let after: Catalog
    /// Those that belong to the app, folded.
    package let shared: Set<String>
    package let record: [Bookkeeping]
    package let lineage: TableLineage
    package let declarations: [Declaration]

    package init(
        before: Catalog, after: Catalog, shared: Set<String>, record: [Bookkeeping], lineage: TableLineage,
        declarations: [Declaration]
    ) {
        self.before = before
        self.after = after
        self.shared = shared
        self.record = record
        self.lineage = lineage
        self.declarations = declarations
    }

    package struct Verdict: Sendable {
        package var conservation: Conservation
        /// Whether only the tool's own writes differ.
        package var isExplained: Bool
    }

    /// - Parameter connection: has the state before as `main`, which is written, and the state after attached.
    package func verdict(_ connection: any Connection, _ changes: PageChanges?) throws -> Verdict {
        let found = try conservation(connection, changes, after: after)
        if found.isClean(sharing: shared) { return Verdict(conservation: found, isExplained: true) }
        guard !record.isEmpty else { return Verdict(conservation: found, isExplained: false) }
        do {
            for entry in record { try entry.write(on: connection) }
        } catch let error as EngineError where !error.isInterrupt && !error.isCorruption {
            return Verdict(conservation: found, isExplained: false)
        }
        let left = try conservation(connection, after: after)
        guard left.isClean(sharing: shared) else { return Verdict(conservation: found, isExplained: false) }
        return Verdict(conservation: left, isExplained: true)
    }

    package func conservation(
        _ connection: any Connection, _ changes: PageChanges? = nil, after: Catalog
    ) throws -> Conservation {
        try Conservation(
            connection: connection, before: before, after: after, changes: changes, lineage: lineage,
            declarations: declarations)
    }
}

extension Conservation {
    /// Whether nothing was lost or changed, and no row was added to a table of the app. A tool adds a row to its own
    /// table for each migration.
    fileprivate func isClean(sharing shared: Set<String>) -> Bool {
        droppedTables.isEmpty && droppedColumns.isEmpty && notCompared.isEmpty
            && unsettled.isEmpty
            && kept.allSatisfy { kept in
                var difference = kept.difference
                if !shared.contains(kept.match.before.name.foldedASCII) { difference.added = .init() }
                return difference.isEmpty
            }
    }

    /// Adds the comparison of history tables; those of the tool count only where something is wrong.
    package mutating func add(_ history: Conservation, sharing shared: Set<String>) {
        kept += history.kept.filter { kept in
            shared.contains(kept.match.before.name.foldedASCII)
                || kept.difference.lost.count > 0 || !kept.difference.changed.isEmpty
        }
        droppedTables += history.droppedTables
        droppedColumns += history.droppedColumns
        successors += history.successors
        notCompared += history.notCompared
        unsettled += history.unsettled
        usedDeclarations.formUnion(history.usedDeclarations)
        failedConditions += history.failedConditions
    }

    /// Returns the comparison without changes in the results of the history's query, where no bookkeeping says what is
    /// written.
    ///
    /// - Parameters:
    ///   - old: the results before the step.
    ///   - new: the results after it.
    package func without(answers old: Set<SQLValue>, _ new: Set<SQLValue>) -> Conservation {
        var result = self
        let (gone, come) = (old.subtracting(new), new.subtracting(old))
        for index in result.kept.indices {
            result.kept[index].difference.leaveOut(gone, come)
        }
        return result
    }
}

extension TableDifference {
    fileprivate mutating func leaveOut(_ gone: Set<SQLValue>, _ come: Set<SQLValue>) {
        for (position, changes) in changed where changes.count == changes.samples.count {
            let left = changes.samples.filter { !gone.contains($0.before) || !come.contains($0.after) }
            changed[position] = nil
            for change in left { note(change, column: position) }
        }
        if lost.count == lost.samples.count {
            lost.samples.removeAll { row in row.key.contains(where: gone.contains) }
            lost.count = lost.samples.count
        }
        if added.count <= come.count { added = .init() }
    }
}
