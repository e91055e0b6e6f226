import SQLiteSchema

/// A reader of what a trigger refuses.
enum TriggerReader {
    struct Refusals {
        /// Conditions under which it raises an error.
        var conditions: [Expression] = []
        /// Whether it may leave a row out without an error.
        var ignores = false
    }

    static func refusals(_ trigger: Trigger) -> Refusals {
        var refusals = Refusals()
        let when = trigger.condition.map { ExpressionReader.expression($0) }
        for statement in trigger.body {
            let items = statement.items
            guard let place = items.firstIndex(where: { $0 == .word("raise") }),
                items.first == .keyword("select")
            else { continue }
            if place + 2 < items.count, items[place + 2] == .word("ignore") { refusals.ignores = true }
            guard let own = condition(items, place) else { continue }
            switch (when, own) {
            case (let when?, .value(.integer(1))): refusals.conditions.append(when)
            case (let when?, let own): refusals.conditions.append(.binary("and", when, own))
            case (nil, let own): refusals.conditions.append(own)
            }
        }
        return refusals
    }

    /// A column that must have a value that is in a column of another table.
    struct Reference {
        var column: String
        var parent: String
        var parentColumn: String
    }

    /// Returns the references that a trigger checks with `SELECT ... FROM parent WHERE id = NEW.a`, as was done before
    /// SQLite had foreign keys.
    static func references(_ trigger: Trigger) -> [Reference] {
        trigger.body.flatMap { statement -> [Reference] in
            let items = statement.items
            guard items.contains(.word("raise")) else { return [] }
            return items.indices.compactMap { place in
                guard items[place] == .keyword("from"), place + 8 < items.count,
                    case .word(let parent) = items[place + 1]
                else { return nil }
                var rest = items[(place + 2)...]
                if let start = rest.prefix(4).firstIndex(of: .keyword("where")) {
                    rest = items[(start + 1)...]
                }
                if rest.count > 2, rest[rest.startIndex + 1] == .symbol("."), rest.first == .word(parent) {
                    rest = rest.dropFirst(2)
                }
                let found = Array(rest.prefix(5))
                guard found.count == 5, case .word(let key) = found[0], found[1] == .symbol("="),
                    found[2] == .word("new"), found[3] == .symbol("."), case .word(let column) = found[4]
                else { return nil }
                return Reference(column: column, parent: parent, parentColumn: key)
            }
        }
    }

    /// Returns when `SELECT RAISE(...) WHERE a` or `SELECT CASE WHEN a THEN RAISE(...) END` raises; true without a
    /// condition.
    private static func condition(_ items: [NormalizedSQL.Item], _ raise: Int) -> Expression? {
        if raise == 1 {
            guard let end = items[raise...].firstIndex(of: .symbol(")")) else { return nil }
            guard end + 1 < items.count else { return .value(.integer(1)) }
            return items[end + 1] == .keyword("where")
                ? ExpressionReader.expression(items[(end + 2)...]) : nil
        }
        guard items.count > 4, items[1] == .keyword("case"), items[2] == .keyword("when"),
            items[raise - 1] == .keyword("then"), raise - 1 > 3
        else { return nil }
        return ExpressionReader.expression(items[3..<(raise - 1)])
    }
}
