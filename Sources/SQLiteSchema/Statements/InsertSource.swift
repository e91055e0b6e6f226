/// The part of an INSERT after its columns: SELECTs and VALUES, joined by UNION and the like.
public struct InsertSource: Sendable {
    /// One SELECT or VALUES.
    public struct Arm: Sendable {
        /// Its tokens, without ORDER BY, LIMIT and clauses of the INSERT.
        public var tokens: Range<Int>
        /// The select list, or the first tuple of VALUES.
        public var items: [CopyItem]
        /// The tokens of each item of a select list, without its alias.
        public var itemTokens: [Range<Int>] = []
        public var isValues: Bool
    }

    /// The tokens of WITH, before or after INSERT.
    public var commonTables: Range<Int>
    public var arms: [Arm]
}

extension SQLStatement {
    /// The source of an INSERT or REPLACE; nil for any other statement, and for DEFAULT VALUES.
    public var insertSource: InsertSource? {
        var cursor = TokenCursor(self)
        cursor.skipCommonTables()
        var commonTables = 0..<cursor.position
        guard cursor.accept("insert", "replace") else { return nil }
        if cursor.accept("or") { cursor.position += 1 }
        guard cursor.accept("into"), cursor.qualifiedName() != nil else { return nil }
        if cursor.accept("as") { _ = cursor.name() }
        _ = cursor.nameList()
        if cursor.isWord("with") {
            guard commonTables.isEmpty else { return nil }
            let start = cursor.position
            cursor.skipCommonTables()
            commonTables = start..<cursor.position
        }
        let arms = arms(&cursor)
        return arms.isEmpty ? nil : InsertSource(commonTables: commonTables, arms: arms)
    }

    func arms(_ cursor: inout TokenCursor) -> [InsertSource.Arm] {
        var arms: [InsertSource.Arm] = []
        while cursor.isWord("select") || cursor.isWord("values") {
            let start = cursor.position
            while !cursor.isAtEnd, !isArmEnd(cursor) {
                if cursor.isSymbol("(") { cursor.skipParentheses() } else { cursor.position += 1 }
            }
            arms.append(arm(start..<cursor.position))
            guard cursor.accept("union", "intersect", "except") else { break }
            cursor.accept("all")
        }
        return arms
    }

    private func isArmEnd(_ cursor: TokenCursor) -> Bool {
        if ["union", "intersect", "except", "limit", "returning"].contains(where: { cursor.isWord($0) }) {
            return true
        }
        return cursor.isWord("order") && cursor.isWord("by", ahead: 1)
            || cursor.isWord("on") && cursor.isWord("conflict", ahead: 1)
    }

    private func arm(_ range: Range<Int>) -> InsertSource.Arm {
        guard tokens[range.lowerBound].isWord("values", in: source) else {
            let reader = SelectListReader(source: source, tokens: Array(tokens[..<range.upperBound]))
            return .init(
                tokens: range, items: reader.items(from: range.lowerBound),
                itemTokens: reader.itemTokens(from: range.lowerBound), isValues: false)
        }
        var cursor = TokenCursor(source: source, tokens: Array(tokens[..<range.upperBound]))
        cursor.position = range.lowerBound + 1
        cursor.skipParentheses()
        // The opening parenthesis takes the place of SELECT.
        let tuple = Array(tokens[(range.lowerBound + 1)..<max(cursor.position - 1, range.lowerBound + 1)])
        let items = tuple.isEmpty ? [] : SelectListReader(source: source, tokens: tuple).items(from: 0)
        return .init(tokens: range, items: items, isValues: true)
    }
}

extension SQLStatement {
    /// The source of the rows of a CREATE TABLE AS; nil for any other statement.
    public var tableSource: CopySource? {
        guard case .createTable(_, _, asSelect: true) = action,
            let place = tokens.firstIndex(where: { $0.isWord("as", in: source) })
        else { return nil }
        let query = Array(tokens[(place + 1)...])
        return CopyReader(source: source, tokens: query, commonTables: 0).copySource()
    }

    /// The SELECTs of a CREATE TABLE AS; none for any other statement.
    public var tableArms: [InsertSource.Arm] {
        guard case .createTable(_, _, asSelect: true) = action,
            let place = tokens.firstIndex(where: { $0.isWord("as", in: source) })
        else { return [] }
        var cursor = TokenCursor(self)
        cursor.position = place + 1
        cursor.skipCommonTables()
        return arms(&cursor)
    }
}

extension SQLStatement {
    /// Whether an INSERT deletes the rows that it conflicts with (https://www.sqlite.org/lang_replace.html).
    public var isReplace: Bool {
        var cursor = TokenCursor(self)
        cursor.skipCommonTables()
        return cursor.isWord("replace")
            || cursor.accept(sequence: "insert", "or") && cursor.isWord("replace")
    }

    /// The columns that ON CONFLICT DO UPDATE of an INSERT assigns to
    /// (https://www.sqlite.org/lang_upsert.html).
    public var upsertColumns: [String] {
        guard case .insert = action else { return [] }
        var reader = ActionReader(cursor: TokenCursor(self))
        return reader.upsertColumns()
    }
}
