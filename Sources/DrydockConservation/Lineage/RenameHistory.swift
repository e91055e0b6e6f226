import DrydockState
import SQLiteSchema

/// What happened to the names of tables in one step.
package struct StepNames: Sendable {
    /// The new names of renamed tables, folded.
    package var renamed: [String: String] = [:]
    /// Dropped tables, folded.
    var dropped: Set<String> = []

    package init(
        before: Catalog, after: Catalog, lineage: TableLineage, match: [TableMatch],
        moved: [Conservation.DroppedTable]
    ) {
        let homes = Dictionary(
            moved.compactMap { dropped in
                dropped.home.map { (dropped.table.name.foldedASCII, $0.table.name.foldedASCII) }
            }, uniquingKeysWith: { a, _ in a })
        let pairs = Dictionary(
            match.map { ($0.before.name.foldedASCII, $0.after.name.foldedASCII) },
            uniquingKeysWith: { a, _ in a })
        for name in before.tables.keys {
            let successor = pairs[name] ?? homes[name] ?? lineage.currentName(of: name) ?? name
            if after.tables[successor] == nil {
                dropped.insert(name)
            } else if successor != name {
                renamed[name] = successor
            }
        }
    }
}

/// The names of tables through all steps of a replay, so that a table can be found under its last name.
package struct RenameHistory: Sendable {
    package private(set) var steps: [StepNames] = []

    package init(steps: [StepNames] = []) {
        self.steps = steps
    }

    package mutating func append(_ step: StepNames) { steps.append(step) }

    /// Returns the last name of the table that had this name after a step; nil when it was dropped.
    /// - Parameter step: the number of steps that had been taken when it had the name.
    package func lastName(of name: String, after step: Int) -> String? {
        var name = name.foldedASCII
        for step in steps.dropFirst(step) {
            if step.dropped.contains(name) { return nil }
            name = step.renamed[name] ?? name
        }
        return name
    }
}
