import SQLiteSchema

/// `duplicate-index`: an index that holds exactly what another one, or a key, holds.
struct DuplicateIndexRule: LintRule {
    let rule = Rule.duplicateIndex
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "an index holds what another one or a key holds already",
        detail: """
            It costs space and time on every write and serves no query. PRIMARY KEY and UNIQUE make an index \
            themselves, and an INTEGER PRIMARY KEY is the table's own order. Of two indexes that are alike the \
            newer one is told of.
            """,
        bad: """
            CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
            CREATE INDEX account_on_email ON account(email);
            """)

    func check(_ end: LintEnd) -> [LintFault] {
        IndexCover.covers(in: end.schema).filter(\.isWhole).compactMap { cover in
            cover.fault(end) { name, other in
                "index \(name) holds what \(other) holds already"
            } help: {
                "Drop it:\n" + proposed("DROP INDEX \(quotedIfNeeded($0));")
            }
        }
    }
}

/// An index that another index, or a key, makes unneeded.
struct IndexCover {
    var index: Index
    /// What covers it, in words.
    var other: String
    /// The index that covers it; nil for a key.
    var otherIndex: Index?
    /// Both hold the same; else the index is the beginning of the other.
    var isWhole: Bool

    /// The fault at the statement that made the unneeded index or, where that is none of what is linted, the one that
    /// makes it unneeded.
    func fault(
        _ end: LintEnd, message: (_ name: String, _ other: String) -> String, help: (_ name: String) -> String
    ) -> LintFault? {
        let (name, table) = (index.name, index.table)
        if let found = end.fault("index", name, nil, message(name, other), help: help(name), table: table) {
            return found
        }
        guard let newer = otherIndex else { return nil }
        // Of two that are the same the newer one is not needed.
        if isWhole, newer.isUnique == index.isUnique {
            return end.fault(
                "index", newer.name, nil, message(newer.name, "index \(name)"), help: help(newer.name),
                table: table)
        }
        return end.fault(
            "index", newer.name, nil, message(name, other) + " from here on", help: help(name), table: table)
    }

    private struct Entry {
        var name: String
        var index: Index?
        var terms: [Index.Term]
        var isUnique: Bool
        var condition: SQLFragment?
    }

    static func covers(in schema: Schema) -> [IndexCover] {
        let byTable = Dictionary(grouping: schema.indexes.values, by: \.table.foldedASCII)
        return byTable.sorted { $0.key < $1.key }.flatMap { name, indexes -> [IndexCover] in
            guard let table = schema.table(name) else { return [] }
            let own = indexes.sorted { $0.name < $1.name }
            let entries = entries(of: table, own)
            return own.compactMap { cover(of: $0, table, entries) }
        }
    }

    /// Whether a schema that does not have the index has another one, or a key, that does what it did.
    static func isCovered(_ index: Index, in schema: Schema) -> Bool {
        guard let table = schema.table(index.table) else { return false }
        let wanted = terms(index.terms, table)
        return entries(of: table, schema.indexes(on: table.name)).contains { entry in
            guard entry.condition == index.condition else { return false }
            // Of a unique one the columns count, in any order.
            if index.isUnique { return entry.isUnique && Set(entry.terms) == Set(wanted) }
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
            // Of two that are the same, the unique one stays, else the first.
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

    /// Terms in one spelling, collations filled in.
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
