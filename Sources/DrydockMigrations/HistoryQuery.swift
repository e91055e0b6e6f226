import SQLiteSchema

/// A query that returns what a database has applied.
struct HistoryQuery {
    let sql: String

    /// The tables that it reads, in the order in which it names them.
    var tables: [String] {
        var found: [String] = []
        for statement in SQLSource(name: "", "INSERT INTO t \(sql)").statements().prefix(1) {
            if case .insert(_, _, let copy?) = statement.action { found += copy.tables }
            // Subqueries of expressions.
            let (tokens, source) = (statement.tokens, statement.source)
            for place in tokens.indices.dropLast()
            where ["from", "join"].contains(where: { tokens[place].isWord($0, in: source) }) {
                let isQualified =
                    tokens.indices.contains(place + 3) && tokens[place + 2].isSymbol(".", in: source)
                if let name = tokens[isQualified ? place + 3 : place + 1].identifier(in: source) {
                    found.append(name)
                }
            }
        }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.foldedASCII).inserted }
    }
}
