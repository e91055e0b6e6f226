import SQLiteSchema

/// Columns of two tables that a statement compares: `JOIN b ON a.code = b.code`, `USING (code)`, `NATURAL JOIN b`,
/// `WHERE a.x = b.y`, `x IN (SELECT y FROM b)`.
struct StatedJoin: Sendable, Hashable {
    /// Columns with the qualifiers that they have, see ``ExpressionReader/qualified(_:by:)``.
    struct Pair: Sendable, Hashable { var left, right: String }

    var pairs: [Pair]
    /// The table of which all columns are compared with those of the others that have their names.
    var natural: String?
    /// The tables that the statement names, by what they are called there.
    var tables: [String: Set<String>]
    /// Whether rows without a partner are usual too: LEFT JOIN, and conditions that only some rows are to meet.
    var isOuter = false
    /// The table that the statement writes to, and whether each row of the join is one that it inserts.
    var target: String?
    var isInserted = false
    /// The tables in the order in which they are named.
    var order: [String] = []

    /// Returns the pairs of columns that a condition compares.
    static func pairs(_ expression: Expression) -> [Pair] {
        Constraint(expression: expression).conjuncts.compactMap { part in
            guard part.isWanted, case .binary(let sign, let a, let b) = part.expression,
                sign == "=" || sign == "is",
                let left = a.origin, let right = b.origin, left != right
            else { return nil }
            return Pair(left: left, right: right)
        }
    }
}

extension Expression {
    /// The column of which an expression has the values, as they are or nearly so.
    var origin: String? {
        switch self {
        case .column(let name): return name
        case .call(let name, let arguments) where Self.keeping.contains(name):
            return arguments.first.flatMap(\.origin)
        case .choice(let branches, let otherwise):
            let results = branches.map(\.result) + [otherwise].compactMap(\.self)
            let origins = Set(results.filter { $0.constant == nil }.map(\.origin))
            return origins.count == 1 ? origins.first ?? nil : nil
        default: return nil
        }
    }

    /// Functions that give some values of their first argument back as they are, or nearly so.
    static let keeping: Set<String> = [
        "lower", "upper", "trim", "ltrim", "rtrim", "substr", "substring", "replace", "coalesce", "ifnull",
        "nullif", "cast",
    ]
}

/// A column that a statement copies into one of another table.
struct StatedCopy: Sendable, Hashable {
    /// With the qualifier that it has.
    var source: String
    var target: String
    /// The name of the column, or its place among those that are stored.
    var column: String?
    var place = 0
    var tables: [String: Set<String>]

    /// Returns what an INSERT copies from the tables that a finder has seen in it.
    static func copies(_ statement: SQLStatement, _ finder: ConditionFinder) -> [StatedCopy] {
        guard case .insert(let target, let columns, let copy?) = statement.action else { return [] }
        let tables = finder.tables.filter { !$0.value.contains(target.name.foldedASCII) }
        return copy.items.enumerated().compactMap { place, item in
            guard let source = finder.queries.origin(of: item, finder.tables) else { return nil }
            return StatedCopy(
                source: source,
                target: target.name.foldedASCII,
                column: columns.flatMap { $0.indices.contains(place) ? $0[place].foldedASCII : nil },
                place: place,
                tables: tables)
        }
    }
}

extension ConditionFinder {
    /// Adds the columns that ON or WHERE compares.
    mutating func addJoin(_ expression: Expression?, at place: Int) {
        guard let expression else { return }
        let isOuter = item(place) == .keyword("on") ? isLeftJoin(place) : isTest(place)
        addJoin(StatedJoin.pairs(expression), at: place, isOuter: isOuter)
    }

    /// Adds `USING (a, b)`.
    mutating func addUsing(_ place: Int) {
        guard item(place + 1) == .symbol("("), let joined = tableBefore(place) else { return }
        var (pairs, next): ([StatedJoin.Pair], Int) = ([], place + 2)
        while case .word(let name)? = item(next) {
            pairs.append(.init(left: name, right: ExpressionReader.qualified(name, by: joined)))
            next += item(next + 1) == .symbol(",") ? 2 : 1
        }
        addJoin(pairs, at: place, isOuter: isLeftJoin(place))
    }

    /// Adds `NATURAL JOIN table`, also with LEFT, INNER and the like before JOIN.
    mutating func addNatural(_ place: Int) {
        guard
            let join = (place + 1..<place + 4).first(where: { next in
                item(next).map { InsertedRow.isWord($0, "join") } ?? false
            }),
            case .word(let joined)? = item(join + 1)
        else { return }
        addJoin([], at: place, isOuter: isLeft(join), natural: joined)
    }

    /// Adds `a IN (SELECT b FROM table)`.
    mutating func addMembership(_ place: Int) {
        guard item(place + 1) == .symbol("("), item(place + 2) == .keyword("select") else { return }
        var before = place - 1
        if item(before) == .keyword("not") { before -= 1 }
        while item(before) == .symbol(")") { before -= 1 }
        guard case .word(var left)? = item(before) else { return }
        if item(before - 1) == .symbol("."), case .word(let qualifier)? = item(before - 2) {
            left = ExpressionReader.qualified(left, by: qualifier)
        }
        var next = place + 3
        if item(next) == .keyword("distinct") || item(next) == .word("distinct") { next += 1 }
        guard let (name, end) = DemandReader.column(items, from: next) else { return }
        var (depth, from) = (0, end)
        while let item = item(from), depth >= 0, item != .keyword("from") || depth > 0 {
            if item == .symbol("(") { depth += 1 }
            if item == .symbol(")") { depth -= 1 }
            from += 1
        }
        guard case .word(let table)? = item(from + 1), item(from) == .keyword("from") else { return }
        let right = ExpressionReader.qualified(name, by: table)
        addJoin([.init(left: left, right: right)], at: place, isOuter: true)
    }

    /// The name of the table that a JOIN adds, before its ON or USING.
    private func tableBefore(_ place: Int) -> String? {
        guard case .word(let name)? = item(place - 1) else { return nil }
        return name
    }

    /// Whether LEFT, RIGHT or FULL stands before the JOIN to which an ON or USING belongs.
    private func isLeftJoin(_ place: Int) -> Bool {
        var (before, depth) = (place - 1, 0)
        while before > 0 {
            if item(before) == .symbol(")") { depth += 1 }
            if item(before) == .symbol("(") { depth -= 1 }
            if depth < 0 { return false }
            if depth == 0, let found = item(before), InsertedRow.isWord(found, "join") { break }
            before -= 1
        }
        return isLeft(before)
    }

    /// Whether LEFT, RIGHT or FULL stands before a JOIN.
    private func isLeft(_ join: Int) -> Bool {
        [join - 1, join - 2].contains { place in
            item(place).map { item in ["left", "right", "full"].contains { InsertedRow.isWord(item, $0) } }
                ?? false
        }
    }

    /// Whether a WHERE stands in a query that only tests whether it has rows.
    private func isTest(_ place: Int) -> Bool {
        var (before, depth) = (place - 1, 0)
        while before > 0 {
            if item(before) == .symbol(")") { depth += 1 }
            if item(before) == .symbol("(") { depth -= 1 }
            if depth < 0 {
                return item(before - 1) == .keyword("exists") || item(before - 1) == .keyword("in")
            }
            before -= 1
        }
        return false
    }
}
