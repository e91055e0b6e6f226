/// The keywords of SQLite, grouped by their other possible uses (https://www.sqlite.org/lang_keywords.html;
/// the `%fallback ID` list and the rules `id` and `nm` of parse.y).
enum Keywords {
    /// Words that are never names unless quoted.
    static let reserved: Set<String> = [
        "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit",
        "constraint", "create", "default", "deferrable", "delete", "distinct", "drop", "else", "escape",
        "except",
        "exists", "foreign", "from", "group", "having", "in", "index", "insert", "intersect", "into", "is",
        "isnull", "join", "limit", "not", "nothing", "notnull", "null", "on", "or", "order", "primary",
        "references", "returning", "select", "set", "table", "then", "to", "transaction", "union", "unique",
        "update", "using", "values", "when", "where",
    ]

    /// Words that, unquoted, are values in an expression, though a column may have such a name.
    static let values: Set<String> = ["current_date", "current_time", "current_timestamp", "true", "false"]

    static let neverNames = reserved.union(values)

    /// Words that begin a join before JOIN, and are names elsewhere.
    static let joins: Set<String> = ["cross", "full", "inner", "left", "natural", "outer", "right"]

    /// Words that are operators between operands, and may be names elsewhere.
    static let operators: Set<String> = ["like", "glob", "regexp", "match", "over", "filter"]

    /// Words that their neighbours identify as a keyword or a name (`NormalizedSQL`).
    static let contextual = joins.union(["key", "by", "action", "row", "asc", "desc", "begin", "end"])
}
