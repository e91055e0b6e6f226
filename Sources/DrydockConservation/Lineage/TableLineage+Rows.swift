import DrydockState
import SQLiteSchema

/// Which table has the place and the rows of which.
extension TableLineage {
    /// Returns the columns whose values a column with one of these names decides, and those that decide its own. Names that only
    /// stand in one value with it do not count.
    /// - Parameter tables: those over which the column's rows went, by id: what other tables got does not count.
    func partners(ofColumns names: Set<String>, in tables: Set<Int>) -> Partners {
        state.values.reduce(into: Partners()) { partners, placed in
            guard !placed.targets.isDisjoint(with: tables), !placed.sources.isDisjoint(with: tables) else {
                return
            }
            let value = placed.value
            let words = value.names.union(value.conditions)
            if !value.names.isDisjoint(with: names) { partners.named.formUnion(value.columns) }
            if !words.isDisjoint(with: names) { partners.add(words, to: value.columns) }
            if !value.columns.isDisjoint(with: names) {
                partners.named.formUnion(value.names)
                partners.add(words, to: words)
            }
        }
    }

    /// The columns that decide a column's values, or whose values it decides, folded.
    struct Partners {
        /// Those that stand in the value, or in whose value it stands.
        var named: Set<String> = []
        /// All of them, with the words of the values and of what chooses these.
        private(set) var words: [String: Set<String>] = [:]

        fileprivate mutating func add(_ words: Set<String>, to columns: Set<String>) {
            for column in columns { self.words[column, default: []].formUnion(words) }
        }
    }

    /// Returns the present name of the table that stands where a table from before the step stood, by their names: that
    /// table was dropped, and one that the step created took its name.
    func successor(of origin: String) -> String? {
        guard let dropped = state.retired.values.first(where: { $0.origin == origin.foldedASCII }) else {
            return nil
        }
        var (reached, open): (Set<Int>, [Int]) = ([dropped.id], [dropped.id])
        while let id = open.popLast() {
            let isRetired = state.retired[id] != nil
            let takers = (Array(state.trackedTables.values) + state.retired.values).filter {
                // A table that still exists under another name only gave up its name.
                $0.predecessors.contains(id) && (isRetired || suppliers(of: $0).contains(id))
                    && reached.insert($0.id).inserted
            }
            open += takers.map(\.id)
        }
        let names = state.trackedTables.filter {
            $0.key.schema == "main" && $0.value.id != dropped.id && reached.contains($0.value.id)
        }
        // The table created last.
        return names.max { $0.value.id < $1.value.id }?.key.name
    }

    /// Whether a table that the step created under an earlier table's name stands for a different one: two tables
    /// swapped their names, of which one was rebuilt or is a copy, or the name was made free for the next rebuild.
    /// - Parameter columns: those of the earlier table, folded.
    func standsForAnother(_ name: String, columns: Set<String>) -> Bool {
        let name = name.foldedASCII
        guard let made = self[name], made.origin == nil else { return false }
        let dropped = state.retired.values.compactMap(\.origin).filter { $0 != name }
        if dropped.contains(where: { successor(of: $0) == name }) { return true }
        let suppliers = Set(suppliers(of: made).compactMap { trackedTable($0)?.origin })
        guard let now = currentName(of: name) ?? successor(of: name), now != name, !suppliers.isEmpty,
            !suppliers.contains(name)
        else { return false }
        // The table took the name that the other or a third table had, or lacks columns of the other.
        return now == made.firstTableName.foldedASCII || dropped.contains(now)
            || !columns.isSubset(of: (made.columns ?? []).map(\.name))
    }

    /// Returns the tables whose rows statements inserted into a table, directly or through others.
    /// - Parameter link: what counts as inserting.
    func suppliers(
        of table: TrackedTable, by link: KeyPath<TrackedTable, Set<Int>> = \.inserted
    ) -> Set<Int> {
        var (reached, open): (Set<Int>, [Int]) = ([table.id], [table.id])
        while let next = open.popLast().flatMap(trackedTable) {
            open += next[keyPath: link].filter { reached.insert($0).inserted }
        }
        return reached.subtracting([table.id])
    }

    /// Returns the tables whose name another table's rows have now, with that other table and the one that has their own
    /// rows.
    package func crossings(among names: [String]) -> [(name: String, other: String, home: String)] {
        func hasRows(of id: Int, _ name: String) -> Bool {
            self[name].map { suppliers(of: $0).contains(id) } ?? false
        }
        return names.sorted().compactMap { name in
            guard let own = atStart[name]?.id, self.name(of: own) == nil, !hasRows(of: own, name),
                let other = names.first(where: { $0 != name && areCrossed(name, $0) }),
                let home = names.first(where: { hasRows(of: own, $0) })
            else { return nil }
            return (name, other, home)
        }
    }

    /// Whether two tables changed places: what has the name of the first got rows of the second, and what has the name of
    /// the second got rows, but none of its own.
    package func areCrossed(_ name: String, _ other: String) -> Bool {
        guard let own = atStart[other]?.id, let first = self[name], let second = self[other],
            second.id != own
        else { return false }
        let suppliers = suppliers(of: second)
        return self.suppliers(of: first).contains(own) && !suppliers.isEmpty && !suppliers.contains(own)
    }
}
