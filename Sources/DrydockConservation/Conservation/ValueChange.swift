import SQLiteSchema
import DrydockFindings
import DatabaseEngine
import Foundation

/// What a changed value lost, the worst kind first.
package enum ValueChange: Int, CaseIterable {
    /// The old value cannot be recovered from the new one, as 'unknown' cannot from 0.
    case replaced
    /// The old value was NULL.
    case filled
    /// Only the storage class changed: CAST recovers the old value exactly.
    case converted

    init(from old: SQLValue, to new: SQLValue, _ encoding: TextEncoding) {
        if old == .null {
            self = .filled
        } else {
            self = Self.isConversion(old, new, encoding) ? .converted : .replaced
        }
    }

    /// Whether a CAST of the new value to the old one's storage class gives the old value
    /// (https://www.sqlite.org/lang_expr.html#castexpr).
    private static func isConversion(_ old: SQLValue, _ new: SQLValue, _ encoding: TextEncoding) -> Bool {
        switch (old, new) {
        case (.integer(let old), .real(let new)): Int64(exactly: new) == old
        case (.real(let old), .integer(let new)): Double(new).bitPattern == old.bitPattern
        case (.integer(let old), .text(let bytes)): Int64(encoding.decode(bytes)) == old
        case (.real(let old), .text(let bytes)):
            Double(encoding.decode(bytes))?.bitPattern == old.bitPattern
        case (.text(let bytes), .integer(let new)): encoding.decode(bytes) == String(new)
        case (.text(let bytes), .real(let new)): encoding.decode(bytes) == text(new)
        case (.text(let old), .blob(let new)), (.blob(let old), .text(let new)): old == new
        default: false
        }
    }

    /// Returns a real as SQLite writes it: 15 significant digits, with a decimal point
    /// (https://www.sqlite.org/lang_expr.html#castexpr).
    private static func text(_ value: Double) -> String {
        guard value.isFinite else { return value < 0 ? "-Inf" : "Inf" }
        let digits = String(format: "%.15g", value)
        guard !digits.contains(".") else { return digits }
        guard let exponent = digits.firstIndex(of: "e") else { return digits + ".0" }
        return digits[..<exponent] + ".0" + digits[exponent...]
    }
}

extension SQLValue {
    /// Whether the value comes before another in a total order: by class, then by value.
    func sorts(before other: SQLValue) -> Bool {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a == b || a.isNaN || b.isNaN ? a.bitPattern < b.bitPattern : a < b
        case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
        default: rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer: 1
        case .real: 2
        case .text: 3
        case .blob: 4
        }
    }
}
