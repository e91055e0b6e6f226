import SQLiteSchema

/// Which tables and columns rows may have been copied from or to, by all the statements up to the end of a step, those of
/// earlier migrations among them: a rebuild may be spread over several.
///
/// It only says where to look; whether the rows are there, ``MovedData`` asks of the rows.
package struct Provenance: Sendable {
    /// As the step begins.
    let start: TableLineage
    /// As it ends; ids are the same.
    let end: TableLineage

    /// The tables of the database as the step ends that a table of before may have exchanged rows with, folded; those
    /// first whose columns are known to.
    /// - Parameter link: what counts as an exchange.
    func relatives(
        of table: Catalog.Table, by link: KeyPath<TableLineage.Incarnation, Set<Int>>
    ) -> [String] {
        guard let id = start[table.name]?.id else { return [] }
        let all = Array(end.memory.incarnations.values) + end.memory.retired.values
        var links: [Int: Set<Int>] = [:]
        for other in all {
            for source in other[keyPath: link] {
                links[source, default: []].insert(other.id)
                links[other.id, default: []].insert(source)
            }
        }
        var (reached, open): (Set<Int>, [Int]) = ([id], [id])
        while let next = open.popLast() {
            open += (links[next] ?? []).filter { reached.insert($0).inserted }
        }
        let names = end.memory.incarnations.filter {
            $0.key.schema == "main" && reached.contains($0.value.id) && $0.value.id != id
        }.map(\.key.name)
        let weighed = names.map { name in
            (name: name, weight: table.storedColumns.count { isCopied($0.name, of: table, in: name) })
        }
        return weighed.sorted { ($1.weight, $0.name) < ($0.weight, $1.name) }.map(\.name)
    }

    /// The columns of a later table that a column of a table of before may have exchanged values with; those first that
    /// have its name.
    func columns(for column: String, of table: Catalog.Table, in later: Catalog.Table) -> [Catalog.Column] {
        let own = start.sources(ofColumn: column, in: table.name)
        let copied = later.storedColumns.filter {
            !own.isDisjoint(with: end.sources(ofColumn: $0.name, in: later.name))
        }
        let same = later.column(column).map { $0.isGenerated ? [] : [$0] } ?? []
        if copied.contains(where: { $0.name.foldedASCII == column.foldedASCII }) || copied.isEmpty {
            return same + copied.filter { $0.name.foldedASCII != column.foldedASCII }
        }
        return copied + same
    }

    /// Whether a table has rows, and none that any statement inserted from a table of before.
    func isUnrelated(_ later: String, to table: String) -> Bool {
        guard let own = start[table]?.id, let taker = end[later], taker.id != own else { return false }
        var (reached, open): (Set<Int>, [Int]) = ([taker.id], [taker.id])
        while let next = open.popLast().flatMap(end.incarnation) {
            open += next.inserted.filter { reached.insert($0).inserted }
        }
        return !reached.contains(own) && (reached.count > 1 || start.key(of: taker.id) != nil)
    }

    /// Whether statements copied values of a column into a column of a later table.
    func isCopied(_ column: String, of table: Catalog.Table, to other: String, in later: Catalog.Table)
        -> Bool
    {
        !start.sources(ofColumn: column, in: table.name)
            .isDisjoint(with: end.sources(ofColumn: other, in: later.name))
    }

    private func isCopied(_ column: String, of table: Catalog.Table, in later: String) -> Bool {
        let own = start.sources(ofColumn: column, in: table.name)
        return end[later]?.columns?.contains {
            !own.isDisjoint(with: $0.sources) || own.contains($0, of: end[later])
        }
            ?? false
    }
}

extension Set<TableLineage.Source> {
    /// Whether it has a column of a table itself.
    fileprivate func contains(_ column: TableLineage.Column, of table: TableLineage.Incarnation?) -> Bool {
        table.map { contains(TableLineage.Source(table: $0.id, column: column.first)) } ?? false
    }
}
