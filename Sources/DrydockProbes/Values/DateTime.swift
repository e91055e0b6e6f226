/// Points in time as texts and as numbers. Nothing depends on the clock.
struct DateTime: Sendable {
    /// Days since 2024-01-01.
    var day: Int

    /// Seconds since 1970, at half past nine.
    var seconds: Int { 1_704_067_200 + day * 86_400 + 34_200 + day % 60 }

    /// Such as `2024-01-05`.
    var date: String {
        // The civil calendar from days: http://howardhinnant.github.io/date_algorithms.html#civil_from_days
        let days = day + 19_723 + 719_468
        let era = days / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        let number = month < 10 ? month + 3 : month - 9
        return "\(year)-\(Self.two(number))-\(Self.two(dayOfYear - (153 * month + 2) / 5 + 1))"
    }

    /// Such as `09:30:05`.
    var time: String { "\(Self.two(9 + day % 8)):\(Self.two(30 + day / 8 % 30)):\(Self.two(day % 60))" }

    /// The forms in which texts have it, the most usual first.
    var texts: [String] {
        [
            "\(date) \(time)", "\(date)T\(time)Z", date, "\(date)T\(time).000Z", "\(date) \(time).000",
            "\(date)T\(time)",
            "\(date)T\(time)+00:00", "\(date) \(time)+00:00", "\(date) \(time) +0000 UTC", time,
        ]
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
