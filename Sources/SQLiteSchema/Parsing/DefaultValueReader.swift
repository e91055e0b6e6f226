/// Reads the default of a column.
enum DefaultValueReader {
    /// Reads the value after DEFAULT (https://www.sqlite.org/lang_createtable.html#the_default_clause).
    static func read(_ cursor: inout DDLCursor) throws(SchemaError) -> DefaultValue {
        if cursor.isSymbol("(") {
            let range = cursor.groups.withoutParentheses(try cursor.parenthesis())
            return literal(range, cursor) ?? .expression(cursor.groups.expression(range))
        }
        let start = cursor.position
        if !cursor.accept(symbol: "-") { cursor.accept(symbol: "+") }
        guard cursor.token() != nil else { throw cursor.failure("expected a default value") }
        cursor.position += 1
        if let value = literal(start..<cursor.position, cursor) { return value }
        cursor.position -= 1
        if cursor.position > start {
            // `- 'x'` and the like, which SQLite computes.
            guard let token = cursor.token(),
                token.kind == .blob || token.kind == .string || isConstant(token, in: cursor.source)
            else { throw cursor.failure("expected a number") }
            cursor.position += 1
            return .expression(cursor.groups.expression(start..<cursor.position))
        }
        // A name stands for its text, quoted in any way or not (rule `ccons ::= DEFAULT scanpt id`).
        return .text(try cursor.name("a default value"))
    }

    private static func isConstant(_ token: Token, in source: SQLSource) -> Bool {
        ["null", "current_time", "current_date", "current_timestamp"].contains {
            token.isWord($0, in: source)
        }
    }

    /// Returns the literal in a range; nil if the range contains anything else.
    private static func literal(_ range: Range<Int>, _ cursor: DDLCursor) -> DefaultValue? {
        guard let first = cursor.token(ahead: range.lowerBound - cursor.position) else { return nil }
        if range.count == 2 {
            let isNegative = first.isSymbol("-", in: cursor.source)
            guard isNegative || first.isSymbol("+", in: cursor.source) else { return nil }
            let digits = cursor.tokens[range.lowerBound + 1]
            return digits.kind == .number ? number(digits.text(in: cursor.source), isNegative) : nil
        }
        guard range.count == 1 else { return nil }
        let text = first.text(in: cursor.source)
        switch first.kind {
        case .number: return number(text, false)
        case .string: return .text(first.stringValue(in: cursor.source) ?? "")
        case .blob: return .blob(bytes(hex: text.utf8.dropFirst(2).dropLast()))
        case .word:
            switch text.foldedASCII {
            case "null": return .null
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            case "current_time": return .currentTime
            case "current_date": return .currentDate
            case "current_timestamp": return .currentTimestamp
            default: return nil
            }
        default: return nil
        }
    }

    /// Returns an integer of 64 bits, in hexadecimal two's complement, or otherwise a floating point number.
    private static func number(_ text: String, _ isNegative: Bool) -> DefaultValue {
        let digits = String(decoding: text.foldedASCII.utf8.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
        let sign = isNegative ? "-" : ""
        if digits.hasPrefix("0x") {
            guard let bits = UInt64(digits.dropFirst(2), radix: 16) else { return .real(sign + digits) }
            let value = Int64(bitPattern: bits)
            return .integer(isNegative ? 0 &- value : value)
        }
        return Int64(sign + digits).map(DefaultValue.integer) ?? .real(sign + digits)
    }

    private static func bytes(hex: some Collection<UInt8>) -> [UInt8] {
        let digits = hex.map { byte -> UInt8 in
            CharacterClass.isDigit(byte) ? byte - 0x30 : lowerASCII(byte) &- 0x57
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] & 15 }
    }
}
