import DrydockState
import SQLiteSchema
import Synchronization

/// The tables and columns between which rows may have been copied by any statement up to the end of a step, including
/// those of earlier migrations: a rebuild may span several.
///
/// It only says where to search; ``Ledger`` then compares the rows.
package final class Provenance: Sendable {
    /// The lineage as the step begins.
    let start: TableLineage
    /// The lineage as the step ends; ids are the same.
    let end: TableLineage

    /// How rows of two tables may have become related.
    enum Link: Hashable {
        /// Statements inserted rows of one into the other.
        case inserted
        /// Statements that wrote one named the other.
        case filled
    }

    private struct Question: Hashable {
        var table: String
        var link: Link
    }

    private let answers = Mutex<[Question: [String]]>([:])
    private let ways = Mutex<[[String]: Set<Int>]>([:])

    init(start: TableLineage, end: TableLineage) {
        (self.start, self.end) = (start, end)
    }

    /// Returns the tables after the step that keep rows and with which a table before it may have exchanged some; those with
    /// known columns come first.
    func relatives(of table: Catalog.Table, in after: Catalog, by link: Link) -> [Catalog.Table] {
        let question = Question(table: table.name, link: link)
        let names =
            answers.withLock { $0[question] }
            ?? search(for: table, by: link == .inserted ? \.inserted : \.fills)
        answers.withLock { $0[question] = names }
        return names.compactMap { after.tables[$0] }.filter(\.keepsRows)
    }

    private func search(
        for table: Catalog.Table, by link: KeyPath<TrackedTable, Set<Int>>
    ) -> [String] {
        guard let id = start[table.name]?.id else { return [] }
        let all = Array(end.state.trackedTables.values) + end.state.retired.values
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
        let names = end.state.trackedTables.filter {
            $0.key.schema == "main" && reached.contains($0.value.id) && $0.value.id != id
        }.map(\.key.name)
        let weighed = names.map { name in
            (name: name, weight: table.storedColumns.count { isCopied($0.name, of: table, in: name) })
        }
        return weighed.sorted { ($1.weight, $0.name) < ($0.weight, $1.name) }.map(\.name)
    }

    /// Returns the columns of a later table with which a column of an earlier table may have exchanged values; those
    /// with its name come first.
    func columns(for column: String, of table: Catalog.Table, in later: Catalog.Table) -> [Catalog.Column] {
        let own = start.columns.sources(ofColumn: column, in: table.name)
        let copied = later.storedColumns.filter {
            !own.isDisjoint(with: end.columns.sources(ofColumn: $0.name, in: later.name))
        }
        let same = later.column(column).map { $0.isGenerated ? [] : [$0] } ?? []
        if copied.contains(where: { $0.name.foldedASCII == column.foldedASCII }) || copied.isEmpty {
            return same + copied.filter { $0.name.foldedASCII != column.foldedASCII }
        }
        return copied + same
    }

    /// Returns the columns of a later table into which an UPDATE may have brought values of a column.
    func assignedColumns(for column: String, of table: Catalog.Table, in later: Catalog.Table) -> [Catalog
        .Column]
    {
        let own = start.columns.sources(ofColumn: column, in: table.name)
        return later.storedColumns.filter {
            !own.isDisjoint(with: end.columns.assigned(toColumn: $0.name, in: later.name))
        }
    }

    /// Whether a table has rows, but none that a statement inserted from a given table before the step.
    func isUnrelated(_ later: String, to table: String) -> Bool {
        guard let own = start[table]?.id, let taker = end[later], taker.id != own else { return false }
        let suppliers = end.suppliers(of: taker)
        return !suppliers.contains(own) && (!suppliers.isEmpty || start.key(of: taker.id) != nil)
    }

    /// Whether statements inserted rows, or wrote values, of a table before the step into a table after it.
    func hasRows(of table: String, in later: String) -> Bool {
        guard let own = start[table]?.id, let taker = end[later] else { return true }
        return taker.id == own || end.suppliers(of: taker).contains(own)
            || end.suppliers(of: taker, by: \.fills).contains(own)
    }

    /// Whether statements copied values of a column into a column of a later table.
    func isCopied(_ column: String, of table: Catalog.Table, to other: String, in later: Catalog.Table)
        -> Bool
    {
        !start.columns.sources(ofColumn: column, in: table.name)
            .isDisjoint(with: end.columns.sources(ofColumn: other, in: later.name))
    }

    /// Returns the columns that decide a column's values, or whose values it decides, in the tables that its rows went through.
    func partners(
        of column: String, of table: Catalog.Table, in successor: Catalog.Table
    ) -> TableLineage.Partners {
        let names = start.columns.names(ofColumn: column, in: table.name)
        let way = way(from: table.name, to: successor.name)
        var partners = end.partners(ofColumns: names, in: way)
        // What an earlier migration gave cannot change in this step.
        partners.named.formUnion(start.partners(ofColumns: names, in: way).words.keys)
        return partners
    }

    /// Whether all values of a column come from a table before the step, or from where its rows were before.
    func isCopied(only table: Catalog.Table, to column: String, in later: Catalog.Table) -> Bool {
        let way = way(from: table.name, to: later.name)
        return end.columns.sources(ofColumn: column, in: later.name).allSatisfy { way.contains($0.table) }
    }

    /// Whether a table after the step may have rows besides those of dropped tables: of one that remains, or written out.
    func hasOtherRows(_ later: Catalog.Table, than table: Catalog.Table) -> Bool {
        guard let taker = end[later.name] else { return true }
        let way = way(from: table.name, to: later.name)
        return end.suppliers(of: taker).contains { id in
            !way.contains(id) && end.name(of: id) != nil && id != taker.id
        }
    }

    /// Returns the ids of the tables through which rows of a table before the step came to one after it.
    private func way(from table: String, to later: String) -> Set<Int> {
        let ends = [table, later]
        if let known = ways.withLock({ $0[ends] }) { return known }
        var way: Set<Int> = []
        if let own = start[table]?.id {
            let taker = end[later]
            way = taker.map { end.suppliers(of: $0).union([$0.id]) } ?? []
            way = way.filter { id in
                end.trackedTable(id).map { end.suppliers(of: $0).contains(own) } ?? false
            }
            way.insert(own)
        }
        ways.withLock { $0[ends] = way }
        return way
    }

    /// Whether SQLite counted the values of a column when statements inserted rows of a table without it: they equal those of
    /// a column by chance.
    func isCounted(
        _ other: Catalog.Column, in later: Catalog.Table, for column: String, of table: Catalog.Table
    ) -> Bool {
        later.model?.rowidAlias?.name.foldedASCII == other.name.foldedASCII
            && !isCopied(column, of: table, to: other.name, in: later)
            && table.storedColumns.contains { isCopied($0.name, of: table, in: later.name) }
    }

    private func isCopied(_ column: String, of table: Catalog.Table, in later: String) -> Bool {
        let own = start.columns.sources(ofColumn: column, in: table.name)
        return end[later]?.columns?.contains {
            !own.isDisjoint(with: $0.sources) || own.contains($0, of: end[later])
        }
            ?? false
    }
}

extension Set<TrackedTable.Source> {
    /// Whether the set contains a column of the table itself.
    fileprivate func contains(_ column: TrackedTable.Column, of table: TrackedTable?) -> Bool {
        table.map { contains(TrackedTable.Source(table: $0.id, column: column.first)) } ?? false
    }
}
