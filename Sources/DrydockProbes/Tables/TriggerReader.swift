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
