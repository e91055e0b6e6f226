import SQLiteSchema

/// What came with which version of SQLite (https://www.sqlite.org/changes.html).
struct SQLiteFeature {
    var since: SQLiteVersion
    var what: String
    var token: Token?

    /// What a statement uses that some SQLite of the last years does not know.
    static func features(of step: LintStep) -> [SQLiteFeature] {
        var features = ofWords(step.statement) + ofFunctions(step.statement) + ofAction(step)
        if let token = step.statement.tokens.first(where: { token in
            ["->", "->>"].contains { token.isSymbol($0, in: step.statement.source) }
        }) {
            features.append(.init(since: .init(38), what: "the operator ->", token: token))
        }
        return features
    }

    /// Words that stand one after the other wherever the feature is used.
    private static let words: [(words: [String], minor: Int, what: String)] = [
        (["without", "rowid"], 8, "WITHOUT ROWID"), (["true"], 23, "TRUE"), (["false"], 23, "FALSE"),
        (["rename", "column"], 25, "RENAME COLUMN"), (["nulls", "first"], 30, "NULLS FIRST"),
        (["nulls", "last"], 30, "NULLS LAST"), (["generated", "always"], 31, "a generated column"),
        (["as", "materialized"], 35, "MATERIALIZED"), (["not", "materialized"], 35, "NOT MATERIALIZED"),
        (["right", "join"], 39, "RIGHT JOIN"), (["full", "join"], 39, "FULL JOIN"),
        (["right", "outer", "join"], 39, "RIGHT JOIN"), (["full", "outer", "join"], 39, "FULL JOIN"),
        (["is", "distinct", "from"], 39, "IS DISTINCT FROM"),
        (["is", "not", "distinct", "from"], 39, "IS NOT DISTINCT FROM"),
    ]

    private static func ofWords(_ statement: SQLStatement) -> [SQLiteFeature] {
        words.compactMap { entry in
            statement.first(entry.words).map { .init(since: .init(entry.minor), what: entry.what, token: $0) }
        }
    }

    /// Functions of SQLite's own by the version that they came with.
    private static let functions: [String: Int] = {
        let table: [Int: [String]] = [
            8: ["printf", "instr", "unicode", "char"],
            9: [
                "json", "json_array", "json_array_length", "json_extract", "json_insert", "json_object",
                "json_remove", "json_replace", "json_set", "json_type", "json_valid", "json_each",
                "json_tree",
            ],
            10: ["json_group_array", "json_group_object"], 14: ["json_quote"], 18: ["json_patch"],
            32: ["iif"], 34: ["substring"],
            35: [
                "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh",
                "degrees", "exp", "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power",
                "radians",
                "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
            ],
            38: ["unixepoch", "format"], 41: ["unhex"], 42: ["json_error_position"],
            43: ["octet_length", "timediff"], 44: ["concat", "concat_ws", "string_agg"],
            45: [
                "jsonb", "jsonb_array", "jsonb_extract", "jsonb_insert", "jsonb_object", "jsonb_patch",
                "jsonb_remove", "jsonb_replace", "jsonb_set", "jsonb_group_array", "jsonb_group_object",
            ],
            46: ["json_pretty"], 48: ["if"], 50: ["unistr", "unistr_quote"],
        ]
        return table.reduce(into: [:]) { result, entry in
            for name in entry.value { result[name] = entry.key }
        }
    }()

    private static func ofFunctions(_ statement: SQLStatement) -> [SQLiteFeature] {
        let (tokens, source) = (statement.tokens, statement.source)
        return tokens.indices.dropLast().compactMap { place in
            guard tokens[place].kind == .word, tokens[place + 1].isSymbol("(", in: source) else { return nil }
            let name = tokens[place].text(in: source).foldedASCII
            if name == "over" || name == "filter" {
                guard place > 0, tokens[place - 1].isSymbol(")", in: source) else { return nil }
                return name == "over"
                    ? .init(since: .init(25), what: "a window function", token: tokens[place])
                    : .init(since: .init(30), what: "FILTER", token: tokens[place])
            }
            guard let minor = functions[name],
                place == 0
                    || !isName(tokens[place - 1], in: source)
            else { return nil }
            return .init(since: .init(minor), what: "\(name)()", token: tokens[place])
        }
    }

    /// Whether what stands behind a token is the name of something and no function's.
    private static func isName(_ token: Token, in source: SQLSource) -> Bool {
        token.isSymbol(".", in: source)
            || ["table", "into", "exists", "view", "index", "on", "references", "with", "recursive"].contains
            {
                token.isWord($0, in: source)
            }
    }

    private static func ofAction(_ step: LintStep) -> [SQLiteFeature] {
        let statement = step.statement
        func feature(_ minor: Int, _ what: String, _ token: Token? = nil) -> [SQLiteFeature] {
            [.init(since: .init(minor), what: what, token: token)]
        }
        switch step.action {
        case .dropColumn: return feature(35, "DROP COLUMN")
        case .renameColumn: return feature(25, "RENAME COLUMN")
        case .vacuum(into: true): return feature(27, "VACUUM INTO")
        case .createVirtualTable(_, let module) where module.foldedASCII == "fts5": return feature(9, "FTS5")
        case .createTable(let name, _, _):
            guard let table = step.after.table(name.name) else { return [] }
            return (table.isStrict ? feature(37, "STRICT") : [])
                + (table.columns.contains { $0.generated != nil } ? feature(31, "a generated column") : [])
        case .addColumn(let name, let column):
            let isGenerated = step.after.table(name.name)?.column(column)?.generated != nil
            return isGenerated ? feature(31, "a generated column") : []
        case .createIndex(let name, _):
            guard let index = step.after.indexes[name.folded] else { return [] }
            let computes = index.terms.contains { if case .expression = $0.value { true } else { false } }
            return (index.condition == nil ? [] : feature(8, "a partial index"))
                + (computes ? feature(9, "an index on an expression") : [])
        case .insert, .update, .delete:
            var features = statement.first(["returning"]).map { feature(35, "RETURNING", $0) } ?? []
            if case .insert = step.action, let token = statement.first(["on", "conflict"]) {
                features += feature(24, "ON CONFLICT DO", token)
            }
            if case .update = step.action, let token = statement.outermost("from"),
                !statement.isBehind("distinct", token)
            {
                features += feature(33, "UPDATE FROM", token)
            }
            return features
        default: return []
        }
    }
}
