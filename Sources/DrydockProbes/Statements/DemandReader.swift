import SQLiteSchema

/// What a function, a cast or an operator demands of the column that it is given: with other values it gives NULL or 0.
enum Demand: Sendable, Hashable {
    /// A date or a time as text.
    case moment(TextForm)
    /// Seconds since 1970, or milliseconds.
    case epoch(isMilliseconds: Bool)
    case number(isWhole: Bool)
    case bytes
    /// The digits of a hexadecimal number.
    case hex
}

/// A column of which a statement demands something.
struct DemandedColumn: Sendable, Hashable {
    var column: String
    var demand: Demand
}

/// A reader of what statements demand of columns. Like ``UsageReader`` it looks at a few tokens at a time.
struct DemandReader {
    private let items: [NormalizedSQL.Item]

    static func demands(_ items: [NormalizedSQL.Item]) -> [DemandedColumn] {
        let reader = DemandReader(items: items)
        return items.indices.flatMap(reader.demands)
    }

    private func demands(_ place: Int) -> [DemandedColumn] {
        guard case .word(let name) = items[place] else { return [] }
        guard item(place + 1) == .symbol("(") else {
            return isOperand(place) ? [.init(column: name, demand: .number(isWhole: true))] : []
        }
        // A table or an index may have the name of a function.
        if let before = item(place - 1), Self.beforeName.contains(before) { return [] }
        guard let demand = demand(name, place) else { return [] }
        var arguments = arguments(place + 1)
        if name == "strftime" { arguments = arguments.dropFirst() }
        return arguments.prefix(name == "timediff" ? 2 : 1).compactMap { argument in
            Self.column(items, from: argument.lowerBound).map { .init(column: $0.name, demand: demand) }
        }
    }

    private static let beforeName: Set<NormalizedSQL.Item> = [
        .keyword("into"), .keyword("table"), .keyword("references"), .keyword("from"), .keyword("join"),
        .word("join"), .keyword("on"), .keyword("exists"),
    ]

    // MARK: - Functions

    private func demand(_ name: String, _ place: Int) -> Demand? {
        switch name {
        case "strftime", "date", "time", "datetime", "julianday", "unixepoch", "timediff":
            return moment(name, place)
        case "cast": return cast(place)
        case "round", "avg", "total", "ceil", "ceiling", "floor", "sqrt", "exp", "ln", "log", "pow", "power":
            return .number(isWhole: false)
        case "abs", "sum", "sign", "mod", "char": return .number(isWhole: true)
        case "hex": return .bytes
        case "unhex": return .hex
        default: return nil
        }
    }

    /// https://www.sqlite.org/lang_datefunc.html#modifiers
    private func moment(_ name: String, _ place: Int) -> Demand? {
        let arguments = arguments(place + 1)
        let modifiers = arguments.dropFirst().compactMap { argument -> String? in
            guard argument.count == 1, case .literal(let text) = items[argument.lowerBound] else {
                return nil
            }
            return Literal.value(text)?.text?.foldedASCII
        }
        if modifiers.contains("auto") || modifiers.contains("julianday") { return nil }
        if modifiers.contains("unixepoch") {
            let isDivided = arguments.joined().contains { place in
                guard items[place] == .symbol("/"), case .literal(let text)? = item(place + 1) else {
                    return false
                }
                return text.hasPrefix("1000")
            }
            return .epoch(isMilliseconds: isDivided)
        }
        return .moment(name == "date" ? .date : name == "time" ? .time : .timestamp)
    }

    private func cast(_ place: Int) -> Demand? {
        guard let range = arguments(place + 1).first,
            let type = range.last(where: { InsertedRow.isWord(items[$0], "as") })
        else { return nil }
        let name = NormalizedSQL(items: Array(items[(type + 1)..<range.upperBound])).description
        switch Column(name: "", declaredType: name).affinity {
        case .integer: return .number(isWhole: true)
        case .real, .numeric: return .number(isWhole: false)
        case .text, .blob: return nil
        }
    }

    /// Whether a column is an operand of arithmetic.
    private func isOperand(_ place: Int) -> Bool {
        if let sign = item(place + 1), Self.signs.contains(sign) {
            switch item(place + 2) {
            case .literal(let text)?: return text.first?.isNumber ?? false
            case .word?: return true
            default: return false
            }
        }
        guard item(place + 1) != .symbol("."), let sign = item(place - 1), Self.signs.contains(sign),
            case .literal(let text)? = item(place - 2)
        else { return false }
        return text.first?.isNumber ?? false
    }

    private static let signs: Set<NormalizedSQL.Item> = [
        .symbol("*"), .symbol("/"), .symbol("%"), .symbol("+"), .symbol("-"),
    ]

    // MARK: - Tokens

    private func item(_ place: Int) -> NormalizedSQL.Item? {
        items.indices.contains(place) ? items[place] : nil
    }

    /// Returns the arguments of a call, from its parenthesis on.
    private func arguments(_ open: Int) -> ArraySlice<Range<Int>> {
        var (found, depth, start): ([Range<Int>], Int, Int) = ([], 0, open + 1)
        for place in open..<items.count {
            switch items[place] {
            case .symbol("("): depth += 1
            case .symbol(")"): depth -= 1
            case .symbol(",") where depth == 1:
                found.append(start..<place)
                start = place + 1
            default: break
            }
            guard depth == 0 else { continue }
            if start < place { found.append(start..<place) }
            break
        }
        return found[...]
    }

    /// Returns the column with which an operand begins, also behind functions that give a value of the same kind.
    /// - Returns: its name and the place after it.
    static func column(_ items: [NormalizedSQL.Item], from start: Int) -> (name: String, end: Int)? {
        var place = start
        while place + 1 < items.count {
            switch (items[place], items[place + 1]) {
            case (.symbol("("), _): place += 1
            case (.word(let function), .symbol("(")):
                guard transparent.contains(function) else { return nil }
                place += 2
            case (.keyword("replace"), .symbol("(")): place += 2
            case (.word, .symbol(".")): place += 2
            case (.word(let name), _): return (name, place + 1)
            default: return nil
            }
        }
        return nil
    }

    private static let transparent = Expression.keeping.union(["max", "min", "json", "jsonb"])
}
