import DatabaseEngine

extension RowSolver {
    /// Returns rows on which a date function may have a value (https://www.sqlite.org/lang_datefunc.html).
    func moment(
        _ name: String, _ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        let place = name == "strftime" ? 1 : 0
        guard place < arguments.count else { return [] }
        let modifiers = arguments.dropFirst(place + 1).compactMap(\.constant?.text)
        var texts: [String] = []
        switch name {
        case "strftime":
            guard let format = arguments[0].constant?.text, let text = value.text ?? number(value) else {
                return []
            }
            texts = try MomentText(format).moments(text, judge)
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
        return try values.filter { !$0.isNull }.flatMap { try equal(arguments[place], $0, row, depth) }
    }

    private func number(_ value: SQLValue) -> String? {
        if case .integer(let number) = value { "\(number)" } else { nil }
    }
}

/// A format of `strftime`, read backwards.
struct MomentText {
    private let format: [Character]

    init(_ format: String) {
        self.format = Array(
            format.replacing("%F", with: "%Y-%m-%d").replacing("%T", with: "%H:%M:%S").replacing(
                "%R", with: "%H:%M"))
    }

    /// Returns moments that have a text in this format.
    func moments(_ text: String, _ judge: RowJudge) throws -> [String] {
        var fields: [Character: String] = [
            "Y": "2024", "m": "03", "d": "05", "H": "10", "M": "15", "S": "30",
        ]
        var rest = text[...]
        var place = 0
        var extra: (Character, String)?
        while place < format.count {
            guard format[place] == "%", place + 1 < format.count else {
                guard rest.first == format[place] else { return [] }
                rest = rest.dropFirst()
                place += 1
                continue
            }
            let field = format[place + 1]
            place += 2
            let width = field == "Y" ? 4 : field == "f" ? 6 : field == "j" ? 3 : field == "w" ? 1 : 2
            let piece = "sJ".contains(field) ? String(rest) : String(rest.prefix(width))
            rest = rest.dropFirst(piece.count)
            if field == "f" { fields["S"] = piece } else { fields[field] = piece }
            if "sjwJ".contains(field) { extra = (field, piece) }
        }
        let moment = "YmdHMS".compactMap { fields[$0] }
        guard moment.count == 6 else { return [] }
        let base =
            "\(moment[0])-\(moment[1])-\(moment[2]) \(moment[3]):\(moment[4]):\(moment[5])"
        switch extra {
        case ("s", let seconds)?:
            return [try judge.scalar("datetime(?1, 'unixepoch')", [SQLValue(seconds)])?.text].compactMap(
                \.self)
        case ("J", let day)?:
            return [try judge.scalar("datetime(?1)", [SQLValue(day)])?.text].compactMap(\.self)
        case ("j", let day)?:
            let days = SQLValue("+\((Int(day) ?? 1) - 1) days")
            return [try judge.scalar("datetime(?1, ?2)", [SQLValue("\(moment[0])-01-01"), days])?.text]
                .compactMap(\.self)
        case ("w", let day)?:
            // 2024-03-03 is a Sunday.
            return [try judge.scalar("datetime('2024-03-03', ?1)", [SQLValue("+\(day) days")])?.text]
                .compactMap(\.self)
        default: return [base]
        }
    }

    /// Returns a date or a time some days away, written as it was; nil for what is not a date.
    static func moved(_ value: SQLValue, days: Int, _ judge: RowJudge) throws -> SQLValue? {
        guard let text = value.text, text.utf8.count >= 10, text.utf8.first.map({ $0 < 0x3A }) ?? false else {
            return nil
        }
        let parameters: [SQLValue] = [value, SQLValue("\(days) days")]
        guard let date = try judge.scalar("date(?1, ?2)", parameters)?.text else { return nil }
        return SQLValue(date + text.dropFirst(10))
    }
}
