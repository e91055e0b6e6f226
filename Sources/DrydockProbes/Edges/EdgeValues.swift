import DatabaseEngine

/// The unusual values of a column, those that break most migrations first.
struct EdgeValues {
    /// Where a column stands.
    struct Place: Sendable {
        /// Whether it alone is a key already.
        var isKey: Bool
        /// Whether it refers to a table.
        var isReference: Bool
        /// Whether it may refer to a row that is not there.
        var mayBeOrphan: Bool
    }

    private(set) var all: [SQLValue] = []

    /// - Parameter sample: the value of the column in an ordinary row that stands before.
    init(_ column: ColumnPlan, sample: SQLValue, _ place: Place) {
        if column.isImplicit { return }
        if column.isRowid {
            // The greatest rowid of all would be the last one of an AUTOINCREMENT.
            all =
                place.isReference && !place.mayBeOrphan ? [] : [0, -1, 9_007_199_254_740_993, .integer(.min)]
            return
        }
        let null: [SQLValue] = column.isNotNull ? [] : [.null]
        let duplicate = place.isKey ? [] : [sample]
        if place.isReference {
            let orphan: SQLValue = sample.text == nil ? .integer(987_654_321) : "no such parent"
            all = null + duplicate + (place.mayBeOrphan ? [orphan] : [])
        } else if let text = sample.text {
            all = Self.first(column) + null + duplicate + Self.alike(text) + Self.texts(column)
        } else if case .blob = sample {
            all = null + duplicate + [.blob([])] + (column.isStrict ? [] : ["text", ""])
        } else {
            all = null + duplicate + Self.numbers(column)
        }
        var seen: Set<SQLValue> = []
        all = all.filter { seen.insert($0).inserted }
    }

    /// Values that the readers of a column of this kind do not understand.
    private static func first(_ column: ColumnPlan) -> [SQLValue] {
        switch column.kind {
        case .json: ["{", "[]", "null", "\"text\""]
        case .date, .timestamp, .isoTimestamp, .time: ["soon", "2024-02-30"]
        default: []
        }
    }

    /// Texts that differ from another one only in case, or by a space at the end.
    private static func alike(_ text: String) -> [SQLValue] {
        let swapped = text.utf8.map { byte in
            let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
            return isLetter ? byte ^ 0x20 : byte
        }
        return [.text(swapped), SQLValue(text + " ")]
    }

    private static func texts(_ column: ColumnPlan) -> [SQLValue] {
        var other: [SQLValue] = column.isStrict ? [] : [.blob([0x00, 0xFF, 0x41])]
        // A column that converts nothing keeps numbers as they are, and one of another type does not.
        if !column.isStrict, column.affinity == .blob { other += [5, .real(1.5)] }
        return [""] + other + [
            "007", "{", " \t", "12", "a\u{0}b", "Ünï 名前 🙂", "O'Brien \"x\"",
            SQLValue(String(repeating: "long ", count: 900)), "31.12.2023",
        ]
    }

    private static func numbers(_ column: ColumnPlan) -> [SQLValue] {
        let isInteger = column.isStrict && column.affinity == .integer
        let reals: [SQLValue] = isInteger ? [] : [.real(0.1), .real(.infinity)]
        let zero: [SQLValue] = column.affinity == .real ? [.real(-0.0)] : column.isBoolean ? [2] : []
        let text: [SQLValue] = column.isStrict ? [] : ["many"]
        let empty: [SQLValue] = column.isStrict ? [] : [""]
        return text + [0, -1, .integer(.max)] + zero + reals + empty + [.integer(.min)]
    }
}
