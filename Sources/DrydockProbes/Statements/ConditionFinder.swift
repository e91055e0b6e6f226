import SQLiteSchema

/// A finder of the conditions in a statement.
struct ConditionFinder {
    private let items: [NormalizedSQL.Item]
    private var tables: [String: Set<String>] = [:]
    private var found: [StatedCondition] = []
    private let file: String

    /// - Parameter table: what NEW and OLD stand for.
    static func conditions(
        _ items: [NormalizedSQL.Item], table: String? = nil, file: String
    ) -> [StatedCondition] {
        var finder = ConditionFinder(items: items, file: file)
        if let table { (finder.tables["new"], finder.tables["old"]) = ([table], [table]) }
        finder.readTables()
        finder.readConditions()
        return finder.found
    }

    private init(items: [NormalizedSQL.Item], file: String) { (self.items, self.file) = (items, file) }

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
            case .keyword("where"): add(expression(from: place + 1))
            case .keyword("on") where !isDefinition: add(expression(from: place + 1))
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

    private mutating func add(_ expression: Expression?, isChange: Bool = false) {
        guard let expression = expression?.timeless, !expression.ownColumns.isEmpty else { return }
        found.append(.init(expression: expression, tables: tables, isChange: isChange, file: file))
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
            let column = Expression.column(column)
            if expression.ownColumns.isSuperset(of: column.ownColumns), expression != column {
                add(.binary("is not", column, expression), isChange: true)
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

    private func item(_ place: Int) -> NormalizedSQL.Item? {
        items.indices.contains(place) ? items[place] : nil
    }
}
