extension SQLValue {
    /// A SQL expression that gives exactly this value, whatever the database's encoding: the storage class,
    /// every digit, NUL characters and invalid text.
    public var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
        case .real(let value) where value.isInfinite: value < 0 ? "-9e999" : "9e999"
        case .real(let value): "\(value)"
        case .text(let bytes): "CAST(x'\(Self.hex(bytes))' AS TEXT)"
        case .blob(let bytes): "x'\(Self.hex(bytes))'"
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let pairs = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: pairs, as: UTF8.self)
    }
}
