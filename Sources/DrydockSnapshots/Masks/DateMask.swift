/// Masks dates as `2026-01-31`, with or without a time after it: all move by the same secret number of days, so that their
/// order and the time between them stay. The first day of the year 1 and the last of 9999, by which programs mean never,
/// stay as they are.
struct DateMask: Sendable {
    let cipher: MaskCipher

    /// How many days there are from the year 1 to the year 9999.
    private static let range = 3_652_059

    /// - Returns: nil if the text is not a date.
    func mask(_ text: [UInt8]) -> [UInt8]? {
        guard let (year, month, day) = Self.date(text) else { return nil }
        // From a month to four years.
        let shift = 30 + Int(cipher.constant("days", below: 1431))
        let day0 = Self.days(year, month, day)
        guard day0 > 0, day0 < Self.range - 1 else { return text }
        let inner = Self.range - 2
        let date = Self.date(days: (day0 - 1 + inner - shift) % inner + 1)
        return Self.padded(date.year, 4) + [45] + Self.padded(date.month, 2) + [45] + Self.padded(date.day, 2)
            + text[10...]
    }

    static func isDate(_ text: [UInt8]) -> Bool { date(text) != nil }

    private static func date(_ text: [UInt8]) -> (year: Int, month: Int, day: Int)? {
        guard text.count >= 10, text.count <= 40, text[4] == 45, text[7] == 45 else { return nil }
        guard let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
            year >= 1, (1...12).contains(month), day >= 1, day <= length(of: month, in: year)
        else { return nil }
        let rest = text[10...]
        if let first = rest.first {
            guard first == UInt8(ascii: " ") || first == UInt8(ascii: "T"), rest.count > 1,
                rest.dropFirst().allSatisfy({ (48...57).contains($0) || ":.Z+- ".utf8.contains($0) })
            else { return nil }
        }
        return (year, month, day)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    private static func padded(_ number: Int, _ count: Int) -> [UInt8] {
        let digits = Array("\(number)".utf8)
        return Array(repeating: 48, count: max(0, count - digits.count)) + digits
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(of month: Int, in year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Returns the days since the first of January of the year 1 in the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let past = year - 1
        let months = (1..<month).reduce(0) { $0 + length(of: $1, in: year) }
        return past * 365 + past / 4 - past / 100 + past / 400 + months + day - 1
    }

    private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        var year = days / 366 + 1
        while days >= self.days(year + 1, 1, 1) { year += 1 }
        var (month, rest) = (1, days - self.days(year, 1, 1))
        while rest >= length(of: month, in: year) {
            rest -= length(of: month, in: year)
            month += 1
        }
        return (year, month, rest + 1)
    }
}
