import SQLiteSchema

/// A finder of the conditions in a statement.
struct ConditionFinder {
    let items: [NormalizedSQL.Item]
    private(set) var tables: [String: Set<String>] = [:]
    private(set) var found: [StatedCondition] = []
    /// The columns of two tables that are compared.
    private(set) var joins: [StatedJoin] = []
    /// The columns that SET gives another one of the same row.
    private(set) var copies: [StatedCopy] = []
    private let file: String
    private let target: String?
    private var order: [String] = []
    /// The queries that have a name.
    let queries: NamedQueries

    /// Reads a statement.
    /// - Parameters:
    ///   - table: what NEW and OLD stand for.
    ///   - target: the table to which the statement writes.
    init(_ items: [NormalizedSQL.Item], table: String? = nil, target: String? = nil, file: String) {
        (self.items, self.file, self.target) = (items, file, target)
        queries = NamedQueries(items)
        if let table { (tables["new"], tables["old"]) = ([table], [table]) }
        readTables()
        tables.merge(queries.tables) { $0.union($1) }
        readConditions()
    }

    /// Takes down what stands where a table does, with the name after it.
    private mutating func readTables() {
        for place in items.indices.dropFirst() {
            guard case .word(var name) = items[place],
                Self.beforeTable.contains(items[place - 1]) || isAfterConflictClause(place)
            else { continue }
            var next = place + 1
            if item(next) == .symbol("."), case .word(let own)? = item(next + 1) {
                name = own
                next += 2
            }
            tables[name, default: []].insert(name)
            order.append(name)
            if item(next) == .keyword("as") { next += 1 }
            if case .word(let alias)? = item(next) { tables[alias, default: []].insert(name) }
        }
    }

    /// Whether `UPDATE OR ...` stands before a place.
    private func isAfterConflictClause(_ place: Int) -> Bool {
        place >= 3 && items[place - 3] == .keyword("update") && items[place - 2] == .keyword("or")
    }

    private static let beforeTable: Set<NormalizedSQL.Item> = [
        .keyword("from"), .keyword("join"), .keyword("update"), .keyword("into"), .keyword("on"),
        .symbol(","),
        .word("join"),
    ]

    private mutating func readConditions() {
        let isDefinition = items.first == .keyword("create")
        for place in items.indices {
            switch items[place] {
            case .keyword("where"): addCondition(place)
            case .keyword("on") where !isDefinition: addCondition(place)
            case .keyword("in"): addMembership(place)
            case .keyword("using"), .word("using"): addUsing(place)
            case .keyword("natural"), .word("natural"): addNatural(place)
            case .keyword("when") where isDefinition && place < 20: add(expression(from: place + 1))
            case .keyword("case"): addBranches(place)
            case .keyword("set") where items.first == .keyword("update"): addAssignments(place + 1)
            case .word(let name) where Self.changing.contains(name) && item(place + 1) == .symbol("("):
                addChange(expression(from: place, isOperand: true))
            default: break
            }
        }
    }

    /// Functions that give some values back as they are.
    private static let changing: Set<String> = [
        "round", "trim", "ltrim", "rtrim", "lower", "upper", "substr", "substring", "abs", "cast",
    ]

    private mutating func addCondition(_ place: Int) {
        let read = expression(from: place + 1)
        add(read)
        addJoin(read, at: place)
    }

    private mutating func add(_ expression: Expression?, isChange: Bool = false) {
        guard let expression = expression?.timeless, !expression.ownColumns.isEmpty else { return }
        found.append(.init(expression: expression, tables: tables, isChange: isChange, file: file))
    }

    mutating func addJoin(
        _ pairs: [StatedJoin.Pair], at place: Int, isOuter: Bool, natural: String? = nil
    ) {
        guard !pairs.isEmpty || natural != nil, tables.count > 1 else { return }
        let isNested =
            items[..<place].count { $0 == .symbol("(") } > items[..<place].count { $0 == .symbol(")") }
        joins.append(
            .init(
                pairs: pairs.map {
                    .init(
                        left: queries.origin(of: $0.left, tables), right: queries.origin(of: $0.right, tables)
                    )
                },
                natural: natural, tables: tables, isOuter: isOuter, target: target,
                isInserted: InsertedRow.isWord(items[0], "insert") && !isNested, order: order))
    }

    /// Adds a condition for each branch that is reached, and one for the rest.
    private mutating func addBranches(_ place: Int) {
        guard case .choice(let branches, _)? = expression(from: place, isOperand: true) else { return }
        var before: Expression?
        for branch in branches.prefix(16) {
            add(before.map { .binary("and", branch.condition, $0) } ?? branch.condition)
            let passed = Expression.unary("not", branch.condition)
            before = before.map { .binary("and", $0, passed) } ?? passed
        }
        add(before)
    }

    /// Reads `a = expression, b = expression`.
    private mutating func addAssignments(_ start: Int) {
        var place = start
        while case .word(let column)? = item(place), item(place + 1) == .symbol("=") {
            var reader = reader(from: place + 2)
            guard let expression = reader.expression() else { return }
            if let source = expression.origin, let target {
                copies.append(
                    .init(
                        source: queries.origin(of: source, tables), target: target, column: column,
                        tables: tables))
            }
            let assigned = Expression.column(column)
            if expression.ownColumns.isSuperset(of: assigned.ownColumns), expression != assigned {
                add(.binary("is not", assigned, expression), isChange: true)
            }
            guard item(reader.place) == .symbol(",") else { return }
            place = reader.place + 1
        }
    }

    private mutating func addChange(_ expression: Expression?) {
        guard let expression, let name = expression.ownColumns.first, expression.ownColumns.count == 1 else {
            return
        }
        add(.binary("is not", .column(name), expression), isChange: true)
    }

    private func expression(from place: Int, isOperand: Bool = false) -> Expression? {
        var reader = reader(from: place)
        return isOperand ? reader.operand() : reader.expression()
    }

    private func reader(from place: Int) -> ExpressionReader {
        var reader = ExpressionReader(items[min(place, items.endIndex)...])
        reader.keepsQualifiers = true
        return reader
    }

    func item(_ place: Int) -> NormalizedSQL.Item? {
        items.indices.contains(place) ? items[place] : nil
    }
}
