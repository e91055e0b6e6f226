import DatabaseEngine

extension RowSolver {
    /// Returns rows on which a document may have a value at a path; without it where the value is NULL.
    func json(
        _ document: Expression, _ path: String?, _ value: SQLValue, _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        guard let path else { return [] }
        let now = try judge.value(document, row)
        if value.isNull {
            guard let changed = try judge.scalar("json_remove(?1, ?2)", [now ?? "{}", SQLValue(path)]) else {
                return try equal(document, "{}", row, depth)
            }
            return try equal(document, changed, row, depth)
        }
        return try set(document, now, path, "json_set(?1, ?2, ?3)", value, row, depth)
    }

    /// Returns rows on which a document may have a form: `json_type`, `json_array_length`, `json_valid`.
    func jsonForm(
        _ name: String, _ arguments: [Expression], _ value: SQLValue, _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        let texts: [String]
        switch name {
        case "json_valid": texts = RowJudge.isTrue(value) ? ["{\"name\": \"\(key)\"}", "[]"] : ["{"]
        case "json_array_length":
            guard case .integer(let count) = value, (0...1000).contains(count) else { return [] }
            texts = ["[" + (0..<count).map { "\(key + Int($0))" }.joined(separator: ", ") + "]"]
        default: texts = JSONInverse.samples(value.text ?? "", key)
        }
        guard arguments.count > 1 else {
            return try texts.flatMap { try equal(arguments[0], SQLValue($0), row, depth) }
        }
        guard let path = arguments[1].constant.flatMap(JSONInverse.path) else { return [] }
        let now = try judge.value(arguments[0], row)
        return try texts.flatMap {
            try set(arguments[0], now, path, "json_set(?1, ?2, json(?3))", SQLValue($0), row, depth)
        }
    }

    private func set(
        _ document: Expression, _ now: SQLValue?, _ path: String, _ sql: String, _ value: SQLValue,
        _ row: [SQLValue], _ depth: Int
    ) throws -> [[SQLValue]] {
        var base: SQLValue = path.hasPrefix("$[") ? "[]" : "{}"
        if let now, now.text != nil, try judge.scalar("json_valid(?1)", [now]) == .integer(1),
            try judge.scalar("json_type(?1)", [now]) == (path.hasPrefix("$[") ? "array" : "object")
        {
            base = now
        }
        // json_set makes no object above the last key.
        for outer in JSONInverse.outer(path) {
            let type = try judge.scalar("json_type(?1, ?2)", [base, SQLValue(outer)])
            guard type != "object", type != "array" else { continue }
            base = try judge.scalar("json_set(?1, ?2, json('{}'))", [base, SQLValue(outer)]) ?? base
        }
        guard let changed = try judge.scalar(sql, [base, SQLValue(path), value]) else { return [] }
        return try equal(document, changed, row, depth)
    }
}

enum JSONInverse {
    /// Returns the path of `->` and `->>`, which may be a key or a place, as json_extract has it.
    static func path(_ value: SQLValue) -> String? {
        switch value {
        case .integer(let place): place < 0 ? "$[#\(place)]" : "$[\(place)]"
        case .text: value.text.map { $0.hasPrefix("$") ? $0 : "$.\"\($0)\"" }
        default: nil
        }
    }

    /// The paths above a path, from the outermost: `$.a` and `$.a.b` for `$.a.b.c`.
    static func outer(_ path: String) -> [String] {
        var found: [String] = []
        var isQuoted = false
        for place in path.indices.dropFirst() {
            if path[place] == "\"" { isQuoted.toggle() }
            if !isQuoted, path[place] == "." { found.append(String(path[..<place])) }
        }
        return found.filter { $0 != "$" && !$0.hasSuffix("]") }
    }

    static func samples(_ type: String, _ key: Int) -> [String] {
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
