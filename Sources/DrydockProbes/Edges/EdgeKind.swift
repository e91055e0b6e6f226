import DatabaseEngine

/// What is unusual about one value.
///
/// The kinds come in the order in which they break most migrations, since a wide table does not get all of them.
enum EdgeKind: CaseIterable, Sendable {
    case null, duplicate, empty, otherCase, trailingSpace, wrongClass, orphan, leadingZeros, invalidText, zero, negative,
        largest, smallest, fraction, infinity, negativeZero, blank, large, nul, foreign, quote, numberAsText

    /// Returns the values of this kind for a column, where the kind makes sense.
    /// - Parameter sample: the value of the column in an ordinary row that stands before.
    func values(_ column: ColumnPlan, sample: SQLValue, _ place: Place) -> [SQLValue] {
        switch self {
        case .null: return column.isNotNull || column.isRowid ? [] : [.null]
        case .duplicate: return place.isKey ? [] : [sample]
        case .orphan:
            guard place.mayBeOrphan else { return [] }
            return [sample.text == nil ? .integer(987_654_321) : "no such parent"]
        case .otherCase: return sample.text.map { [SQLValue(Self.swapped($0))] } ?? []
        case .trailingSpace: return sample.text.map { [SQLValue($0 + " ")] } ?? []
        case .wrongClass: return column.isStrict ? [] : wrongClass(column)
        default: break
        }
        if place.isReference { return [] }
        return column.affinity == .text || sample.text != nil ? text(column) : number(column)
    }

    /// Where a column stands.
    struct Place: Sendable {
        /// Whether it alone is a key already.
        var isKey: Bool
        /// Whether it refers to a table.
        var isReference: Bool
        /// Whether it may refer to a row that is not there.
        var mayBeOrphan: Bool
    }

    private func wrongClass(_ column: ColumnPlan) -> [SQLValue] {
        if column.isRowid { return [] }
        switch column.affinity {
        case .integer, .real, .numeric: return ["many"]
        case .text, .blob: return column.kind == .bytes ? ["text"] : [.blob([0x00, 0xFF, 0x41])]
        }
    }

    private func text(_ column: ColumnPlan) -> [SQLValue] {
        switch self {
        case .empty: return [""]
        case .blank: return [" \t"]
        case .leadingZeros: return ["007"]
        case .numberAsText: return ["12"]
        case .nul: return ["a\u{0}b"]
        case .foreign: return ["Ünï 名前 🙂"]
        case .quote: return ["O'Brien \"x\""]
        case .large: return [SQLValue(String(repeating: "long ", count: 900))]
        case .invalidText:
            switch column.kind {
            case .json: return ["{", "[]", "null", "\"text\""]
            case .date, .timestamp, .isoTimestamp, .time: return ["soon", "2024-02-30", "31.12.2023"]
            case .email, .url, .uuid, .phone: return ["none"]
            default: return ["{"]
            }
        default: return []
        }
    }

    private func number(_ column: ColumnPlan) -> [SQLValue] {
        switch self {
        case .zero: return [.integer(0)]
        case .negative: return [.integer(-1)]
        // The greatest rowid of all would be the last one of an AUTOINCREMENT.
        case .largest: return [.integer(column.isRowid ? 9_007_199_254_740_993 : .max)]
        case .smallest: return [.integer(.min)]
        case .fraction: return column.isRowid || column.isStrict && column.affinity == .integer ? [] : [.real(0.1)]
        case .infinity: return column.isRowid || column.isStrict && column.affinity == .integer ? [] : [.real(.infinity)]
        case .negativeZero: return column.affinity == .real ? [.real(-0.0)] : []
        case .empty: return column.isStrict || column.isRowid ? [] : [""]
        case .leadingZeros: return column.kind == .boolean ? [.integer(2)] : []
        default: return []
        }
    }

    /// Returns a text with small letters for large ones and the reverse.
    private static func swapped(_ text: String) -> String {
        String(
            decoding: text.utf8.map { byte in
                let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
                return isLetter ? byte ^ 0x20 : byte
            }, as: UTF8.self)
    }
}
