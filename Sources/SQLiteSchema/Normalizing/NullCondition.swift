/// A condition that only tests columns for NULL, such as `a IS NOT NULL OR b IS NULL`.
///
/// It is true or false, never NULL, and its value for every row follows from which columns may be NULL.
package struct NullCondition {
    /// The tested columns, folded.
    let names: [String]
    private let items: [NormalizedSQL.Item]

    /// The largest number of columns for which all combinations are tried.
    private static let maximumNames = 8
    private static let maximumItems = 200

    /// Creates the condition; nil where it tests anything else.
    package init?(_ condition: SQLFragment) {
        items = condition.items
        guard items.count <= Self.maximumItems else { return nil }
        var parser = Parser(items: items) { _ in true }
        guard parser.disjunction() != nil, parser.isAtEnd else { return nil }
        names = parser.names.sorted()
        guard names.count <= Self.maximumNames else { return nil }
    }

    /// Whether the condition is true for every row.
    ///
    /// - Parameter canBe: whether a column can be NULL or, where `isNull` is false, not NULL.
    package func isAlwaysTrue(_ canBe: (_ name: String, _ isNull: Bool) -> Bool) -> Bool {
        (0..<(1 << names.count)).allSatisfy { bits in
            let isNull = { (name: String) in
                names.firstIndex(of: name).map { bits >> $0 & 1 == 1 } ?? false
            }
            guard names.allSatisfy({ canBe($0, isNull($0)) }) else { return true }
            var parser = Parser(items: items, isNull: isNull)
            return parser.disjunction() ?? false
        }
    }

    private struct Parser {
        let items: [NormalizedSQL.Item]
        let isNull: (String) -> Bool
        var place = 0
        var names: Set<String> = []

        init(items: [NormalizedSQL.Item], isNull: @escaping (String) -> Bool) {
            self.items = items
            self.isNull = isNull
        }

        var isAtEnd: Bool { place == items.count }

        mutating func disjunction() -> Bool? {
            guard var value = conjunction() else { return nil }
            while accept(.keyword("or")) {
                guard let next = conjunction() else { return nil }
                value = value || next
            }
            return value
        }

        private mutating func conjunction() -> Bool? {
            guard var value = term() else { return nil }
            while accept(.keyword("and")) {
                guard let next = term() else { return nil }
                value = value && next
            }
            return value
        }

        private mutating func term() -> Bool? {
            if accept(.keyword("not")) { return term().map { !$0 } }
            if accept(.symbol("(")) {
                guard let value = disjunction(), accept(.symbol(")")) else { return nil }
                return value
            }
            return test()
        }

        /// Parses `[table.]column IS [NOT] NULL`, or `ISNULL` and `NOTNULL`.
        private mutating func test() -> Bool? {
            guard var name = word() else { return nil }
            if accept(.symbol(".")) {
                guard let column = word() else { return nil }
                name = column
            }
            names.insert(name)
            if accept(.keyword("isnull")) { return isNull(name) }
            if accept(.keyword("notnull")) { return !isNull(name) }
            if accept(.keyword("not")) { return accept(.keyword("null")) ? !isNull(name) : nil }
            guard accept(.keyword("is")) else { return nil }
            let isNegated = accept(.keyword("not"))
            guard accept(.keyword("null")) else { return nil }
            return isNull(name) != isNegated
        }

        private mutating func word() -> String? {
            guard place < items.count, case .word(let name) = items[place] else { return nil }
            place += 1
            return name
        }

        private mutating func accept(_ item: NormalizedSQL.Item) -> Bool {
            guard place < items.count, items[place] == item else { return false }
            place += 1
            return true
        }
    }
}

extension Index {
    /// What rows must meet for the index to keep them apart; nil for all rows. A unique index that leaves out rows with NULL in
    /// one of its columns is like one of all rows, since NULLs are distinct (https://www.sqlite.org/nulls.html).
    package var uniqueCondition: SQLFragment? {
        guard isUnique, let condition else { return condition }
        let columns = terms.compactMap { term in
            if case .column(let name) = term.value { name.foldedASCII } else { nil }
        }
        let isOfAll = NullCondition(condition)?.isAlwaysTrue { !$1 || !columns.contains($0) } ?? false
        return isOfAll ? nil : condition
    }
}
