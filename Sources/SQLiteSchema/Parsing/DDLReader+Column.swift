extension DDLReader {
    /// Reads `name [type] constraint ...`.
    mutating func column(of table: inout Table) throws(SchemaError) {
        let place = table.columns.count
        table.columns.append(Column(name: try name("the name of a column")))
        table.columns[place].declaredType = try declaredType()
        var constraintName: String?
        while true {
            if cursor.accept("constraint") {
                constraintName = try name("the name of a constraint")
                continue
            }
            guard try columnConstraint(of: &table, place, constraintName) else { return }
            constraintName = nil
        }
    }

    /// Reads the words of a type, with one space between them, and `(1)` or `(1, 2)` after them; empty if
    /// there is none.
    ///
    /// A type that is one quoted word loses its quotes, as in SQLite. GENERATED ALWAYS never ends a type.
    mutating func declaredType() throws(SchemaError) -> String {
        var words: [String] = []
        let first = cursor.token()
        while let token = cursor.token(), isTypeWord(token) {
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
            type += "(" + (try signedNumber())
            if cursor.accept(symbol: ",") { type += ", " + (try signedNumber()) }
            try expect(symbol: ")")
            type += ")"
        }
        return type
    }

    private func isTypeWord(_ token: Token) -> Bool {
        switch token.kind {
        case .quotedIdentifier, .string: return true
        case .word:
            let word = token.text(in: cursor.source).foldedASCII
            return !Keywords.reserved.contains(word) && !Keywords.joins.contains(word)
        default: return false
        }
    }

    private mutating func signedNumber() throws(SchemaError) -> String {
        let sign = cursor.accept(symbol: "-") ? "-" : cursor.accept(symbol: "+") ? "+" : ""
        guard let token = cursor.token(), token.kind == .number else { throw failure("expected a number") }
        cursor.position += 1
        return sign + token.text(in: cursor.source)
    }

    /// Reads one constraint of a column; returns false if none begins here.
    private mutating func columnConstraint(
        of table: inout Table, _ place: Int, _ constraintName: String?
    ) throws(SchemaError) -> Bool {
        let column = table.columns[place].name
        if cursor.accept("default") {
            table.columns[place].defaultValue = try defaultValue()
        } else if cursor.accept("collate") {
            table.columns[place].collation = try name("the name of a collation")
        } else if cursor.accept(sequence: "not", "null") {
            table.columns[place].notNull = Column.NotNull(
                name: constraintName, onConflict: try conflictClause())
        } else if cursor.accept("null") {
            // NULL has no effect.
            _ = try conflictClause()
        } else if cursor.accept("unique") {
            table.uniques.append(
                UniqueConstraint(
                    name: constraintName, terms: [KeyTerm(column: column)], onConflict: try conflictClause(),
                    isOfColumn: true))
        } else if cursor.accept("check") {
            table.checks.append(
                CheckConstraint(
                    name: constraintName, expression: expression(try parenthesis()), column: column))
        } else if cursor.accept("references") {
            table.foreignKeys.append(try references(constraintName, columns: [column], isOfColumn: true))
        } else if try deferral(of: &table) {
            // It applies to the foreign key before it.
        } else if cursor.isWord("primary"), cursor.isWord("key", ahead: 1) {
            try columnPrimaryKey(of: &table, column, constraintName)
        } else if cursor.accept("as") {
            try generated(&table.columns[place])
        } else if cursor.accept(sequence: "generated", "always") {
            try expect("as")
            try generated(&table.columns[place])
        } else {
            return false
        }
        return true
    }

    private mutating func columnPrimaryKey(
        of table: inout Table, _ column: String, _ constraintName: String?
    ) throws(SchemaError) {
        if table.primaryKey != nil { throw failure("the table has a primary key already") }
        cursor.position += 2
        let isDescending = cursor.isWord("desc")
        cursor.accept("asc", "desc")
        let onConflict = try conflictClause()
        table.primaryKey = PrimaryKey(
            name: constraintName, terms: [KeyTerm(column: column, isDescending: isDescending)],
            onConflict: onConflict, isAutoincrement: cursor.accept("autoincrement"), isOfColumn: true)
    }

    /// Reads `(expression) [STORED | VIRTUAL]` (https://www.sqlite.org/gencol.html).
    private mutating func generated(_ column: inout Column) throws(SchemaError) {
        column.generated = Column.Generated(expression: expression(try parenthesis()))
        if cursor.accept("stored") {
            column.generated?.isStored = true
        } else {
            cursor.accept("virtual")
        }
    }
}

extension DDLReader {
    /// Reads the value after DEFAULT (https://www.sqlite.org/lang_createtable.html#the_default_clause).
    private mutating func defaultValue() throws(SchemaError) -> DefaultValue {
        if cursor.isSymbol("(") {
            let range = withoutParentheses(try parenthesis())
            return literal(range) ?? .expression(expression(range))
        }
        let start = cursor.position
        if !cursor.accept(symbol: "-") { cursor.accept(symbol: "+") }
        guard cursor.token() != nil else { throw failure("expected a default value") }
        cursor.position += 1
        if let value = literal(start..<cursor.position) { return value }
        cursor.position -= 1
        if cursor.position > start {
            // `- 'x'` and the like, which SQLite computes.
            guard let token = cursor.token(),
                token.kind == .blob || token.kind == .string || isConstant(token)
            else { throw failure("expected a number") }
            cursor.position += 1
            return .expression(expression(start..<cursor.position))
        }
        // A name stands for its text, quoted in any way or not (rule `ccons ::= DEFAULT scanpt id`).
        return .text(try name("a default value"))
    }

    private func isConstant(_ token: Token) -> Bool {
        ["null", "current_time", "current_date", "current_timestamp"].contains {
            token.isWord($0, in: cursor.source)
        }
    }

    /// Returns the literal in a range; nil if the range contains anything else.
    private func literal(_ range: Range<Int>) -> DefaultValue? {
        guard let first = cursor.token(ahead: range.lowerBound - cursor.position) else { return nil }
        if range.count == 2 {
            let isNegative = first.isSymbol("-", in: cursor.source)
            guard isNegative || first.isSymbol("+", in: cursor.source) else { return nil }
            let number = cursor.tokens[range.lowerBound + 1]
            return number.kind == .number ? Self.number(number.text(in: cursor.source), isNegative) : nil
        }
        guard range.count == 1 else { return nil }
        let text = first.text(in: cursor.source)
        switch first.kind {
        case .number: return Self.number(text, false)
        case .string: return .text(first.stringValue(in: cursor.source) ?? "")
        case .blob: return .blob(Self.bytes(hex: text.utf8.dropFirst(2).dropLast()))
        case .word:
            switch text.foldedASCII {
            case "null": return .null
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            case "current_time": return .currentTime
            case "current_date": return .currentDate
            case "current_timestamp": return .currentTimestamp
            default: return nil
            }
        default: return nil
        }
    }

    /// Returns an integer of 64 bits, in hexadecimal two's complement, or otherwise a floating point number.
    static func number(_ text: String, _ isNegative: Bool) -> DefaultValue {
        let digits = String(decoding: text.foldedASCII.utf8.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
        let sign = isNegative ? "-" : ""
        if digits.hasPrefix("0x") {
            guard let bits = UInt64(digits.dropFirst(2), radix: 16) else { return .real(sign + digits) }
            let value = Int64(bitPattern: bits)
            return .integer(isNegative ? 0 &- value : value)
        }
        return Int64(sign + digits).map(DefaultValue.integer) ?? .real(sign + digits)
    }

    static func bytes(hex: some Collection<UInt8>) -> [UInt8] {
        let digits = hex.map { byte -> UInt8 in
            CharacterClass.isDigit(byte) ? byte - 0x30 : lowerASCII(byte) &- 0x57
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] & 15 }
    }
}
