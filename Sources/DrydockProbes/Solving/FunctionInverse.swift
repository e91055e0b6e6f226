import DatabaseEngine

/// The inverses of SQLite's functions.
struct FunctionInverse {
    let judge: RowJudge
    /// A number that differs from row to row.
    let key: Int

    private var json: JSONInverse { JSONInverse(judge: judge, key: key) }

    /// Returns what arguments may have to be, so that the function has a value (https://www.sqlite.org/lang_corefunc.html).
    func goals(
        _ name: String, _ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue]
    ) throws -> [OperandGoal] {
        guard let first = arguments.first else { return [] }
        switch name {
        case "length", "octet_length": return try length(first, value, row)
        case "substr", "substring": return try part(arguments, value, row)
        case "instr": return try position(arguments, value, row)
        case "typeof": return type(value).map { OperandGoal(first, equals: $0) }
        case "abs":
            let negative = Arithmetic.result("-", 0, value).map { [$0] } ?? []
            return ([value] + negative).map { OperandGoal(first, equals: $0) }
        case "hex":
            guard let text = value.text, case .blob(let bytes)? = Literal.value("x'\(text)'") else {
                return []
            }
            return [.blob(bytes), .text(bytes)].map { OperandGoal(first, equals: $0) }
        case "unicode":
            guard case .integer(let number) = value,
                let scalar = UInt32(exactly: number).flatMap(Unicode.Scalar.init)
            else { return [] }
            return [OperandGoal(first, equals: SQLValue(String(scalar)))]
        case "iif", "if":
            guard arguments.count > 1 else { return [] }
            let branch = Expression.Branch(condition: first, result: arguments[1])
            let choice = Expression.choice(
                [branch], otherwise: arguments.count > 2 ? arguments[2] : nil)
            return [OperandGoal(choice, .compared(.equal, value))]
        case "like", "glob":
            guard arguments.count == 2 else { return [] }
            let test = Expression.binary(name, arguments[1], first)
            return [OperandGoal(test, .truth(RowJudge.isTrue(value)))]
        case "strftime", "date", "datetime", "time", "julianday", "unixepoch":
            return try DateTimeInverse(judge: judge).goals(name, arguments, value)
        case "json_extract", "jsonb_extract":
            guard arguments.count == 2, let path = arguments[1].constant else { return [] }
            return try json.goals(first, at: JSONInverse.path(path), value, row)
        case "json_type", "json_array_length", "json_valid":
            return try json.goals(form: name, arguments, value, row)
        default:
            // What most functions give for ordinary values is what they are given.
            return arguments.filter { !$0.ownColumns.isEmpty }.map { OperandGoal($0, equals: value) }
        }
    }

    private func length(_ operand: Expression, _ value: SQLValue, _ row: [SQLValue]) throws
        -> [OperandGoal]
    {
        guard case .integer(let number) = value, (0...100_000).contains(number) else { return [] }
        let count = Int(number)
        if case .blob(let bytes)? = try judge.value(operand, row) {
            let longer = bytes + Array(repeating: 0x41, count: max(count - bytes.count, 0))
            return [OperandGoal(operand, equals: .blob(Array(longer.prefix(count))))]
        }
        let now = try judge.value(operand, row)?.text ?? ""
        // Digits, where a text of digits is asked for elsewhere, and the text repeated, which keeps its characters.
        let digits = String("\(key)" + String(repeating: "0", count: count)).prefix(count)
        let repeated = now.isEmpty ? "" : String(repeating: now, count: count / now.count + 1)
        let padded = now + String(repeating: "x", count: max(count - now.count, 0))
        return [String(padded.prefix(count)), String(repeated.prefix(count)), String(digits)]
            .filter { $0.count == count }.map { OperandGoal(operand, equals: SQLValue($0)) }
    }

    private func part(_ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue]) throws
        -> [OperandGoal]
    {
        guard arguments.count > 1, case .integer(let start)? = try judge.value(arguments[1], row),
            let new = value.text ?? value.number.map({ "\($0)" }), abs(start) < 10_000
        else { return [] }
        var count = Int.max
        if arguments.count > 2 {
            guard case .integer(let number)? = try judge.value(arguments[2], row), number >= 0 else {
                return []
            }
            count = Int(clamping: number)
        }
        let now = Array(try judge.value(arguments[0], row)?.text ?? "")
        let first = start > 0 ? Int(start) - 1 : max(now.count + Int(start), 0)
        let before = now.prefix(first) + Array(repeating: "x", count: max(first - now.count, 0))
        let end = count == Int.max ? now.count : min(first + count, now.count)
        let after = count == Int.max ? [] : now.dropFirst(end)
        let kept = String(before) + new + String(after)
        return (first == 0 ? [kept, new] : [kept]).map { OperandGoal(arguments[0], equals: SQLValue($0)) }
    }

    private func position(_ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue]) throws
        -> [OperandGoal]
    {
        guard arguments.count == 2, case .integer(let number) = value,
            let text = try judge.value(arguments[0], row)?.text,
            let part = try judge.value(arguments[1], row)?.text, !part.isEmpty, number < 10_000
        else { return [] }
        guard number > 0 else {
            return [
                OperandGoal(arguments[0], equals: SQLValue(text.replacing(part, with: ""))),
                OperandGoal(arguments[1], equals: "~"),
            ]
        }
        let rest = text.replacing(part, with: "")
        let before = rest.prefix(Int(number) - 1)
        let padding = String(repeating: "x", count: max(Int(number) - 1 - before.count, 0))
        return [before + padding + part + rest.dropFirst(before.count), rest + part, rest + part + "x"]
            .map { OperandGoal(arguments[0], equals: SQLValue(String($0))) }
            + [OperandGoal(arguments[1], equals: SQLValue(String(text.prefix(1))))]
    }

    /// Returns values of a storage class.
    private func type(_ value: SQLValue) -> [SQLValue] {
        switch value.text {
        case "integer": [.integer(Int64(key)), 1]
        case "real": [.real(Double(key) + 0.5)]
        case "text": [SQLValue("word \(key)"), "text"]
        case "blob": [.blob([0x41, UInt8(truncatingIfNeeded: key)])]
        case "null": [.null]
        default: []
        }
    }
}
