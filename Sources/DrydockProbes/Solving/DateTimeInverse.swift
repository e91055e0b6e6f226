import DatabaseEngine

/// The inverses of SQLite's functions of dates and times (https://www.sqlite.org/lang_datefunc.html).
struct DateTimeInverse {
    let judge: RowJudge

    /// Returns what the moment may have to be, so that the function has a value.
    func goals(_ name: String, _ arguments: [Expression], _ value: SQLValue) throws -> [OperandGoal] {
        let place = name == "strftime" ? 1 : 0
        guard place < arguments.count else { return [] }
        let modifiers = arguments.dropFirst(place + 1).compactMap(\.constant?.text)
        var texts: [String] = []
        switch name {
        case "strftime":
            guard let format = arguments[0].constant?.text, let text = value.text ?? number(value) else {
                return []
            }
            texts = try DateTimeText(format).moments(text, judge)
        case "time": texts = [value.text.map { "2024-03-05 " + $0 }].compactMap(\.self)
        case "julianday": texts = [try judge.scalar("datetime(?1)", [value])?.text].compactMap(\.self)
        case "unixepoch":
            texts = [try judge.scalar("datetime(?1, 'unixepoch')", [value])?.text].compactMap(\.self)
        default: break
        }
        texts += [value.text].compactMap(\.self)
        // What a modifier adds is taken away before.
        for modifier in modifiers where modifier.hasPrefix("+") || modifier.hasPrefix("-") {
            let opposite = (modifier.hasPrefix("+") ? "-" : "+") + modifier.dropFirst()
            texts += try texts.compactMap {
                try judge.scalar("datetime(?1, ?2)", [SQLValue($0), SQLValue(opposite)])?.text
            }
        }
        var values = texts.map { SQLValue($0) }
        if modifiers.contains(where: { ["unixepoch", "auto"].contains($0) }) {
            values =
                try texts.compactMap {
                    try judge.scalar("CAST(strftime('%s', ?1) AS INTEGER)", [SQLValue($0)])
                } + values
        }
        // A date alone, where that is what the column has.
        values += texts.filter { $0.count > 10 }.map { SQLValue(String($0.prefix(10))) }
        return values.filter { !$0.isNull }.map { OperandGoal(arguments[place], equals: $0) }
    }

    private func number(_ value: SQLValue) -> String? {
        if case .integer(let number) = value { "\(number)" } else { nil }
    }
}
