import SQLiteSchema

/// What the definitions that later migrations give a table demand of the columns that it has now.
///
/// A new CHECK, UNIQUE or JSON index says what its author takes the data to be.
struct LaterDemands {
    private(set) var checks: [(alternatives: Alternatives, expression: Expression)] = []
    private(set) var keys: [[KeyTerm]] = []
    private(set) var notNull: Set<String> = []
    private(set) var foreignKeys: [ForeignKey] = []
    /// Those of them of which the parent is there in an earlier version than the key.
    private(set) var keysAfterParents: Set<ForeignKey> = []
    private(set) var json: [String: JSONShape] = [:]

    init(
        of table: Table, indexes: [Index], names: [String], _ later: [SchemaLookup], _ facts: StatementFacts
    ) {
        var lastTable = table
        var lastIndexes = indexes
        var seen = Set(table.checks.map(\.expression))
        addJSON(
            indexes,
            Dictionary(uniqueKeysWithValues: table.columns.map { ($0.name.foldedASCII, $0.name.foldedASCII) })
        )
        for (version, lookup) in later.enumerated() {
            guard let name = names.first(where: { lookup.schema.tables[$0] != nil }),
                let next = lookup.schema.tables[name]
            else { continue }
            let nextIndexes = lookup.indexes[name] ?? []
            guard next != lastTable || nextIndexes != lastIndexes else { continue }
            (lastTable, lastIndexes) = (next, nextIndexes)
            let known = Self.columns(of: next, in: table, facts)
            addChecks(next, known, &seen)
            addKeys(next, nextIndexes, known)
            addJSON(nextIndexes, known)
            for column in next.columns where next.isNotNull(column) {
                if let present = known[column.name.foldedASCII] { notNull.insert(present) }
            }
            for var key in next.foreignKeys {
                let columns = key.columns.compactMap { known[$0.foldedASCII] }
                guard columns.count == key.columns.count else { continue }
                key.columns = columns
                guard !foreignKeys.contains(key) else { continue }
                foreignKeys.append(key)
                let parent = key.parent.foldedASCII
                if later[..<version].contains(where: { $0.schema.tables[parent] != nil }) {
                    keysAfterParents.insert(key)
                }
            }
        }
    }

    /// Returns the present folded names of a later definition's columns.
    private static func columns(of next: Table, in table: Table, _ facts: StatementFacts) -> [String: String]
    {
        let there = Set(next.columns.map(\.name.foldedASCII))
        var known: [String: String] = [:]
        for column in table.columns where column.generated == nil {
            let folded = column.name.foldedASCII
            if let name = facts.names(ofColumn: folded).first(where: there.contains) { known[name] = folded }
        }
        return known
    }

    private mutating func addChecks(_ next: Table, _ known: [String: String], _ seen: inout Set<SQLFragment>)
    {
        for check in next.checks where seen.insert(check.expression).inserted {
            let expression = ExpressionReader.expression(check.expression)
            let read = Alternatives(expression)
            guard read.columns.allSatisfy({ known[$0] != nil }) else { continue }
            var renamed = read
            renamed.all = read.all.map { way in way.compactMap { $0.renamed(known) } }
            if !checks.contains(where: { $0.alternatives == renamed }) {
                checks.append((renamed, expression.replacing(known.mapValues { .column($0) })))
            }
        }
    }

    private mutating func addKeys(_ next: Table, _ indexes: [Index], _ known: [String: String]) {
        var found: [[KeyTerm]] = [next.primaryKey?.terms ?? []] + next.uniques.map(\.terms)
        for index in indexes where index.isUnique {
            found.append(Self.columns(of: index).map { KeyTerm(column: $0.name, collation: $0.collation) })
        }
        for terms in found where !terms.isEmpty {
            let renamed = terms.compactMap { term in
                known[term.column.foldedASCII].map {
                    KeyTerm(column: $0, collation: term.collation ?? next.column(term.column)?.collation)
                }
            }
            if renamed.count == terms.count, !keys.contains(renamed) { keys.append(renamed) }
        }
    }

    private mutating func addJSON(_ indexes: [Index], _ known: [String: String]) {
        for index in indexes {
            for case .expression(let expression) in index.terms.map(\.value) {
                for use in UsageReader.usage(expression.items, comparisons: false).json {
                    if let column = known[use.column] { json[column] = json[column] ?? use.shape }
                }
            }
        }
    }

    /// The columns of an index, none if it has other terms; for `lower(email)` the column ignores case.
    static func columns(of index: Index) -> [(name: String, collation: String?)] {
        let columns = index.terms.compactMap { term -> (name: String, collation: String?)? in
            switch term.value {
            case .column(let name): return (name, term.collation)
            case .expression(let fragment):
                guard case .call(_, let arguments) = ExpressionReader.expression(fragment),
                    case .column(let name)? = arguments.first
                else { return nil }
                return (name, "NOCASE")
            }
        }
        return columns.count == index.terms.count ? columns : []
    }
}
