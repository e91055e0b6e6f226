import DatabaseEngine
import SQLiteSchema

/// A reader of expressions with SQLite's precedence of operators (https://www.sqlite.org/lang_expr.html).
struct ExpressionReader {
    private let items: ArraySlice<NormalizedSQL.Item>
    private var position: Int
    private var depth = 0
    /// Whether the name of a column keeps the qualifier before it: see ``qualified(_:by:)``.
    var keepsQualifiers = false

    /// Deeper expressions are not understood.
    private static let maximalDepth = 60

    init(_ items: ArraySlice<NormalizedSQL.Item>) { (self.items, position) = (items, items.startIndex) }

    /// Returns the expression of a fragment, or what is known of one that is not understood.
    static func expression(_ fragment: SQLFragment) -> Expression { expression(fragment.items[...]) }

    static func expression(_ items: ArraySlice<NormalizedSQL.Item>) -> Expression {
        var reader = ExpressionReader(items)
        if let found = reader.expression(), reader.position == items.endIndex { return found }
        return .unknown(names(items))
    }

    /// Returns the name that a column has where qualifiers are kept.
    static func qualified(_ name: String, by qualifier: String) -> String { qualifier + "\u{0}" + name }

    static func names(_ items: ArraySlice<NormalizedSQL.Item>) -> Set<String> {
        items.reduce(into: []) { if case .word(let name) = $1 { $0.insert(name) } }
    }

    // MARK: - Operators, from the weakest

    mutating func expression() -> Expression? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximalDepth else { return nil }
        return chain(["or"]) { $0.chain(["and"]) { $0.negation() } }
    }

    private mutating func negation() -> Expression? {
        guard accept("not") else { return comparison() }
        if isNext(.keyword("exists")) { return comparison().map { .unary("not", $0) } }
        return negation().map { .unary("not", $0) }
    }

    private mutating func comparison() -> Expression? {
        guard var left = order() else { return nil }
        while let item = peek() {
            let isNegated = item == .keyword("not") && position + 1 < items.endIndex
            let start = position
            if isNegated { position += 1 }
            guard let test = test(of: left) else {
                position = start
                return left
            }
            guard let test else { return nil }
            left = isNegated ? .unary("not", test) : test
        }
        return left
    }

    /// Reads one test of an operand: nil if there is none, and an inner nil if it is not understood.
    private mutating func test(of left: Expression) -> Expression?? {
        switch peek() {
        case .symbol("="), .symbol("<>"):
            let sign = symbol()
            return .some(order().map { Self.compared(sign, left, $0) })
        case .keyword("is"):
            position += 1
            var sign = accept("not") ? "is not" : "is"
            if accept("distinct"), accept("from") { sign = sign == "is" ? "is not" : "is" }
            return .some(order().map { .binary(sign, left, $0) })
        case .keyword("isnull"), .keyword("notnull"):
            let sign = accept("isnull") ? "is" : "is not"
            if sign == "is not" { position += 1 }
            return .some(.binary(sign, left, .value(.null)))
        case .keyword("between"):
            position += 1
            guard let low = order(), accept("and"), let high = order() else { return .some(nil) }
            return .some(.between(left, low, high))
        case .keyword("in"):
            position += 1
            if let query = query() { return .some(.isIn(left, [query])) }
            return .some(list().map { .isIn(left, $0) })
        case .word(let word) where ["like", "glob", "match", "regexp"].contains(word):
            position += 1
            guard let right = order() else { return .some(nil) }
            guard accept("escape") else { return .some(.binary(word, left, right)) }
            guard let escape = order() else { return .some(nil) }
            // https://www.sqlite.org/lang_corefunc.html#like
            return .some(.call(word, [right, left, escape]))
        default: return nil
        }
    }

    /// Two rows are equal if all their values are.
    private static func compared(_ sign: String, _ left: Expression, _ right: Expression) -> Expression {
        guard case .call("", let a) = left, case .call("", let b) = right, a.count == b.count else {
            return .binary(sign, left, right)
        }
        let pairs = Array(zip(a, b))
        guard sign == "=" || sign == "<>", let first = pairs.first else { return .unknown(left.columns) }
        let word = sign == "=" ? "and" : "or"
        return pairs.dropFirst().reduce(.binary(sign, first.0, first.1)) {
            .binary(word, $0, .binary(sign, $1.0, $1.1))
        }
    }

    private mutating func list() -> [Expression]? {
        guard acceptSymbol("(") else { return nil }
        var list: [Expression] = []
        if acceptSymbol(")") { return list }
        repeat {
            guard let element = expression() else { return nil }
            list.append(element)
        } while acceptSymbol(",")
        return acceptSymbol(")") ? list : nil
    }

    private mutating func order() -> Expression? {
        signs(["<", "<=", ">", ">="]) { reader in
            reader.signs(["&", "|", "<<", ">>"]) { reader in
                reader.signs(["+", "-"]) { reader in
                    reader.signs(["*", "/", "%"]) { $0.signs(["||", "->", "->>"]) { $0.prefixed() } }
                }
            }
        }
    }

    private mutating func prefixed() -> Expression? {
        if acceptSymbol("+") { return prefixed() }
        for sign in ["-", "~"] where acceptSymbol(sign) { return prefixed().map { .unary(sign, $0) } }
        guard let operand = operand() else { return nil }
        while accept("collate") { position += 1 }
        return operand
    }

    // MARK: - Operands

    mutating func operand() -> Expression? {
        guard let item = peek() else { return nil }
        position += 1
        switch item {
        case .literal(let text): return Literal.value(text).map { .value($0) }
        case .keyword("null"): return .value(.null)
        case .keyword("true"): return .value(.integer(1))
        case .keyword("false"): return .value(.integer(0))
        case .keyword("case"): return choice()
        case .keyword("exists"): return query("EXISTS ")
        case .keyword(let word) where word.hasPrefix("current_"): return .call(word, [])
        case .symbol("("): return parenthesis()
        case .word(let name): return isNext(.symbol("(")) ? call(name) : column(name)
        case .keyword("replace"), .keyword("if"): return call("\(item)")
        default: return nil
        }
    }

    private mutating func parenthesis() -> Expression? {
        position -= 1
        if let query = query() { return query }
        guard let list = list(), let first = list.first else { return nil }
        // A row of several values is a call without a name.
        return list.count == 1 ? first : .call("", list)
    }

    /// Reads a query in parentheses; nil, and nothing is read, if there is none.
    private mutating func query(_ prefix: String = "") -> Expression? {
        guard isNext(.symbol("(")), position + 1 < items.endIndex,
            items[position + 1] == .keyword("select") || items[position + 1] == .word("with")
                || items[position + 1] == .keyword("with") || items[position + 1] == .keyword("values")
        else { return nil }
        let start = position
        guard let names = skipParentheses() else { return nil }
        return .subquery(prefix + NormalizedSQL(items: Array(items[start..<position])).description, names)
    }

    private mutating func column(_ name: String) -> Expression? {
        var (name, qualifier): (String, String?) = (name, nil)
        while acceptSymbol(".") {
            guard case .word(let next)? = peek() else { return nil }
            position += 1
            (qualifier, name) = (name, next)
        }
        guard keepsQualifiers, let qualifier else { return .column(name) }
        return .column(Self.qualified(name, by: qualifier))
    }

    private mutating func call(_ name: String) -> Expression? {
        let start = position
        if name == "cast" {
            position += 1
            guard let inner = expression(), accept("as") else { return nil }
            let type = position
            position = start
            guard skipParentheses() != nil else { return nil }
            let text = NormalizedSQL(items: Array(items[type..<max(type, position - 1)])).description
            return .call("cast", [inner, .value(SQLValue(text))])
        }
        if let arguments = list(), !isNext(.word("over")), !isNext(.word("filter")) {
            return .call(name, arguments)
        }
        position = start
        return skipParentheses().map { .unknown($0) }
    }

    private mutating func choice() -> Expression? {
        let base = isNext(.keyword("when")) ? nil : expression()
        var branches: [Expression.Branch] = []
        while accept("when") {
            guard let condition = expression(), accept("then"), let result = expression() else { return nil }
            branches.append(
                .init(condition: base.map { .binary("=", $0, condition) } ?? condition, result: result))
        }
        var otherwise: Expression?
        if accept("else") {
            guard let expression = expression() else { return nil }
            otherwise = expression
        }
        return accept("end") ? .choice(branches, otherwise: otherwise) : nil
    }

    /// Steps over a parenthesis and returns the names in it.
    private mutating func skipParentheses() -> Set<String>? {
        let start = position
        var open = 0
        while let item = peek() {
            position += 1
            if item == .symbol("(") { open += 1 }
            if item == .symbol(")") { open -= 1 }
            if open == 0 { return Self.names(items[start..<position]) }
        }
        return nil
    }

    // MARK: - Steps

    /// The place of the next item.
    var place: Int { position }

    private func peek() -> NormalizedSQL.Item? { position < items.endIndex ? items[position] : nil }

    private func isNext(_ item: NormalizedSQL.Item) -> Bool { peek() == item }

    private mutating func accept(_ word: String) -> Bool {
        guard peek() == .keyword(word) || peek() == .word(word) else { return false }
        position += 1
        return true
    }

    private mutating func acceptSymbol(_ text: String) -> Bool {
        guard peek() == .symbol(text) else { return false }
        position += 1
        return true
    }

    private mutating func symbol() -> String {
        guard case .symbol(let text)? = peek() else { return "" }
        position += 1
        return text
    }

    private mutating func chain(
        _ words: [String], _ operand: (inout ExpressionReader) -> Expression?
    ) -> Expression? {
        guard var left = operand(&self) else { return nil }
        while let word = words.first(where: { peek() == .keyword($0) }) {
            position += 1
            guard let right = operand(&self) else { return nil }
            left = .binary(word, left, right)
        }
        return left
    }

    private mutating func signs(
        _ signs: [String], _ operand: (inout ExpressionReader) -> Expression?
    ) -> Expression? {
        guard var left = operand(&self) else { return nil }
        while case .symbol(let sign)? = peek(), signs.contains(sign) {
            position += 1
            guard let right = operand(&self) else { return nil }
            left = .binary(sign, left, right)
        }
        return left
    }
}
