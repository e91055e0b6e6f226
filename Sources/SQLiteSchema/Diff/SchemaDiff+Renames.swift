extension SchemaDiff {
    /// Whether fragments mean the same but for what was renamed.
    ///
    /// - Parameter table: the table or view that they belong to; a view's query names its own.
    func same(_ a: SQLFragment?, _ b: SQLFragment?, on table: String? = nil) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        if a == b { return true }
        return a.matches(b, renames: hints.isEmpty ? [:] : renames(in: a, on: table))
    }

    /// Folded new names by the folded old ones that stand for something renamed in a fragment.
    ///
    /// Nothing tells which table a bare column name is of. So a column's rename counts only where its table is
    /// named, through views too, and where no other named table had the old name and has the new one: there,
    /// the other name may be another column.
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

    /// Folded names of the old tables that a fragment reads, through views too.
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
