import SQLiteSchema

/// An index that another index or a key makes unnecessary.
package struct IndexCover: Sendable {
    package var index: Index
    /// The covering index or key, in words.
    package var other: String
    /// The covering index; nil for a key.
    package var otherIndex: Index?
    /// Whether both have the same terms; otherwise the index is a prefix of the other.
    package var isWhole: Bool

    private struct Entry {
        var name: String
        var index: Index?
        var terms: [Index.Term]
        var isUnique: Bool
        var condition: SQLFragment?
    }

    package static func covers(in schema: Schema) -> [IndexCover] {
        let byTable = Dictionary(grouping: schema.indexes.values, by: \.table.foldedASCII)
        return byTable.sorted { $0.key < $1.key }.flatMap { name, indexes -> [IndexCover] in
            guard let table = schema.table(name) else { return [] }
            let own = indexes.sorted { $0.name < $1.name }
            let entries = entries(of: table, own)
            return own.compactMap { cover(of: $0, table, entries) }
        }
    }

    /// Whether a schema without the index has another index, or a key, that serves the same purpose.
    package static func isCovered(_ index: Index, in schema: Schema) -> Bool {
        guard let table = schema.table(index.table) else { return false }
        let wanted = terms(index.terms, table)
        return entries(of: table, schema.indexes(on: table.name)).contains { entry in
            // For a unique index only the columns count, in any order.
            if index.isUnique {
                return entry.isUnique && Set(entry.terms) == Set(wanted)
                    && entry.index?.uniqueCondition == index.uniqueCondition
            }
            guard entry.condition == index.condition else { return false }
            return entry.terms.starts(with: wanted)
        }
    }

    private static func cover(of index: Index, _ table: Table, _ entries: [Entry]) -> IndexCover? {
        let wanted = terms(index.terms, table)
        func isCovered(by entry: Entry) -> Bool {
            guard entry.index?.name != index.name, entry.condition == index.condition else { return false }
            let isSame = entry.terms == wanted
            guard isSame || !index.isUnique && entry.terms.starts(with: wanted) else { return false }
            guard isSame, let other = entry.index else { return true }
            // Of two equal indexes the unique one stays, otherwise the first.
            if index.isUnique != other.isUnique { return !index.isUnique }
            return other.name < index.name
        }
        guard
            let entry = entries.first(where: { isCovered(by: $0) && $0.terms == wanted })
                ?? entries.first(where: isCovered)
        else { return nil }
        return IndexCover(
            index: index, other: entry.name, otherIndex: entry.index, isWhole: entry.terms == wanted)
    }

    private static func entries(of table: Table, _ indexes: [Index]) -> [Entry] {
        keys(of: table)
            + indexes.map {
                Entry(
                    name: "index \($0.name)", index: $0, terms: terms($0.terms, table), isUnique: $0.isUnique,
                    condition: $0.condition)
            }
    }

    private static func keys(of table: Table) -> [Entry] {
        func entry(_ name: String, _ keys: [KeyTerm]) -> Entry {
            let columns = keys.map {
                Index.Term(.column($0.column), collation: $0.collation, isDescending: $0.isDescending)
            }
            return Entry(name: name, index: nil, terms: terms(columns, table), isUnique: true, condition: nil)
        }
        var entries = table.uniques.map {
            entry("UNIQUE (\($0.terms.map(\.column).joined(separator: ", ")))", $0.terms)
        }
        if let key = table.primaryKey {
            entries.append(entry("the primary key", key.terms))
        }
        return entries
    }

    /// Returns the terms in one spelling, with their collations filled in.
    private static func terms(_ terms: [Index.Term], _ table: Table) -> [Index.Term] {
        let probe = Index(name: "", table: table.name, terms: terms)
        return terms.map { term in
            var term = term
            term.collation = probe.collation(of: term, in: table)
            if case .column(let name) = term.value { term.value = .column(name.foldedASCII) }
            return term
        }
    }
}

extension IndexCover {
    /// Whether an index, or a key, begins with the columns of a foreign key.
    ///
    /// A parent's value is looked up with the collation of its column, and is never NULL.
    package static func isCovered(_ key: ForeignKey, _ table: Table, _ schema: Schema) -> Bool {
        let folded = key.columns.map(\.foldedASCII)
        if let alias = table.rowidAlias, folded == [alias.name.foldedASCII] { return true }
        let parent = schema.table(key.parent)
        let collations = (schema.parentColumns(of: key) ?? []).map {
            parent?.column($0)?.collation ?? "BINARY"
        }
        let wanted = Dictionary(
            zip(folded, collations.map { $0.uppercased() }), uniquingKeysWith: { first, _ in first })
        func begins(_ terms: [(column: String, collation: String)]) -> Bool {
            let first = terms.prefix(folded.count)
            return Set(first.map(\.column)) == Set(folded)
                && first.allSatisfy { $0.collation == wanted[$0.column] ?? $0.collation }
        }
        let keys = table.uniques.map(\.terms) + [table.primaryKey?.terms].compactMap { $0 }
        if keys.contains(where: { begins($0.map { ($0.column.foldedASCII, table.collation(of: $0)) }) }) {
            return true
        }
        return schema.indexes(on: table.name).contains { index in
            let isWhole = index.condition.map { condition in
                NullCondition(condition)?.isAlwaysTrue { !$1 || !folded.contains($0) } ?? false
            }
            return isWhole ?? true
                && begins(
                    index.terms.map { term in
                        if case .column(let name) = term.value {
                            (name.foldedASCII, index.collation(of: term, in: table))
                        } else {
                            ("", "")
                        }
                    })
        }
    }
}
