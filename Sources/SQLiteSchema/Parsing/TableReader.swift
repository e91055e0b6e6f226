/// Reads CREATE TABLE, after its name.
enum TableReader {
    /// Reads `(column, ..., constraint, ...) [WITHOUT ROWID] [, STRICT]`
    /// (https://www.sqlite.org/lang_createtable.html).
    static func read(_ name: String, _ cursor: inout DDLCursor) throws(SchemaError) -> Table {
        if cursor.isWord("as") {
            throw cursor.failure("only SQLite knows the columns of CREATE TABLE ... AS SELECT: expected (")
        }
        var table = Table(name: name, columns: [])
        try cursor.expect(symbol: "(")
        var isInConstraints = false
        repeat {
            isInConstraints = isInConstraints || isConstraint(cursor)
            if isInConstraints {
                try constraints(of: &table, &cursor)
            } else {
                try ColumnReader.read(into: &table, &cursor)
            }
        } while cursor.accept(symbol: ",")
        try cursor.expect(symbol: ")")
        guard !table.columns.isEmpty else {
            throw cursor.failure("expected a column", at: cursor.position - 1)
        }
        if !cursor.isAtEnd { try options(of: &table, &cursor) }
        return table
    }

    private static func isConstraint(_ cursor: DDLCursor) -> Bool {
        ["constraint", "primary", "unique", "check", "foreign"].contains { cursor.isWord($0) }
    }

    private static func options(of table: inout Table, _ cursor: inout DDLCursor) throws(SchemaError) {
        // A comma before the first option is valid too (rule `table_option_set` of parse.y).
        cursor.accept(symbol: ",")
        repeat {
            if cursor.accept(sequence: "without", "rowid") {
                table.isWithoutRowid = true
            } else if cursor.accept("strict") {
                table.isStrict = true
            } else {
                throw cursor.failure("expected WITHOUT ROWID or STRICT")
            }
        } while cursor.accept(symbol: ",")
    }

    /// Reads constraints up to the next comma: SQLite also accepts them without commas between them.
    private static func constraints(of table: inout Table, _ cursor: inout DDLCursor) throws(SchemaError) {
        guard isConstraint(cursor) else { throw cursor.failure("expected a table constraint") }
        var constraintName: String?
        while isConstraint(cursor) {
            if cursor.accept("constraint") {
                constraintName = try cursor.name("the name of a constraint")
                continue
            }
            try constraint(of: &table, constraintName, &cursor)
            constraintName = nil
        }
    }

    private static func constraint(
        of table: inout Table, _ constraintName: String?, _ cursor: inout DDLCursor
    ) throws(SchemaError) {
        if cursor.accept(sequence: "primary", "key") {
            let isFirst = table.primaryKey == nil
            if !isFirst {
                throw cursor.failure("the table has a primary key already", at: cursor.position - 2)
            }
            var key = PrimaryKey(name: constraintName, terms: [])
            key.terms = try keyTerms(isAutoincrement: &key.isAutoincrement, &cursor)
            key.onConflict = try cursor.conflictClause()
            table.primaryKey = key
        } else if cursor.accept("unique") {
            var isAutoincrement = false
            var unique = UniqueConstraint(name: constraintName, terms: [])
            unique.terms = try keyTerms(isAutoincrement: &isAutoincrement, &cursor)
            unique.onConflict = try cursor.conflictClause()
            table.uniques.append(unique)
        } else if cursor.accept("check") {
            table.checks.append(
                CheckConstraint(
                    name: constraintName, expression: cursor.groups.expression(try cursor.parenthesis())))
            // Parsed and ignored by SQLite.
            _ = try cursor.conflictClause()
        } else if cursor.accept(sequence: "foreign", "key") {
            let columns = try cursor.nameList("the name of a column")
            try cursor.expect("references")
            table.foreignKeys.append(
                try ForeignKeyReader.read(constraintName, columns: columns, isOfColumn: false, &cursor))
            try ForeignKeyReader.deferral(of: &table, &cursor)
        } else {
            throw cursor.failure("expected a table constraint")
        }
    }

    /// Reads `(term, ... [AUTOINCREMENT])` of a PRIMARY KEY or UNIQUE constraint.
    private static func keyTerms(isAutoincrement: inout Bool, _ cursor: inout DDLCursor) throws(SchemaError)
        -> [KeyTerm]
    {
        var range = try cursor.parenthesis()
        if range.count > 1, cursor.tokens[range.upperBound - 1].isWord("autoincrement", in: cursor.source) {
            isAutoincrement = true
            range = range.lowerBound..<(range.upperBound - 1)
        }
        var terms: [KeyTerm] = []
        for part in cursor.groups.split(range) {
            let term = try IndexReader.term(part, cursor)
            guard case .column(let column) = term.value else {
                throw cursor.failure("expected the name of a column", at: part.lowerBound)
            }
            terms.append(
                KeyTerm(column: column, collation: term.collation, isDescending: term.isDescending))
        }
        return terms
    }
}
