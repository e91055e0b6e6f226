/// A part of a CHECK: all of them must hold. Two parts with the same subject can be compared by what they allow.
///
///     CheckPart.parts(of: SQLFragment(sql: "code BETWEEN 0 AND 255 AND kind IN ('a', 'b')").items)   // three parts
struct CheckPart: Hashable {
    typealias Item = NormalizedSQL.Item

    /// What a subject may be. NULL is not among it: a CHECK that is NULL passes.
    enum Allowed: Hashable {
        /// Literals as SQL; numbers as SQLite compares them.
        case values(Set<String>)
        case atLeast(Double, orEqual: Bool)
        case atMost(Double, orEqual: Bool)

        func isWithin(_ other: Allowed) -> Bool {
            switch (self, other) {
            case (.values(let own), .values(let others)): own.isSubset(of: others)
            case (.values(let own), .atLeast(let bound, let orEqual)):
                own.allSatisfy { Double($0).map { $0 > bound || orEqual && $0 == bound } ?? false }
            case (.values(let own), .atMost(let bound, let orEqual)):
                own.allSatisfy { Double($0).map { $0 < bound || orEqual && $0 == bound } ?? false }
            case (.atLeast(let own, let ownEqual), .atLeast(let bound, let orEqual)):
                own > bound || own == bound && (orEqual || !ownEqual)
            case (.atMost(let own, let ownEqual), .atMost(let bound, let orEqual)):
                own < bound || own == bound && (orEqual || !ownEqual)
            default: false
            }
        }
    }

    /// The whole part.
    var items: [Item]
    /// The column or expression that is compared with literals; nil for any other condition.
    var subject: [Item]?
    var allowed: Allowed?

    /// The column that the part keeps from being NULL.
    var filledColumn: String? {
        switch items.count {
        case 2: items[1] == .keyword("notnull") ? items[0].word : nil
        case 3: items[1...] == [.keyword("not"), .keyword("null")] ? items[0].word : nil
        case 4:
            items[1...] == [.keyword("is"), .keyword("not"), .keyword("null")]
                ? items[0].word
                : items[0] == .keyword("not") && items[2...] == [.keyword("is"), .keyword("null")]
                    ? items[1].word : nil
        default: nil
        }
    }

    /// The column whose type is tested, and the types that it may have.
    var types: (column: String, types: Set<String>)? {
        guard let subject, subject.count == 4, subject[0] == .word("typeof"), subject[1] == .symbol("("),
            let column = subject[2].word, case .values(let values)? = allowed
        else { return nil }
        return (column, values)
    }

    /// Whether the part holds wherever another one does.
    func isImplied(by other: CheckPart) -> Bool {
        if items == other.items { return true }
        guard let allowed, let others = other.allowed, subject == other.subject else { return false }
        return others.isWithin(allowed)
    }

    /// Whether another part allows all of these values, and more of them.
    func isListed(in other: CheckPart) -> Bool {
        guard case .values? = allowed, case .values? = other.allowed else { return false }
        return other.isImplied(by: self)
    }
}

extension CheckPart {
    /// Returns the parts of a condition.
    static func parts(of items: [Item]) -> [CheckPart] {
        let items = stripped(items)
        let alternatives = split(items, at: "or")
        if alternatives.count > 1 {
            // NULL passes in any case, unless a function gives something else for it.
            let tests = alternatives.filter { nullColumn(of: $0) == nil }
            let columns = alternatives.compactMap(nullColumn)
            if tests.count == 1, let test = tests.first, !columns.isEmpty {
                let parts = parts(of: test)
                let isNullAlike = parts.allSatisfy { part in
                    part.subject.map { isNull($0, where: columns) } ?? false
                }
                if isNullAlike { return parts }
            }
            return [CheckPart(items: items)]
        }
        let all = split(items, at: "and")
        return all.count > 1 ? all.flatMap(parts) : comparisons(items)
    }

    /// The functions that are NULL for NULL.
    private static let plainFunctions: Set<String> = [
        "length", "lower", "upper", "trim", "ltrim", "rtrim", "abs", "round", "date", "datetime",
        "json_valid",
    ]

    private static func isNull(_ subject: [Item], where columns: [String]) -> Bool {
        guard let first = subject.first?.word else { return false }
        if subject.count == 1 { return columns.contains(first) }
        return plainFunctions.contains(first) && subject.count == 4
            && subject[2].word.map(columns.contains) ?? false
    }

    private static func nullColumn(of items: [Item]) -> String? {
        let items = stripped(items)
        guard let column = items.first?.word else { return nil }
        return items.dropFirst() == [.keyword("is"), .keyword("null")]
            || items.dropFirst() == [.keyword("isnull")] ? column : nil
    }

    /// Reads a comparison with literals; BETWEEN is two.
    private static func comparisons(_ items: [Item]) -> [CheckPart] {
        let places = operators(items)
        guard let place = places.first, place > 0 else { return [CheckPart(items: items)] }
        let (left, right) = (stripped(Array(items[..<place])), Array(items[(place + 1)...]))
        func part(_ subject: [Item], _ allowed: Allowed?) -> CheckPart {
            CheckPart(items: items, subject: allowed == nil ? nil : subject, allowed: allowed)
        }
        switch items[place] {
        case .keyword("in") where places.count == 1:
            let list = split(stripped(right), at: .symbol(","))
            let values = list.compactMap(literal)
            return [part(left, values.count == list.count && !list.isEmpty ? .values(Set(values)) : nil)]
        case .keyword("between"):
            let bounds = split(right, at: .keyword("and")).compactMap(literal).compactMap(Double.init)
            guard bounds.count == 2, places.count == 2 else { break }
            return [
                part(left, .atLeast(bounds[0], orEqual: true)), part(left, .atMost(bounds[1], orEqual: true)),
            ].map {
                var part = $0
                part.items = left + (part.allowed.map { [.literal("\($0)")] } ?? [])
                return part
            }
        case .symbol(let sign) where places.count == 1:
            if let value = literal(right) { return [part(left, allowed(sign, value))] }
            let turned = ["<": ">", ">": "<", "<=": ">=", ">=": "<="]
            if let value = literal(left) {
                return [part(stripped(right), allowed(turned[sign] ?? sign, value))]
            }
        default: break
        }
        return [CheckPart(items: items)]
    }

    private static func allowed(_ sign: String, _ value: String) -> Allowed? {
        if sign == "=" { return .values([value]) }
        guard let number = Double(value) else { return nil }
        switch sign {
        case ">": return .atLeast(number, orEqual: false)
        case ">=": return .atLeast(number, orEqual: true)
        case "<": return .atMost(number, orEqual: false)
        case "<=": return .atMost(number, orEqual: true)
        default: return nil
        }
    }

    /// Returns a literal as SQL; a number as SQLite compares it.
    private static func literal(_ items: [Item]) -> String? {
        let items = stripped(items)
        var sign = ""
        var rest = items[...]
        if rest.count == 2, rest.first == .symbol("-") || rest.first == .symbol("+") {
            sign = rest.removeFirst() == .symbol("-") ? "-" : ""
        }
        guard rest.count == 1, case .literal(let text)? = rest.first else { return nil }
        if let number = Double(text) { return "\(sign == "-" ? -number : number)" }
        return sign.isEmpty && text.hasPrefix("'") ? text : nil
    }
}

// MARK: - Items

extension CheckPart {
    private static let signs: Set<String> = ["=", "<", ">", "<=", ">=", "<>"]
    private static let words: Set<String> = [
        "in", "between", "is", "isnull", "notnull", "not", "like", "glob", "regexp", "match", "collate",
        "escape",
        "and", "or",
    ]

    /// Returns the places of comparing operators that are not in parentheses.
    private static func operators(_ items: [Item]) -> [Int] {
        outermost(items).filter { place in
            switch items[place] {
            case .symbol(let sign): signs.contains(sign)
            case .keyword(let word), .word(let word): words.contains(word)
            default: false
            }
        }
    }

    /// Returns the places that are neither in parentheses nor in a CASE.
    private static func outermost(_ items: [Item]) -> [Int] {
        var depth = 0
        return items.indices.filter { place in
            switch items[place] {
            case .symbol("("), .keyword("case"):
                depth += 1
                return false
            case .symbol(")"), .keyword("end"):
                depth -= 1
                return false
            default: return depth == 0
            }
        }
    }

    private static func split(_ items: [Item], at word: String) -> [[Item]] {
        split(items, at: .keyword(word))
    }

    /// Splits at an item that is not in parentheses; the AND of a BETWEEN does not count, except behind it.
    private static func split(_ items: [Item], at separator: Item) -> [[Item]] {
        var (parts, start, betweens): ([[Item]], Int, Int) = ([], items.startIndex, 0)
        for place in outermost(items) {
            if items[place] == .keyword("between") {
                betweens += 1
            } else if items[place] == .keyword("and"), betweens > 0 {
                betweens -= 1
            } else if items[place] == separator {
                parts.append(Array(items[start..<place]))
                start = place + 1
            }
        }
        return parts + [Array(items[start...])]
    }

    /// Returns the items without parentheses around all of them.
    private static func stripped(_ items: [Item]) -> [Item] {
        var items = items
        while items.count > 2, items.first == .symbol("("), items.last == .symbol(")") {
            let inner = Array(items.dropFirst().dropLast())
            var depth = 0
            let isPair = inner.allSatisfy { item in
                if item == .symbol("(") { depth += 1 }
                if item == .symbol(")") { depth -= 1 }
                return depth >= 0
            }
            guard isPair else { break }
            items = inner
        }
        return items
    }
}

extension NormalizedSQL.Item {
    /// The name, unless the item is something else.
    var word: String? { if case .word(let name) = self { name } else { nil } }
}
