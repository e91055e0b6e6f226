/// Reads a column of CREATE TABLE.
enum ColumnReader {
    /// Reads `name [type] constraint ...`.
    static func read(into table: inout Table, _ cursor: inout DDLCursor) throws(SchemaError) {
        let place = table.columns.count
        table.columns.append(Column(name: try cursor.name("the name of a column")))
        table.columns[place].declaredType = try declaredType(&cursor)
        var constraintName: String?
        while true {
            if cursor.accept("constraint") {
                constraintName = try cursor.name("the name of a constraint")
                continue
            }
            guard try constraint(of: &table, place, constraintName, &cursor) else { return }
            constraintName = nil
        }
    }

    /// Reads the words of a type, with one space between them, and `(1)` or `(1, 2)` after them; empty if
    /// there is none.
    ///
    /// A type that is one quoted word loses its quotes, as in SQLite. GENERATED ALWAYS never ends a type.
    static func declaredType(_ cursor: inout DDLCursor) throws(SchemaError) -> String {
        var words: [String] = []
        let first = cursor.token()
        while let token = cursor.token(), isTypeWord(token, in: cursor.source) {
            words.append(token.text(in: cursor.source))
            cursor.position += 1
        }
        // SQLite too reads these words as the end of a type and cuts them off, whether AS follows or not.
        if words.suffix(2).map(\.foldedASCII) == ["generated", "always"] { words.removeLast(2) }
        if words.count == 1, let first, first.kind != .word, let name = first.name(in: cursor.source),
            !cursor.isSymbol("(")
        {
            return name
        }
        var type = words.joined(separator: " ")
        if !words.isEmpty, cursor.accept(symbol: "(") {
            type += "(" + (try signedNumber(&cursor))
            if cursor.accept(symbol: ",") { type += ", " + (try signedNumber(&cursor)) }
            try cursor.expect(symbol: ")")
            type += ")"
        }
        return type
    }

    private static func isTypeWord(_ token: Token, in source: SQLSource) -> Bool {
        switch token.kind {
        case .quotedIdentifier, .string: return true
        case .word:
            let word = token.text(in: source).foldedASCII
            return !Keywords.reserved.contains(word) && !Keywords.joins.contains(word)
        default: return false
        }
    }

    private static func signedNumber(_ cursor: inout DDLCursor) throws(SchemaError) -> String {
        let sign = cursor.accept(symbol: "-") ? "-" : cursor.accept(symbol: "+") ? "+" : ""
        guard let token = cursor.token(), token.kind == .number else {
            throw cursor.failure("expected a number")
        }
        cursor.position += 1
        return sign + token.text(in: cursor.source)
    }

    /// Reads one constraint of a column; returns false if none begins here.
    private static func constraint(
        of table: inout Table, _ place: Int, _ constraintName: String?, _ cursor: inout DDLCursor
    ) throws(SchemaError) -> Bool {
        let column = table.columns[place].name
        if cursor.accept("default") {
            table.columns[place].defaultValue = try DefaultValueReader.read(&cursor)
        } else if cursor.accept("collate") {
            table.columns[place].collation = try cursor.name("the name of a collation")
        } else if cursor.accept(sequence: "not", "null") {
            table.columns[place].notNull = Column.NotNull(
                name: constraintName, onConflict: try cursor.conflictClause())
        } else if cursor.accept("null") {
            // NULL has no effect.
            _ = try cursor.conflictClause()
        } else if cursor.accept("unique") {
            table.uniques.append(
                UniqueConstraint(
                    name: constraintName, terms: [KeyTerm(column: column)],
                    onConflict: try cursor.conflictClause(),
                    isOfColumn: true))
        } else if cursor.accept("check") {
            table.checks.append(
                CheckConstraint(
                    name: constraintName, expression: cursor.groups.expression(try cursor.parenthesis()),
                    column: column))
        } else if cursor.accept("references") {
            table.foreignKeys.append(
                try ForeignKeyReader.read(
                    constraintName, columns: [column], isOfColumn: true, &cursor))
        } else if try ForeignKeyReader.deferral(of: &table, &cursor) {
            // It applies to the foreign key before it.
        } else if cursor.isWord("primary"), cursor.isWord("key", ahead: 1) {
            try primaryKey(of: &table, column, constraintName, &cursor)
        } else if cursor.accept("as") {
            try generated(&table.columns[place], &cursor)
        } else if cursor.accept(sequence: "generated", "always") {
            try cursor.expect("as")
            try generated(&table.columns[place], &cursor)
        } else {
            return false
        }
        return true
    }

    private static func primaryKey(
        of table: inout Table, _ column: String, _ constraintName: String?, _ cursor: inout DDLCursor
    ) throws(SchemaError) {
        if table.primaryKey != nil { throw cursor.failure("the table has a primary key already") }
        cursor.position += 2
        let isDescending = cursor.isWord("desc")
        cursor.accept("asc", "desc")
        let onConflict = try cursor.conflictClause()
        table.primaryKey = PrimaryKey(
            name: constraintName, terms: [KeyTerm(column: column, isDescending: isDescending)],
            onConflict: onConflict, isAutoincrement: cursor.accept("autoincrement"), isOfColumn: true)
    }

    /// Reads `(expression) [STORED | VIRTUAL]` (https://www.sqlite.org/gencol.html).
    private static func generated(_ column: inout Column, _ cursor: inout DDLCursor) throws(SchemaError) {
        column.generated = Column.Generated(expression: cursor.groups.expression(try cursor.parenthesis()))
        if cursor.accept("stored") {
            column.generated?.isStored = true
        } else {
            cursor.accept("virtual")
        }
    }
}
