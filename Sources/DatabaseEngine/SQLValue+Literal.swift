import SQLiteSchema

extension SQLValue {
    /// A SQL expression that gives exactly this value, whatever the database's encoding: the storage class,
    /// every digit, NUL characters and invalid text.
    public var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
        case .real(let value) where value.isInfinite: value < 0 ? "-9e999" : "9e999"
        case .real(let value): "\(value)"
        case .text(let bytes): "CAST(x'\(bytes.hex)' AS TEXT)"
        case .blob(let bytes): "x'\(bytes.hex)'"
        }
    }
}
