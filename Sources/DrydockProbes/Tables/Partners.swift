import DatabaseEngine
import SQLiteSchema

/// Columns of one table whose rows find partners by them in another one, without a foreign key.
struct Partners: Sendable, Hashable {
    /// The folded name of the table whose rows refer to those of the other.
    var child: String
    var columns: [String]
    var parent: String
    var parentColumns: [String]
    /// Whether some rows have no partner.
    var isOuter = false
    /// Whether the rows of the parent are written, so that each has a partner too, and whether each has only one, since it
    /// would be written twice.
    var isCovering = false
    var isSingle = false

    fileprivate var isOwn: Bool { child == parent }
}

/// A reader of which columns must meet, as the statements of migrations join them, or copy them into foreign keys.
struct PartnerReader {
    private let present: Schema
    private let indexes: [String: [Index]]
    private let later: [SchemaLookup]
    private let facts: StatementFacts
    /// The present tables by the names that they have now and later.
    private let tablesByName: [String: [String]]

    init(present: SchemaLookup, later: [SchemaLookup], facts: StatementFacts) {
        (self.present, indexes, self.later, self.facts) = (present.schema, present.indexes, later, facts)
        var tables: [String: [String]] = [:]
        for table in present.schema.tables.keys.sorted() {
            for name in facts.names(of: table) { tables[name, default: []].append(table) }
        }
        tablesByName = tables
    }

    /// Returns the partners of all tables, each pair of columns once.
    func partners() -> [Partners] {
        var found: [Partners] = []
        let all = facts.joins.flatMap(partners) + facts.copies.compactMap(partners) + laterKeys()
        for partners in all where !isForeignKey(partners) {
            let known = found.firstIndex {
                $0.child == partners.child && $0.columns == partners.columns && $0.parent == partners.parent
                    && $0.parentColumns == partners.parentColumns
                    || $0.child == partners.parent && $0.columns == partners.parentColumns
                        && $0.parent == partners.child
            }
            if let known {
                if !partners.isOuter { found[known].isOuter = false }
                if partners.isCovering { found[known].isCovering = true }
                if partners.isSingle { found[known].isSingle = true }
            } else {
                found.append(partners)
            }
        }
        return found
    }

    // MARK: - Joins

    private typealias Place = (table: String, column: String)

    private func partners(_ join: StatedJoin) -> [Partners] {
        var found: [(a: String, b: String, pairs: [(a: String, b: String)])] = []
        for pair in join.pairs + naturalPairs(join) {
            guard let (a, b) = places(pair, join.tables) else { continue }
            if let known = found.firstIndex(where: { $0.a == a.table && $0.b == b.table }) {
                found[known].pairs.append((a.column, b.column))
            } else if let known = found.firstIndex(where: { $0.a == b.table && $0.b == a.table }) {
                found[known].pairs.append((b.column, a.column))
            } else {
                found.append((a.table, b.table, [(a.column, b.column)]))
            }
        }
        return found.compactMap { group in
            var partners = Partners(
                child: group.a, columns: group.pairs.map(\.a), parent: group.b,
                parentColumns: group.pairs.map(\.b),
                isOuter: join.isOuter)
            if isOther(partners, join) {
                swap(&partners.child, &partners.parent)
                swap(&partners.columns, &partners.parentColumns)
            }
            // Rows of one table that are compared by the same column are duplicates, or by others those of a tree.
            guard !partners.isOwn || partners.columns.count == 1 && partners.columns != partners.parentColumns
            else { return nil }
            partners.isCovering =
                !join.isOuter && isTarget(partners.parent, join) && !isTarget(partners.child, join)
            partners.isSingle = partners.isCovering && join.isInserted
            return partners
        }
    }

    /// Returns the columns that a NATURAL JOIN compares.
    private func naturalPairs(_ join: StatedJoin) -> [StatedJoin.Pair] {
        guard let joined = join.natural else { return [] }
        func columns(of name: String) -> Set<String> {
            Set(
                (tablesByName[name] ?? []).flatMap { present.tables[$0]?.columns ?? [] }
                    .map(\.name.foldedASCII))
        }
        let others = Set(join.order).subtracting([joined, join.target].compactMap(\.self)).sorted()
        return others.flatMap { other in
            columns(of: other).intersection(columns(of: joined)).sorted().map { column in
                StatedJoin.Pair(
                    left: ExpressionReader.qualified(column, by: other),
                    right: ExpressionReader.qualified(column, by: joined))
            }
        }
    }

    /// Whether a statement writes to a table, or to one that later replaces it.
    private func isTarget(_ table: String, _ join: StatedJoin) -> Bool {
        let finals = join.target.map { facts.names(of: $0) } ?? []
        return facts.names(of: table).contains(where: finals.contains)
    }

    /// Whether the second table is the one whose rows look for those of the first.
    private func isOther(_ partners: Partners, _ join: StatedJoin) -> Bool {
        let first = isUnique(partners.columns, of: partners.child)
        guard first == isUnique(partners.parentColumns, of: partners.parent) else { return first }
        let isSecond = isTarget(partners.parent, join)
        if isSecond != isTarget(partners.child, join) { return isSecond }
        func place(_ table: String) -> Int {
            let names = facts.names(of: table)
            return join.order.firstIndex(where: names.contains) ?? .max
        }
        return place(partners.parent) < place(partners.child)
    }

    private func places(_ pair: StatedJoin.Pair, _ tables: [String: Set<String>]) -> (Place, Place)? {
        let (left, right) = (candidates(pair.left, tables), candidates(pair.right, tables))
        let found: (Place, Place)? =
            switch (left.count, right.count) {
            case (1, 1): (left[0], right[0])
            case (1, 2...): right.first { $0.table != left[0].table }.map { (left[0], $0) }
            case (2..., 1): left.first { $0.table != right[0].table }.map { ($0, right[0]) }
            default: nil
            }
        guard let found, found.0.table != found.1.table || found.0.column != found.1.column else {
            return nil
        }
        return found
    }

    /// Returns the present tables that have a column, or the one that its qualifier names.
    private func candidates(_ name: String, _ tables: [String: Set<String>]) -> [Place] {
        let end = name.firstIndex(of: "\u{0}")
        let column = end.map { String(name[name.index(after: $0)...]) } ?? name
        let named =
            end.map { tables[String(name[..<$0])] ?? [] }
            ?? tables.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        return Set(named.flatMap { tablesByName[$0] ?? [] }).sorted()
            .compactMap { table in
                let own = present.tables[table]?.columns.first {
                    $0.generated == nil && facts.names(ofColumn: $0.name.foldedASCII).contains(column)
                }
                return own.map { (table, $0.name.foldedASCII) }
            }
    }

    /// Whether no two rows may have the same values there, now or after a later step.
    private func isUnique(_ columns: [String], of name: String) -> Bool {
        func isUnique(_ table: Table, _ indexes: [Index]) -> Bool {
            let keys =
                [table.primaryKey?.terms.map(\.column) ?? []] + table.uniques.map { $0.terms.map(\.column) }
                + indexes.filter { $0.isUnique && $0.condition == nil }.map {
                    LaterDemands.columns(of: $0).map(\.name)
                }
            return keys.contains { !$0.isEmpty && Set($0.map(\.foldedASCII)).isSubset(of: columns) }
        }
        if let table = present.tables[name], isUnique(table, indexes[name] ?? []) { return true }
        guard let last = later.last,
            let final = facts.names(of: name).first(where: { last.schema.tables[$0] != nil }),
            let table = last.schema.tables[final]
        else { return false }
        return isUnique(table, last.indexes[final] ?? [])
    }

    /// Whether a foreign key of the present schema sees to it that the rows have partners.
    private func isForeignKey(_ partners: Partners) -> Bool {
        func refers(_ child: String, _ columns: [String], _ parent: String) -> Bool {
            present.tables[child]?.foreignKeys.contains {
                $0.parent.foldedASCII == parent && Set($0.columns.map(\.foldedASCII)).isSuperset(of: columns)
            } ?? false
        }
        return refers(partners.child, partners.columns, partners.parent)
            || refers(partners.parent, partners.parentColumns, partners.child)
    }

    // MARK: - Foreign keys

    /// Returns where a column is copied into a foreign key.
    private func partners(_ copy: StatedCopy) -> Partners? {
        let sources = candidates(copy.source, copy.tables)
        guard sources.count == 1 else { return nil }
        for lookup in later.prefix(1) + later.suffix(1) {
            guard let name = facts.names(of: copy.target).first(where: { lookup.schema.tables[$0] != nil }),
                let table = lookup.schema.tables[name]
            else { continue }
            let stored = table.columns.filter { $0.generated == nil }
            guard
                let column = copy.column
                    ?? (stored.indices.contains(copy.place) ? stored[copy.place].name : nil),
                let key = table.foreignKeys.first(where: {
                    $0.columns.count == 1 && $0.columns[0].foldedASCII == column.foldedASCII
                })
            else { continue }
            return partners(sources[0].table, [sources[0].column], key, lookup.schema)
        }
        return nil
    }

    /// Returns the foreign keys that columns get later, as far as their parents are there by now.
    private func laterKeys() -> [Partners] {
        (later.prefix(1) + later.suffix(1)).flatMap { lookup in
            lookup.schema.tables.sorted { $0.key < $1.key }.flatMap { name, table in
                table.foreignKeys.compactMap { key -> Partners? in
                    let columns = key.columns.map(\.foldedASCII)
                    guard let own = tablesByName[name]?.first, let child = present.tables[own] else {
                        return nil
                    }
                    let now = columns.compactMap { later in
                        child.columns.first { facts.names(ofColumn: $0.name.foldedASCII).contains(later) }?
                            .name
                            .foldedASCII
                    }
                    return now.count == columns.count ? partners(own, now, key, lookup.schema) : nil
                }
            }
        }
    }

    private func partners(_ child: String, _ columns: [String], _ key: ForeignKey, _ schema: Schema)
        -> Partners?
    {
        let parent = key.parent.foldedASCII
        guard let own = tablesByName[parent]?.first, own != child, let table = present.tables[own],
            let names = schema.parentColumns(of: key), names.count == columns.count
        else { return nil }
        let parentColumns = names.compactMap { name in
            table.columns.first { facts.names(ofColumn: $0.name.foldedASCII).contains(name.foldedASCII) }?
                .name.foldedASCII
        }
        guard parentColumns.count == columns.count else { return nil }
        return Partners(child: child, columns: columns, parent: own, parentColumns: parentColumns)
    }
}
