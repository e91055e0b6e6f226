import DatabaseEngine
import SQLiteSchema

/// A reader of the comparisons and the uses of JSON in a statement or a part of one.
///
/// It looks at a few tokens at a time and needs no grammar: what it misses costs a telling row, nothing else.
struct UsageReader {
    private let items: [NormalizedSQL.Item]
    private var usage = Usage()
    /// The columns of which `json_each` gives the elements, by the name under which it does.
    private let elements: [String: String]

    private init(_ items: [NormalizedSQL.Item]) {
        self.items = items
        elements = JSONElements.columns(items)
    }

    static func usage(_ items: [NormalizedSQL.Item], comparisons: Bool = true) -> Usage {
        var reader = UsageReader(items)
        reader.read(comparisons)
        return reader.usage
    }

    private mutating func read(_ comparisons: Bool) {
        var depth = 0
        var assignmentDepth: Int?
        for place in items.indices {
            switch items[place] {
            case .symbol("("): depth += 1
            case .symbol(")"): depth -= 1
            case .keyword("set"): assignmentDepth = depth
            case .keyword("where"), .keyword("from"), .symbol(";"):
                if let open = assignmentDepth, depth <= open { assignmentDepth = nil }
            case .word(let name):
                if item(place + 1) == .symbol("(") {
                    readJSONCall(name, place)
                } else if item(place + 1) != .symbol(".") {
                    readJSONOperator(name, place)
                    let before = item(start(of: place) - 1)
                    let isAssigned =
                        assignmentDepth == depth && (before == .keyword("set") || before == .symbol(","))
                    if comparisons, !isAssigned { readComparison(name, place) }
                }
            case .literal where comparisons && item(place + 1) == .symbol("="):
                guard let name = columnEnding(from: place + 2), let value = literal(place) else { break }
                add(name, value)
            default: break
            }
        }
    }

    // MARK: - Comparisons

    private mutating func readComparison(_ name: String, _ place: Int) {
        let first = start(of: place)
        if item(first - 1) == .keyword("case"), item(place + 1) == .keyword("when") {
            return readBranches(name, place + 1)
        }
        var next = place + 1
        if item(first - 1) == .symbol("("), case .word(let function)? = item(first - 2),
            Self.transparent.contains(function)
        {
            if item(next) == .symbol(","), literal(next + 1) != nil { next += 2 }
            guard item(next) == .symbol(")") else { return }
            next += 1
        }
        if item(next) == .keyword("not") || item(next) == .keyword("is") && item(next + 1) == .keyword("not")
        {
            next += 1
        }
        switch item(next) {
        case .symbol("="), .symbol("<>"), .symbol("<="), .symbol(">="), .keyword("is"), .keyword("not"),
            .keyword("between"):
            if let value = literal(next + 1) { add(name, value) }
        case .symbol("<"), .symbol(">"):
            guard case .integer(let value)? = literal(next + 1) else { break }
            add(name, .integer(item(next) == .symbol("<") ? value &- 1 : value &+ 1))
        case .keyword("in"):
            guard item(next + 1) == .symbol("(") else { break }
            var place = next + 2
            while let value = literal(place) {
                add(name, value)
                place += item(place) == .symbol("-") ? 2 : 1
                guard item(place) == .symbol(",") else { break }
                place += 1
            }
        case .word("like"), .word("glob"):
            guard let text = literal(next + 1)?.text else { break }
            let pattern = item(next) == .word("like") ? TextPattern(like: text) : TextPattern(glob: text)
            add(name, SQLValue(pattern.text(number: 7, filler: "some")), pattern)
        default: break
        }
    }

    private mutating func readBranches(_ name: String, _ start: Int) {
        var depth = 0
        for place in start..<items.count {
            switch items[place] {
            case .keyword("case"): depth += 1
            case .keyword("end"):
                depth -= 1
                if depth < 0 { return }
            case .keyword("when") where depth == 0:
                if let value = literal(place + 1) { add(name, value) }
            default: break
            }
        }
    }

    private mutating func add(_ name: String, _ value: SQLValue, _ pattern: TextPattern? = nil) {
        guard !value.isNull else { return }
        usage.comparisons.append(.init(column: name, value: value, pattern: pattern))
    }

    private static let transparent: Set<String> = ["lower", "upper", "trim", "coalesce", "ifnull"]

    // MARK: - JSON

    private mutating func readJSONCall(_ function: String, _ place: Int) {
        guard function.hasPrefix("json"), !Self.writers.contains(function),
            let (name, end) = DemandReader.column(items, from: place + 2)
        else { return }
        var use = use(name, before: end)
        if item(end) == .symbol(","), let path = literal(end + 1)?.text, path.hasPrefix("$") {
            use.path = path
            if item(end + 2) == .symbol(")") { use.value = comparedLiteral(end + 3) }
        } else if ["json_each", "json_array_length", "jsonb_each"].contains(function) {
            use.shape = .array
        }
        usage.json.append(use)
    }

    private mutating func readJSONOperator(_ name: String, _ place: Int) {
        guard item(place + 1) == .symbol("->") || item(place + 1) == .symbol("->>"),
            let key = literal(place + 2)
        else { return }
        var use = use(name, before: place + 1)
        (use.path, use.value) = (key.text, comparedLiteral(place + 3))
        usage.json.append(use)
    }

    /// Returns the use of a column that ends before a place: that of what `json_each` reads, for the `value` that it gives.
    private func use(_ name: String, before end: Int) -> Usage.JSONUse {
        guard name == "value", !elements.isEmpty else { return .init(column: name) }
        var column: String?
        if item(end - 2) == .symbol("."), case .word(let table)? = item(end - 3) {
            column = elements[table]
        } else if Set(elements.values).count == 1 {
            column = elements.values.first
        }
        return column.map { .init(column: $0, isElement: true) } ?? .init(column: name)
    }

    private func comparedLiteral(_ place: Int) -> SQLValue? {
        switch item(place) {
        case .symbol("="), .symbol("<>"), .keyword("is"): literal(place + 1)
        case .keyword("in") where item(place + 1) == .symbol("("): literal(place + 2)
        default: nil
        }
    }

    /// Functions of which the arguments are not JSON.
    private static let writers: Set<String> = [
        "json_object", "json_array", "json_quote", "json_group_array", "json_group_object", "jsonb_object",
        "jsonb_array", "jsonb_group_array", "jsonb_group_object",
    ]

    // MARK: - Tokens

    private func item(_ place: Int) -> NormalizedSQL.Item? {
        items.indices.contains(place) ? items[place] : nil
    }

    /// The place where a name with its qualifiers begins.
    private func start(of place: Int) -> Int {
        var place = place
        while item(place - 1) == .symbol("."), case .word? = item(place - 2) { place -= 2 }
        return place
    }

    private func column(from place: Int) -> (name: String, end: Int)? {
        var place = place
        while case .word(let name)? = item(place) {
            guard item(place + 1) == .symbol(".") else {
                return item(place + 1) == .symbol("(") ? nil : (name, place + 1)
            }
            place += 2
        }
        return nil
    }

    private func columnEnding(from place: Int) -> String? { column(from: place)?.name }

    private func literal(_ place: Int) -> SQLValue? {
        switch item(place) {
        case .literal(let text): return Literal.value(text)
        case .keyword("true"): return .integer(1)
        case .keyword("false"): return .integer(0)
        case .symbol("-"):
            guard case .literal(let text)? = item(place + 1) else { return nil }
            return Literal.value(text).flatMap { Expression.unary("-", .value($0)).constant }
        default: return nil
        }
    }
}
