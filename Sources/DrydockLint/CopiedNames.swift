import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Finds the names of the columns of an INSERT's SELECT or VALUES, as SQLite itself names them.
struct CopiedNames {
    let insert: SQLStatement
    let source: InsertSource
    let isInTrigger: Bool
    let step: LintStep

    /// The columns of one arm.
    struct Names {
        /// The names in order; nil for an item that is not a column.
        var names: [String?]
        /// The table from which each is taken, where the statement names it.
        var qualifiers: [String?]
        var hasStar: Bool
        /// Whether its FROM begins with a table, and not with a subquery, whose columns its author named.
        var readsTable: Bool
        /// The star, otherwise the first word.
        var token: Token

        /// Returns the first position of names that are in one another's positions; nil where there are none.
        func crossing(_ targets: [String]) -> Int? {
            var places: [String: Int] = [:]
            for (place, name) in names.enumerated() {
                if let name { places[name.foldedASCII] = places[name.foldedASCII] ?? place }
            }
            let targets = targets.map(\.foldedASCII)
            return names.indices.first { start in
                guard let name = names[start]?.foldedASCII, name != targets[start], places[name] == start
                else { return false }
                var cycle = [start]
                while let next = places[targets[cycle[cycle.count - 1]]], cycle.count <= names.count {
                    if next == start { return Set(cycle.map { qualifiers[$0] }).count == 1 }
                    cycle.append(next)
                }
                return false
            }
        }
    }

    func names(of arm: InsertSource.Arm) -> Names? {
        let tokens = insert.tokens[arm.tokens]
        guard let first = tokens.first else { return nil }
        let items = arm.items.map { item -> (name: String?, qualifier: String?) in
            if case .column(let table, let name) = item { (name, table?.foldedASCII) } else { (nil, nil) }
        }
        if arm.isValues {
            guard isInTrigger else { return nil }
            return Names(
                names: items.map(\.name), qualifiers: items.map(\.qualifier), hasStar: false,
                readsTable: false, token: first)
        }
        let hasStar = arm.items.contains { if case .star = $0 { true } else { false } }
        let place = tokens.firstIndex { $0.isWord("from", in: insert.source) } ?? tokens.endIndex - 1
        let table = place + 1 < tokens.endIndex ? tokens[place + 1].name(in: insert.source) : nil
        guard let names = compiledNames(arm) else { return nil }
        return Names(
            names: names,
            qualifiers: items.count == names.count && !hasStar
                ? items.map(\.qualifier) : names.map { _ in nil },
            hasStar: hasStar, readsTable: table.flatMap(step.before.table) != nil,
            token: hasStar ? star(tokens) ?? first : first)
    }

    private func star(_ tokens: ArraySlice<Token>) -> Token? {
        tokens.first { $0.isSymbol("*", in: insert.source) }
    }

    /// Returns the names that SQLite gives the columns; nil for one that does not look like a name, and for all where
    /// the text does not compile.
    private func compiledNames(_ arm: InsertSource.Arm) -> [String?]? {
        var sql = ""
        for range in [source.commonTables, arm.tokens] { sql += text(range) + " " }
        guard let statement = try? step.connection.prepare(sql) else { return nil }
        return (0..<statement.columnCount).map { place in
            let name = statement.columnName(place)
            let looksComputed = name.contains { "('\"+-*/|".contains($0) }
            return looksComputed && !step.before.tables.values.contains { $0.column(name) != nil }
                ? nil : name
        }
    }

    /// Returns the text of tokens, with NULL for what only a trigger knows: `new.x` and `old.x`.
    private func text(_ range: Range<Int>) -> String {
        guard isInTrigger, !range.isEmpty else { return insert.text(of: range) }
        var parts: [String] = []
        var place = range.lowerBound
        var depth = 0
        while place < range.upperBound {
            let token = insert.tokens[place]
            if token.isSymbol("(", in: insert.source) { depth += 1 }
            if token.isSymbol(")", in: insert.source) { depth -= 1 }
            guard let column = rowColumn(place, in: range) else {
                parts.append(token.text(in: insert.source))
                place += 1
                continue
            }
            let isItem = depth == 0 && isItem(place, in: range)
            parts.append("NULL" + (isItem ? " AS \(quotedName(column))" : ""))
            place += 3
        }
        return parts.joined(separator: " ")
    }

    /// Returns the x of `new.x`.
    private func rowColumn(_ place: Int, in range: Range<Int>) -> String? {
        let source = insert.source
        guard place + 2 < range.upperBound, let row = insert.tokens[place].identifier(in: source),
            ["new", "old"].contains(row.foldedASCII), insert.tokens[place + 1].isSymbol(".", in: source)
        else { return nil }
        return insert.tokens[place + 2].identifier(in: source)
    }

    /// Whether `new.x` at a position is an item of the select list by itself, without an alias.
    private func isItem(_ place: Int, in range: Range<Int>) -> Bool {
        let (tokens, source) = (insert.tokens, insert.source)
        guard place > range.lowerBound else { return false }
        let before = tokens[place - 1]
        let begins =
            before.isSymbol(",", in: source)
            || ["select", "distinct", "all"].contains { before.isWord($0, in: source) }
        guard place + 3 < range.upperBound else { return begins }
        let next = tokens[place + 3]
        return begins
            && (next.isSymbol(",", in: source)
                || ["from", "where"].contains { next.isWord($0, in: source) })
    }
}

extension SQLStatement {
    /// Returns the source text from the first to the last of the tokens; empty for none.
    func text(of range: Range<Int>) -> String {
        guard let first = range.first, let last = range.last else { return "" }
        return source.text(in: tokens[first].range.lowerBound..<tokens[last].range.upperBound)
    }
}
