/// The value of a DEFAULT clause (https://www.sqlite.org/lang_createtable.html#the_default_clause).
///
/// Literals are typed, since `1` and `'1'` are two values. A name, quoted or not, is a text there, and a
/// literal in parentheses is that literal.
public enum DefaultValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// A floating point number as SQLite reads it, in lower case; also an integer beyond 64 bits.
    case real(String)
    case text(String)
    case blob([UInt8])
    /// TRUE and FALSE, which are 1 and 0.
    case boolean(Bool)
    case currentTime
    case currentDate
    case currentTimestamp
    case expression(SQLFragment)

    /// Returns whether both give rows the same value: TRUE is 1, and no default is NULL.
    public static func sameMeaning(_ a: DefaultValue?, _ b: DefaultValue?) -> Bool {
        meaning(a) == meaning(b)
    }

    static func meaning(_ value: DefaultValue?) -> DefaultValue {
        switch value {
        case nil: .null
        case .boolean(let isTrue): .integer(isTrue ? 1 : 0)
        case .real(let text): Double(text).map { .real("\($0)") } ?? .real(text)
        case .some(let value): value
        }
    }
}

extension DefaultValue: CustomStringConvertible {
    /// The SQL after DEFAULT.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let text): text
        case .text(let text): Self.quoted(text)
        case .blob(let bytes): "x'" + bytes.hex + "'"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .currentTime: "CURRENT_TIME"
        case .currentDate: "CURRENT_DATE"
        case .currentTimestamp: "CURRENT_TIMESTAMP"
        case .expression(let expression): "(\(expression))"
        }
    }

    /// Returns a text as a SQL literal.
    static func quoted(_ text: String) -> String { text.enclosed(in: UInt8(ascii: "'")) }
}
