extension DDLReader {
    /// Reads `(column, ..., constraint, ...) [WITHOUT ROWID] [, STRICT]`
    /// (https://www.sqlite.org/lang_createtable.html).
    mutating func table(_ name: String) throws(SchemaError) -> Table {
        if cursor.isWord("as") {
            throw failure("only SQLite knows the columns of CREATE TABLE ... AS SELECT: expected (")
        }
        var table = Table(name: name, columns: [])
        try expect(symbol: "(")
        var isInConstraints = false
        repeat {
            isInConstraints = isInConstraints || isTableConstraint
            if isInConstraints {
                try tableConstraints(of: &table)
            } else {
                try column(of: &table)
            }
        } while cursor.accept(symbol: ",")
        try expect(symbol: ")")
        guard !table.columns.isEmpty else { throw failure("expected a column", at: cursor.position - 1) }
        if !cursor.isAtEnd { try tableOptions(of: &table) }
        return table
    }

    private var isTableConstraint: Bool {
        ["constraint", "primary", "unique", "check", "foreign"].contains { cursor.isWord($0) }
    }

    private mutating func tableOptions(of table: inout Table) throws(SchemaError) {
        // A comma before the first option is valid too (rule `table_option_set` of parse.y).
        cursor.accept(symbol: ",")
        repeat {
            if cursor.accept(sequence: "without", "rowid") {
                table.isWithoutRowid = true
            } else if cursor.accept("strict") {
                table.isStrict = true
            } else {
                throw failure("expected WITHOUT ROWID or STRICT")
            }
        } while cursor.accept(symbol: ",")
    }

    /// Reads constraints up to the next comma: SQLite also accepts them without commas between them.
    private mutating func tableConstraints(of table: inout Table) throws(SchemaError) {
        guard isTableConstraint else { throw failure("expected a table constraint") }
        var constraintName: String?
        while isTableConstraint {
            if cursor.accept("constraint") {
                constraintName = try name("the name of a constraint")
                continue
            }
            try tableConstraint(of: &table, constraintName)
            constraintName = nil
        }
    }

    private mutating func tableConstraint(
        of table: inout Table, _ constraintName: String?
    ) throws(SchemaError) {
        if cursor.accept(sequence: "primary", "key") {
            let isFirst = table.primaryKey == nil
            if !isFirst { throw failure("the table has a primary key already", at: cursor.position - 2) }
            var key = PrimaryKey(name: constraintName, terms: [])
            key.terms = try keyTerms(isAutoincrement: &key.isAutoincrement)
            key.onConflict = try conflictClause()
            table.primaryKey = key
        } else if cursor.accept("unique") {
            var isAutoincrement = false
            var unique = UniqueConstraint(name: constraintName, terms: [])
            unique.terms = try keyTerms(isAutoincrement: &isAutoincrement)
            unique.onConflict = try conflictClause()
            table.uniques.append(unique)
        } else if cursor.accept("check") {
            table.checks.append(
                CheckConstraint(name: constraintName, expression: expression(try parenthesis())))
            // Parsed and ignored by SQLite.
            _ = try conflictClause()
        } else if cursor.accept(sequence: "foreign", "key") {
            let columns = try nameList("the name of a column")
            try expect("references")
            table.foreignKeys.append(
                try references(constraintName, columns: columns, isOfColumn: false))
            try deferral(of: &table)
        } else {
            throw failure("expected a table constraint")
        }
    }

    /// Reads `(term, ... [AUTOINCREMENT])` of a PRIMARY KEY or UNIQUE constraint.
    private mutating func keyTerms(isAutoincrement: inout Bool) throws(SchemaError) -> [KeyTerm] {
        var range = try parenthesis()
        if range.count > 1, cursor.tokens[range.upperBound - 1].isWord("autoincrement", in: cursor.source) {
            isAutoincrement = true
            range = range.lowerBound..<(range.upperBound - 1)
        }
        var terms: [KeyTerm] = []
        for part in split(range) {
            let term = try indexTerm(part)
            guard case .column(let column) = term.value else {
                throw failure("expected the name of a column", at: part.lowerBound)
            }
            terms.append(
                KeyTerm(column: column, collation: term.collation, isDescending: term.isDescending))
        }
        return terms
    }

    /// Reads `ON CONFLICT resolution`, if it is next (https://www.sqlite.org/lang_conflict.html).
    mutating func conflictClause() throws(SchemaError) -> ConflictResolution? {
        guard cursor.accept(sequence: "on", "conflict") else { return nil }
        let resolution = ConflictResolution.allCases.first { cursor.isWord($0.rawValue.foldedASCII) }
        guard let resolution else {
            throw failure("expected ROLLBACK, ABORT, FAIL, IGNORE or REPLACE")
        }
        cursor.position += 1
        return resolution
    }

    /// Reads what follows REFERENCES (https://www.sqlite.org/foreignkeys.html).
    mutating func references(
        _ constraintName: String?, columns: [String], isOfColumn: Bool
    ) throws(SchemaError) -> ForeignKey {
        var key = ForeignKey(
            name: constraintName, columns: columns, parent: try name("the name of the parent table"),
            isOfColumn: isOfColumn)
        if cursor.isSymbol("(") { key.parentColumns = try nameList("the name of a parent column") }
        while true {
            if cursor.accept(sequence: "on", "delete") {
                key.onDelete = try action()
            } else if cursor.accept(sequence: "on", "update") {
                key.onUpdate = try action()
            } else if cursor.accept(sequence: "on", "insert") {
                // Parsed and ignored by SQLite.
                _ = try action()
            } else if cursor.accept("match") {
                key.match = try name("the name of a match type")
            } else {
                return key
            }
        }
    }

    private mutating func action() throws(SchemaError) -> ForeignKey.Action {
        if cursor.accept(sequence: "set", "null") { return .setNull }
        if cursor.accept(sequence: "set", "default") { return .setDefault }
        if cursor.accept("cascade") { return .cascade }
        if cursor.accept("restrict") { return .restrict }
        if cursor.accept(sequence: "no", "action") { return .noAction }
        throw failure("expected SET NULL, SET DEFAULT, CASCADE, RESTRICT or NO ACTION")
    }

    /// Reads `[NOT] DEFERRABLE [INITIALLY DEFERRED | IMMEDIATE]`, which applies to the last foreign key
    /// before it, even one of another column (`sqlite3DeferForeignKey`).
    @discardableResult
    mutating func deferral(of table: inout Table) throws(SchemaError) -> Bool {
        let isNegated = cursor.accept(sequence: "not", "deferrable")
        guard isNegated || cursor.accept("deferrable") else { return false }
        var isDeferred = false
        if cursor.accept("initially") {
            isDeferred = cursor.isWord("deferred")
            if !cursor.accept("deferred", "immediate") { throw failure("expected DEFERRED or IMMEDIATE") }
        }
        if !table.foreignKeys.isEmpty {
            table.foreignKeys[table.foreignKeys.count - 1].isDeferred = isDeferred && !isNegated
        }
        return true
    }
}
