/// Names as they are printed in SQL.
package enum SQLName {
    /// Returns the name unquoted if that is safe in every position and shows every character, otherwise in
    /// double quotes.
    package static func printed(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let isPlain =
            bytes.first.map {
                CharacterClass.isIdentifier($0) && !CharacterClass.isDigit($0) && $0 != UInt8(ascii: "$")
            } ?? false
            && bytes.allSatisfy(CharacterClass.isIdentifier) && !bytes.starts(with: [0xEF, 0xBB, 0xBF])
            && !Keywords.all.contains(name.foldedASCII)
            && !name.unicodeScalars.contains(where: VisibleText.isHidden)
        return isPlain ? name : quoted(name)
    }

    /// Returns the name in double quotes.
    package static func quoted(_ name: String) -> String { name.enclosed(in: UInt8(ascii: "\"")) }

    /// Returns the name that `quoted` was called with, and any other text as it is.
    package static func unquoted(_ text: String) -> String { text.unenclosed(from: UInt8(ascii: "\"")) }

    static func list(_ names: [String]) -> String { names.map(printed).joined(separator: ", ") }
}

extension Keywords {
    /// Every keyword of SQLite (https://www.sqlite.org/lang_keywords.html). Many may be names without quotes,
    /// but not in every position, nor in every later version.
    static let all: Set<String> = reserved.union(values).union(contextual).union(operators).union([
        "abort", "after", "always", "analyze", "attach", "before", "cascade", "cast", "column", "conflict",
        "current", "database", "deferred", "detach", "do", "each", "exclude", "exclusive", "explain", "fail",
        "first", "following", "for", "generated", "groups", "if", "ignore", "immediate", "indexed",
        "initially", "instead", "last", "materialized", "no", "nulls", "of", "offset", "others", "partition",
        "plan", "pragma", "preceding", "query", "raise", "range", "recursive", "reindex", "release", "rename",
        "replace", "restrict", "rollback", "rows", "savepoint", "temp", "temporary", "ties", "trigger",
        "unbounded", "vacuum", "view", "virtual", "window", "with", "within", "without",
    ])
}
