import DatabaseEngine

/// What the value of an expression is to be.
enum Goal: Sendable {
    case truth(Bool)
    case compared(Condition.Comparison, SQLValue)
    case isNull
    case isNotNull
    case matches(TextPattern, Bool)
}

/// Values that may reach a goal, the likeliest first. SQLite decides which of them do.
struct GoalValues {
    /// A number that differs from row to row.
    var key: Int
    /// Values that would be natural where the goal leaves them open.
    var natural: [SQLValue]
    /// Constants beside which a value may have to stand.
    var constants: [SQLValue] = []
    /// Whether values may be what few would type: another case, a space more.
    var isUnusual = false
    /// Moves a date by some days; nil for what is not a date.
    var moved: (SQLValue, Int) throws -> SQLValue?

    /// - Parameter current: the value that the expression has now.
    func values(_ goal: Goal, current: SQLValue?) throws -> [SQLValue] {
        switch goal {
        case .truth(let truth): [truth ? 1 : 0]
        case .isNull: [.null]
        case .isNotNull: natural
        case .matches(let pattern, true): matching(pattern, current)
        case .matches(_, false): natural + ["", "x", "1", .integer(Int64(key))]
        case .compared(.equal, let value): [value]
        case .compared(.different, let value): isUnusual ? others(value) + natural : natural + others(value)
        case .compared(.less, let value): try beside(value, -1)
        case .compared(.lessOrEqual, let value): try [value] + beside(value, -1)
        case .compared(.greater, let value): try beside(value, 1)
        case .compared(.greaterOrEqual, let value): try [value] + beside(value, 1)
        }
    }

    private func matching(_ pattern: TextPattern, _ current: SQLValue?) -> [SQLValue] {
        let word = current?.text?.split(separator: " ").first.map(String.init) ?? "x\(key)"
        return [word, "", "x\(key)", "\(key)"].map {
            SQLValue(pattern.text(number: key, filler: $0))
        }
    }

    /// Returns values that are less, or greater.
    private func beside(_ value: SQLValue, _ sign: Int) throws -> [SQLValue] {
        switch value {
        case .integer(let number):
            let steps: [Int64] = [1, 2, 7, 60, 1000, 1_000_000]
            return steps.compactMap { step in
                let (moved, isOver) = number.addingReportingOverflow(step * Int64(sign))
                return isOver ? nil : .integer(moved)
            } + [0, .integer(Int64(sign))]
        case .real(let number):
            return [1, 0.5, 0.015625, 1000].map { .real(number + $0 * Double(sign)) }
        case .text:
            var found = try [40, 400, 1, 4000].compactMap { try moved(value, $0 * sign) }
            let text = value.text ?? ""
            if sign > 0 {
                found += [SQLValue(text + "a"), SQLValue(text + "1"), "zz", "9"]
            } else {
                found += [SQLValue(String(text.dropLast())), "0", "A", ""]
            }
            return found
        case .blob(let bytes): return sign > 0 ? [.blob(bytes + [1])] : [.blob(Array(bytes.dropLast()))]
        case .null: return []
        }
    }

    private func others(_ value: SQLValue) -> [SQLValue] {
        switch value {
        case .integer(let number):
            [
                .integer(number &+ 1), .integer(number &- 1), .integer(0 &- number &- 7),
                .integer(number &+ 100_000),
            ]
                + (isUnusual ? [.real(Double(number) + 0.307_18)] : [])
        case .real(let number):
            [number + 1, number + 0.307_18, -number - 7, number + 100_000].map { .real($0) }
        case .text(let bytes):
            [SQLValue((value.text ?? "") + "x")]
                + (isUnusual ? unusual(bytes) : []) + texts(beside: value.text ?? "")
        case .blob(let bytes): [.blob(bytes + [1])]
        case .null: natural
        }
    }

    /// The text with one of the constants in front of it, after it, and among it.
    private func texts(beside text: String) -> [SQLValue] {
        constants.compactMap(\.text).filter { !$0.isEmpty && $0.utf8.count < 100 }.prefix(6).flatMap { part in
            [SQLValue(part + text), SQLValue(text + part), SQLValue(text + part + text)]
        }
    }

    private func unusual(_ bytes: [UInt8]) -> [SQLValue] {
        let swapped = bytes.map { byte in
            let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
            return isLetter ? byte ^ 0x20 : byte
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return [
            .text(swapped), .text(bytes + [0x20]), .text([0x20] + bytes), SQLValue(text + " 10:30:00"),
            SQLValue(text + String(repeating: " long", count: 200)),
        ]
    }
}
