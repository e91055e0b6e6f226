import DrydockState

/// Where the columns of tables came from, by what statements did up to one moment of a migration.
package struct ColumnLineage {
    let state: LineageState

    /// Returns a column of a table as it is now, and all columns from which it was filled.
    func sources(ofColumn name: String, in table: String) -> Set<TrackedTable.Source> {
        state[table].map { state.sources(name, $0) } ?? []
    }

    /// Returns the columns of a table from before the step that a column is, or was filled from, folded and sorted.
    package func formerNames(ofColumn name: String, in table: String, from origin: String) -> [String] {
        sources(ofColumn: name, in: table)
            .filter { state.trackedTable($0.table)?.origin == origin.foldedASCII }.map(\.column).sorted()
    }

    /// Returns the columns of other tables that UPDATEs named in the values of a column, and what these were filled from.
    func assigned(toColumn name: String, in table: String) -> Set<TrackedTable.Source> {
        state[table]?.columns?.first { $0.name == name.foldedASCII }?.assigned ?? []
    }

    /// Returns all names that a column has had, folded.
    func names(ofColumn name: String, in table: String) -> Set<String> {
        state[table]?.columns?.first { $0.name == name.foldedASCII }?.names ?? [name.foldedASCII]
    }

    /// Whether statements copied a column of one table to a column of another, both as they are now.
    func isCopied(_ column: String, of table: String, to other: String, of later: String) -> Bool {
        guard let own = state[table],
            let first = own.columns?.first(where: { $0.name == column.foldedASCII })?.first
        else { return false }
        return sources(ofColumn: other, in: later).contains(.init(table: own.id, column: first))
    }

    /// Returns the name that a column had in a table before the step, by names only: through ALTER, and from each table
    /// to the one that took its name. Nil where that does not lead to the table.
    func nameBefore(ofColumn column: String, in table: String, from origin: String) -> String? {
        guard let last = state[table] else { return nil }
        var seen: Set<Int> = []
        return nameBefore(column.foldedASCII, last, origin.foldedASCII, &seen)
    }

    private func nameBefore(
        _ column: String, _ table: TrackedTable, _ origin: String, _ seen: inout Set<Int>
    ) -> String? {
        guard seen.insert(table.id).inserted else { return nil }
        // A renamed column left its name free for another column.
        if table.renamedColumns[column] == nil, table.renamedColumns.values.contains(column) { return nil }
        let first = table.firstName(column).foldedASCII
        if table.origin == origin { return first }
        for id in table.predecessors {
            guard let previous = state.trackedTable(id) else { continue }
            if let name = nameBefore(first, previous, origin, &seen) { return name }
        }
        return nil
    }
}
