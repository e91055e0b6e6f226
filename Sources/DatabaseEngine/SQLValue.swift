/// A value as SQLite stores it: one of five storage classes
/// (https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes).
///
/// Text is kept as bytes in the database's encoding, because SQLite stores what it is given, including NUL
/// characters and sequences that are not valid in the encoding. Two values are equal if their storage class
/// and bits are, so `1` is not `1.0`, and `0.0` is not `-0.0`.
public enum SQLValue: Sendable, Codable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}

/// How SQLite stores a value (https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes).
package enum ColumnStorage: Int, Sendable, Hashable, CaseIterable {
    case null, integer, real, text, blob
}

extension SQLValue: Hashable {
    public static func == (a: SQLValue, b: SQLValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .text(let bytes), .blob(let bytes):
            // An array would combine byte by byte, which is slow.
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
            hasher.combine(bytes.count)
        }
    }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .text(Array(value.utf8)) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(_ text: String) { self = .text(Array(text.utf8)) }
}
