import DatabaseEngine

extension RowSolver {
    /// Returns rows on which a function may have a value (https://www.sqlite.org/lang_corefunc.html).
    func call(
        _ name: String, _ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        guard let first = arguments.first else { return [] }
        switch name {
        case "length", "octet_length": return try length(first, value, row, depth)
        case "substr", "substring": return try part(arguments, value, row, depth)
        case "instr": return try position(arguments, value, row, depth)
        case "typeof": return try type(first, value, row, depth)
        case "abs":
            let negative = Arithmetic.result("-", 0, value).map { [$0] } ?? []
            return try ([value] + negative).flatMap { try equal(first, $0, row, depth) }
        case "hex":
            guard let text = value.text, case .blob(let bytes)? = Literal.value("x'\(text)'") else {
                return []
            }
            return try [.blob(bytes), .text(bytes)].flatMap { try equal(first, $0, row, depth) }
        case "unicode":
            guard case .integer(let number) = value,
                let scalar = UInt32(exactly: number).flatMap(Unicode.Scalar.init)
            else { return [] }
            return try equal(first, SQLValue(String(scalar)), row, depth)
        case "iif", "if":
            guard arguments.count > 1 else { return [] }
            let branch = Expression.Branch(condition: first, result: arguments[1])
            let choice = Expression.choice(
                [branch], otherwise: arguments.count > 2 ? arguments[2] : nil)
            return try rows(choice, .compared(.equal, value), row, depth)
        case "like", "glob":
            guard arguments.count == 2 else { return [] }
            let test = Expression.binary(name, arguments[1], first)
            return try rows(test, .truth(RowJudge.isTrue(value)), row, depth)
        case "strftime", "date", "datetime", "time", "julianday", "unixepoch":
            return try moment(name, arguments, value, row, depth)
        case "json_extract", "jsonb_extract":
            guard arguments.count == 2, let path = arguments[1].constant else { return [] }
            return try json(first, JSONInverse.path(path), value, row, depth)
        case "json_type", "json_array_length", "json_valid":
            return try jsonForm(name, arguments, value, row, depth)
        default:
            // What most functions give for ordinary values is what they are given.
            return try arguments.filter { !$0.ownColumns.isEmpty }.flatMap {
                try equal($0, value, row, depth)
            }
        }
    }

    private func length(_ operand: Expression, _ value: SQLValue, _ row: [SQLValue], _ depth: Int) throws
        -> [[SQLValue]]
    {
        guard case .integer(let number) = value, (0...100_000).contains(number) else { return [] }
        let count = Int(number)
        if case .blob(let bytes)? = try judge.value(operand, row) {
            let longer = bytes + Array(repeating: 0x41, count: max(count - bytes.count, 0))
            return try equal(operand, .blob(Array(longer.prefix(count))), row, depth)
        }
        let now = try judge.value(operand, row)?.text ?? ""
        // Digits, where a text of digits is asked for elsewhere, and the text repeated, which keeps its characters.
        let digits = String("\(key)" + String(repeating: "0", count: count)).prefix(count)
        let repeated = now.isEmpty ? "" : String(repeating: now, count: count / now.count + 1)
        let padded = now + String(repeating: "x", count: max(count - now.count, 0))
        return try [String(padded.prefix(count)), String(repeated.prefix(count)), String(digits)]
            .filter { $0.count == count }.flatMap { try equal(operand, SQLValue($0), row, depth) }
    }

    private func part(_ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue], _ depth: Int) throws
        -> [[SQLValue]]
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
        var found = try equal(arguments[0], SQLValue(kept), row, depth)
        if first == 0 { found += try equal(arguments[0], SQLValue(new), row, depth) }
        return found
    }

    private func position(_ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue], _ depth: Int)
        throws
        -> [[SQLValue]]
    {
        guard arguments.count == 2, case .integer(let number) = value,
            let text = try judge.value(arguments[0], row)?.text,
            let part = try judge.value(arguments[1], row)?.text, !part.isEmpty, number < 10_000
        else { return [] }
        guard number > 0 else {
            return try equal(arguments[0], SQLValue(text.replacing(part, with: "")), row, depth)
                + equal(arguments[1], "~", row, depth)
        }
        let rest = text.replacing(part, with: "")
        let before = rest.prefix(Int(number) - 1)
        let padding = String(repeating: "x", count: max(Int(number) - 1 - before.count, 0))
        return try [before + padding + part + rest.dropFirst(before.count), rest + part, rest + part + "x"]
            .flatMap { try equal(arguments[0], SQLValue(String($0)), row, depth) }
            + equal(arguments[1], SQLValue(String(text.prefix(1))), row, depth)
    }

    private func type(_ operand: Expression, _ value: SQLValue, _ row: [SQLValue], _ depth: Int) throws
        -> [[SQLValue]]
    {
        let values: [SQLValue] =
            switch value.text {
            case "integer": [.integer(Int64(key)), 1]
            case "real": [.real(Double(key) + 0.5)]
            case "text": [SQLValue("word \(key)"), "text"]
            case "blob": [.blob([0x41, UInt8(truncatingIfNeeded: key)])]
            case "null": [.null]
            default: []
            }
        return try values.flatMap { try equal(operand, $0, row, depth) }
    }
}
