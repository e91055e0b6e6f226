import SQLiteSchema

/// What became of tables' names in one step.
package struct StepNames: Sendable {
    /// Tables that are called otherwise afterwards, folded.
    package var renamed: [String: String] = [:]
    /// Tables that are no more, folded.
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

/// The steps of a replay, so that a table can be found again under its last name.
package struct NameTrail: Sendable {
    package private(set) var steps: [StepNames] = []

    package init(steps: [StepNames] = []) {
        self.steps = steps
    }

    package mutating func append(_ step: StepNames) { steps.append(step) }

    /// The name at the end of what was called so after a step; nil when it is no more.
    /// - Parameter step: how many steps had been taken when it had the name.
    package func lastName(of name: String, after step: Int) -> String? {
        var name = name.foldedASCII
        for step in steps.dropFirst(step) {
            if step.dropped.contains(name) { return nil }
            name = step.renamed[name] ?? name
        }
        return name
    }
}
