/// A range of values as monitoring plugins write it: a value outside of it is an alert.
///
/// `10` is 0 to 10, `10:` is 10 or more, `~:10` is 10 or less, `10:20` is from 10 to 20, both included, `@` before a
/// range inverts it
/// (https://www.monitoring-plugins.org/doc/guidelines.html#THRESHOLDFORMAT).
public struct AlertRange: Sendable, Hashable {
    public var lowest: Double
    public var highest: Double
    /// Whether a value inside the range is an alert.
    public var isInverted: Bool
    /// The range as written.
    public let text: String

    public init?(_ text: String) {
        self.text = text
        isInverted = text.hasPrefix("@")
        let parts = text.drop { $0 == "@" }.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let last = parts.last, !(parts.count == 1 && last.isEmpty),
            text.prefix(2) != "@@"
        else { return nil }
        guard let highest = last.isEmpty ? .infinity : Self.number(last) else { return nil }
        self.highest = highest
        lowest = 0
        if parts.count == 2 {
            guard let lowest = parts[0] == "~" ? -.infinity : parts[0].isEmpty ? 0 : Self.number(parts[0])
            else {
                return nil
            }
            self.lowest = lowest
        }
        guard lowest <= highest else { return nil }
    }

    private static func number(_ text: Substring) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    public func alerts(_ value: Double) -> Bool {
        let isInside = value >= lowest && value <= highest
        return isInside == isInverted
    }
}

/// The values of a measure that are a warning, and those that are an error.
public struct HealthThreshold: Sendable, Hashable, Codable {
    public var warning: AlertRange?
    public var critical: AlertRange?

    public init(warning: AlertRange? = nil, critical: AlertRange? = nil) {
        (self.warning, self.critical) = (warning, critical)
    }

    package init(warning: String, critical: String? = nil) {
        self.init(warning: AlertRange(warning), critical: critical.flatMap(AlertRange.init))
    }

    /// - Returns: nil if the value is healthy.
    package func severity(of value: Double) -> Finding.Severity? {
        if critical?.alerts(value) == true { return .error }
        return warning?.alerts(value) == true ? .warning : nil
    }
}

/// A range is written as its text, since JSON has no infinity.
extension AlertRange: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let range = AlertRange(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a range")
        }
        self = range
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
