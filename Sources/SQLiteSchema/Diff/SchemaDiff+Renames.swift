extension SchemaDiff {
    /// Returns whether fragments mean the same, apart from renamed names.
    ///
    /// - Parameter table: the table or view that they belong to; nil for a view's query, which names its own
    ///   tables.
    func same(_ a: SQLFragment?, _ b: SQLFragment?, on table: String? = nil) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        if a == b { return true }
        return a.matches(b, renames: hints.isEmpty ? [:] : renames(in: a, on: table))
    }

    /// Returns the folded new names by the folded old names that stand for something renamed in a fragment.
    ///
    /// A bare column name does not say which table it belongs to. So a column's rename counts only if its
    /// table is named, directly or through views, and no other named table had the old name and has the new
    /// one: there, the name may mean that other column.
    private func renames(in fragment: SQLFragment, on table: String?) -> [String: Set<String>] {
        let tables = tables(named: fragment, on: table)
        var words: [String: Set<String>] = [:]
        for (from, to) in hints.tables where tables.contains(from) {
            words[from, default: []].insert(to.foldedASCII)
        }
        for (owner, columns) in hints.columns where tables.contains(owner) {
            for (from, to) in columns {
                let isAmbiguous = tables.contains { other in
                    other != owner && old.table(other)?.column(from) != nil
                        && new.table(hints.table(other))?.column(to) != nil
                }
                if !isAmbiguous { words[from, default: []].insert(to.foldedASCII) }
            }
        }
        return words
    }

    /// Returns the folded names of the old tables that a fragment reads, directly or through views.
    private func tables(named fragment: SQLFragment, on table: String?) -> Set<String> {
        var open = fragment.names
        if let table { open.insert(table.foldedASCII) }
        var seen: Set<String> = []
        while let name = open.popFirst() {
            guard seen.insert(name).inserted, let view = old.views[name] else { continue }
            open.formUnion(view.query.names)
        }
        return seen.filter { old.tables[$0] != nil }
    }
}
