import DatabaseEngine

/// The inverses of SQLite's functions of JSON (https://www.sqlite.org/json1.html).
struct JSONInverse {
    let judge: RowJudge
    /// A number that differs from row to row.
    let key: Int

    /// Returns what a document may have to be, so that it has a value at a path; without it where the value is NULL.
    func goals(
        _ document: Expression, at path: String?, _ value: SQLValue, _ row: [SQLValue]
    ) throws -> [OperandGoal] {
        guard let path else { return [] }
        let now = try judge.value(document, row)
        if value.isNull {
            let changed = try judge.scalar("json_remove(?1, ?2)", [now ?? "{}", SQLValue(path)])
            return [OperandGoal(document, equals: changed ?? "{}")]
        }
        return try set(document, now, path, "json_set(?1, ?2, ?3)", value)
    }

    /// Returns what a document may have to be, so that it has a form: `json_type`, `json_array_length`, `json_valid`.
    func goals(
        form name: String, _ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue]
    ) throws -> [OperandGoal] {
        let texts: [String]
        switch name {
        case "json_valid": texts = RowJudge.isTrue(value) ? ["{\"name\": \"\(key)\"}", "[]"] : ["{"]
        case "json_array_length":
            guard case .integer(let count) = value, (0...1000).contains(count) else { return [] }
            texts = ["[" + (0..<count).map { "\(key + Int($0))" }.joined(separator: ", ") + "]"]
        default: texts = Self.samples(value.text ?? "", key)
        }
        guard arguments.count > 1 else {
            return texts.map { OperandGoal(arguments[0], equals: SQLValue($0)) }
        }
        guard let path = arguments[1].constant.flatMap(Self.path) else { return [] }
        let now = try judge.value(arguments[0], row)
        return try texts.flatMap {
            try set(arguments[0], now, path, "json_set(?1, ?2, json(?3))", SQLValue($0))
        }
    }

    private func set(
        _ document: Expression, _ now: SQLValue?, _ path: String, _ sql: String, _ value: SQLValue
    ) throws -> [OperandGoal] {
        var base: SQLValue = path.hasPrefix("$[") ? "[]" : "{}"
        if let now, now.text != nil, try judge.scalar("json_valid(?1)", [now]) == .integer(1),
            try judge.scalar("json_type(?1)", [now]) == (path.hasPrefix("$[") ? "array" : "object")
        {
            base = now
        }
        // json_set makes no object above the last key.
        for outer in Self.outer(path) {
            let type = try judge.scalar("json_type(?1, ?2)", [base, SQLValue(outer)])
            guard type != "object", type != "array" else { continue }
            base = try judge.scalar("json_set(?1, ?2, json('{}'))", [base, SQLValue(outer)]) ?? base
        }
        guard let changed = try judge.scalar(sql, [base, SQLValue(path), value]) else { return [] }
        return [OperandGoal(document, equals: changed)]
    }

    /// Returns the path of `->` and `->>`, which may be a key or a place, as json_extract has it.
    static func path(_ value: SQLValue) -> String? {
        switch value {
        case .integer(let place): place < 0 ? "$[#\(place)]" : "$[\(place)]"
        case .text: value.text.map { $0.hasPrefix("$") ? $0 : "$.\"\($0)\"" }
        default: nil
        }
    }

    /// The paths above a path, from the outermost: `$.a` and `$.a.b` for `$.a.b.c`.
    private static func outer(_ path: String) -> [String] {
        var found: [String] = []
        var isQuoted = false
        for place in path.indices.dropFirst() {
            if path[place] == "\"" { isQuoted.toggle() }
            if !isQuoted, path[place] == "." { found.append(String(path[..<place])) }
        }
        return found.filter { $0 != "$" && !$0.hasSuffix("]") }
    }

    private static func samples(_ type: String, _ key: Int) -> [String] {
        switch type {
        case "object": ["{\"name\": \"\(key)\"}", "{}"]
        case "array": ["[\"\(key)\"]", "[]"]
        case "text": ["\"word \(key)\""]
        case "integer": ["\(key)"]
        case "real": ["\(key).5"]
        case "true", "false", "null": [type]
        default: []
        }
    }
}
