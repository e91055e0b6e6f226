import DatabaseEngine

/// A format of `strftime`, read backwards.
struct DateTimeText {
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
