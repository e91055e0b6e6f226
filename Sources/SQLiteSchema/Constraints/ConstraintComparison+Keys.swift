/// PRIMARY KEY and UNIQUE.
extension ConstraintComparison {
    /// A key of the later table, or an index that refuses duplicates like one.
    private struct Key {
        /// A column, folded, with its collation, and whether that is the column's own.
        struct Term: Hashable {
            var column: String
            var collation: String
            var isInherited: Bool
        }

        var terms: [Term]
        var sql: String
    }

    func keyLoss(_ constraint: TableConstraint, _ terms: [KeyTerm]) -> LostConstraint? {
        let wanted = terms.compactMap { term in
            columns[term.column.foldedASCII].map { column in
                Key.Term(
                    column: column.foldedASCII,
                    // Numbers have no collation.
                    collation: isAlias(term.column) ? "BINARY" : old.collation(of: term),
                    isInherited: term.collation == nil)
            }
        }
        let keys = keys
        guard let key = keys.first(where: { isEnough($0, wanted) }) else {
            let names = Set(wanted.map(\.column))
            let near =
                keys.first { Set($0.terms.map(\.column)) == names }
                ?? keys.first { names.isSubset(of: $0.terms.map(\.column)) }
            let other =
                constraint.kind == .primaryKey ? new.primaryKey.map(TableConstraint.primaryKey)?.sql : nil
            return lost(constraint, now: near?.sql ?? other)
        }
        guard constraint.kind == .primaryKey else { return nil }
        // An explicit NOT NULL is a constraint of its own.
        let accepted = terms.compactMap { old.column($0.column) }.contains { column in
            (column.notNull == nil && old.isNotNull(column) || isAlias(column.name))
                && new(column.name).map { !refusesNull($0) } ?? false
        }
        return accepted ? lost(constraint, now: "\(key.sql), which accepts NULL") : nil
    }

    private func isAlias(_ column: String) -> Bool { old.rowidAlias?.name.isSameName(as: column) ?? false }

    /// Whether a key refuses what a constraint with these terms refused: it has no other column, and takes no more
    /// values for different.
    private func isEnough(_ key: Key, _ wanted: [Key.Term]) -> Bool {
        key.terms.allSatisfy { term in
            wanted.contains { other in
                other.column == term.column
                    && (other.collation == term.collation || other.collation == "BINARY"
                        // Where both have the column's own, the column has lost it.
                        || other.isInherited && term.isInherited)
            }
        }
    }

    private var keys: [Key] {
        func key(_ constraint: TableConstraint, _ terms: [KeyTerm]) -> Key {
            Key(
                terms: terms.map {
                    .init(
                        column: $0.column.foldedASCII, collation: new.collation(of: $0),
                        isInherited: $0.collation == nil)
                },
                sql: constraint.sql)
        }
        let own =
            (new.primaryKey.map { [key(.primaryKey($0), $0.terms)] } ?? [])
            + new.effectiveUniques.map { key(.unique($0), $0.terms) }
        return own
            + after.indexes(on: new.name).compactMap { index in
                guard index.isUnique, index.uniqueCondition == nil else { return nil }
                let terms = index.terms.compactMap { self.term($0, of: index) }
                let list = index.terms.map { $0.description + ($0.collation.map { " COLLATE \($0)" } ?? "") }
                return terms.count == index.terms.count
                    ? Key(terms: terms, sql: "UNIQUE (\(list.joined(separator: ", ")))") : nil
            }
    }

    /// Functions that give equal values for equal ones and no NULL for anything else, with a collation that takes no more
    /// values for different; nil where none does.
    private static let functions: [String: String?] = [
        "lower": "NOCASE", "upper": "NOCASE", "trim": nil, "ltrim": nil, "rtrim": nil, "hex": nil,
        "quote": nil,
    ]

    private func term(_ term: Index.Term, of index: Index) -> Key.Term? {
        switch term.value {
        case .column(let name):
            return .init(
                column: name.foldedASCII, collation: index.collation(of: term, in: new),
                isInherited: term.collation == nil)
        case .expression(let expression):
            let items = expression.items
            guard items.count == 4, let name = items[0].word, let collation = Self.functions[name],
                let column = items[2].word
            else { return nil }
            return .init(column: column, collation: collation ?? name, isInherited: false)
        }
    }
}
