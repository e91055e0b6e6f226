extension ActionReader {
    /// Reads [WITH ...] INSERT | REPLACE | UPDATE | DELETE | SELECT | VALUES.
    mutating func dataChange() -> StatementAction {
        let start = cursor.position
        cursor.skipCommonTables()
        let commonTables = start..<cursor.position
        if cursor.accept("insert") {
            skipConflictClause()
            return insert(commonTables)
        }
        if cursor.accept("replace") { return insert(commonTables) }
        if cursor.accept("update") {
            skipConflictClause()
            return update()
        }
        if cursor.accept(sequence: "delete", "from") {
            return cursor.qualifiedName().map { .delete($0) } ?? .other
        }
        return cursor.isWord("select") || cursor.isWord("values") ? .select : .other
    }

    /// Skips OR ROLLBACK | ABORT | REPLACE | FAIL | IGNORE (https://www.sqlite.org/lang_conflict.html).
    private mutating func skipConflictClause() {
        if cursor.accept("or") { cursor.position += 1 }
    }

    /// Reads INTO table [AS alias] [(columns)] VALUES | SELECT | DEFAULT VALUES
    /// (https://www.sqlite.org/lang_insert.html).
    private mutating func insert(_ commonTables: Range<Int>) -> StatementAction {
        guard cursor.accept("into"), let table = cursor.qualifiedName() else { return .other }
        if cursor.accept("as") { _ = cursor.name() }
        let columns = cursor.nameList()
        var copy: CopySource?
        if cursor.isWord("select") || cursor.isWord("with") {
            let tokens = cursor.tokens[commonTables] + cursor.tokens[cursor.position...]
            copy = CopyReader(source: cursor.source, tokens: Array(tokens), commonTables: commonTables.count)
                .copySource()
        }
        return .insert(table, columns: columns, copy: copy)
    }

    /// Reads table [AS alias] [INDEXED BY index] SET column = expr, (columns) = row, ...
    /// (https://www.sqlite.org/lang_update.html).
    private mutating func update() -> StatementAction {
        guard let table = cursor.qualifiedName() else { return .other }
        while !cursor.isAtEnd, !cursor.isWord("set") { cursor.position += 1 }
        guard cursor.accept("set") else { return .update(table, columns: []) }
        return .update(table, columns: assignedColumns())
    }

    /// Reads the columns of a SET list, starting after SET.
    private mutating func assignedColumns() -> [String] {
        var columns: [String] = []
        while !cursor.isAtEnd {
            if let list = cursor.nameList() {
                columns += list
            } else if let column = cursor.name() {
                columns.append(column)
            }
            guard skipAssignedExpression() else { break }
        }
        return columns
    }

    /// Returns the columns that the ON CONFLICT DO UPDATE clauses assign to.
    mutating func upsertColumns() -> [String] {
        var columns: [String] = []
        while !cursor.isAtEnd {
            if cursor.isSymbol("(") {
                cursor.skipParentheses()
            } else if cursor.accept(sequence: "do", "update", "set") {
                columns += assignedColumns()
            } else {
                cursor.position += 1
            }
        }
        return columns
    }

    /// Steps past the next comma of the SET list; returns false if the list ends.
    private mutating func skipAssignedExpression() -> Bool {
        while !cursor.isAtEnd {
            if cursor.accept(symbol: ",") { return true }
            if ["where", "returning", "order", "limit"].contains(where: { cursor.isWord($0) }) {
                return false
            }
            if cursor.isWord("on"), cursor.isWord("conflict", ahead: 1) { return false }
            if cursor.isWord("from"), !cursor.isWord("distinct", ahead: -1) { return false }
            if cursor.isSymbol("(") { cursor.skipParentheses() } else { cursor.position += 1 }
        }
        return false
    }
}
