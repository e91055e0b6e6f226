import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// What to do about a statement that SQLite refused, from only SQLite's message and the statement's text.
package struct RefusalHelp {
    package let error: EngineError
    /// Nil where a closure ran it.
    package let statement: SQLStatement?
    package let migration: Migration

    package init(error: EngineError, statement: SQLStatement?, migration: Migration) {
        self.error = error
        self.statement = statement
        self.migration = migration
    }

    /// Nil where the message already says everything known.
    package var help: Help? {
        let message = error.message
        if let name = SQLiteMessage.noSuchFunction.rest(of: message) {
            return .standIn(.function(name))
        }
        if let name = SQLiteMessage.noSuchCollation.rest(of: message) {
            return .standIn(.collation(name))
        }
        if error.memoryLimit != nil {
            return "Drydock limits the memory of the SQL that it runs. Give --memory more."
        }
        if error.isOverLimit, !error.isOutOfMemory {
            return "SQLite accepts no value or row that is longer, neither here nor in the app."
        }
        let text =
            constraintHelp(message) ?? statement.flatMap(quotedTextHelp)
            ?? TransactionAdvice.help(for: error) ?? nestedTransactionHelp(message) ?? shapeHelp(message)
        return text.map { Help($0) }
    }

    private func constraintHelp(_ message: String) -> String? {
        switch message {
        case .uniqueFailed:
            return "Rows share these values. Give all but one of them another value first."
        case .cannotAddNotNull:
            return "Existing rows have no value for it. Give the column a DEFAULT other than NULL."
        case .notNullFailed:
            return
                "A row has no value for it. Write one, as with coalesce: a DEFAULT does not replace a NULL that is written."
        case .checkFailed:
            return "Rows do not satisfy it. First give them values that do, and declare that."
        default: return nil
        }
    }

    private func quotedTextHelp(_ statement: SQLStatement) -> String? {
        error.doubleQuotedName(in: statement).map {
            "If this is text, write \(quotedText($0)) in single quotes; this SQLite does not accept strings in double quotes."
        }
    }

    private func nestedTransactionHelp(_ message: String) -> String? {
        SQLiteMessage.nestedTransaction.matches(message) ? migration.transactionHelp : nil
    }

    /// Returns help for a statement that does not fit the schema or SQLite's grammar.
    private func shapeHelp(_ message: String) -> String? {
        if SQLiteMessage.isNameTaken(message) {
            return
                "Give it another name, or keep what the old one holds and then drop it. IF NOT EXISTS would leave the "
                + "old one unchanged."
        }
        if SQLiteMessage.ambiguousColumn.matches(message) {
            return
                "More than one table of the statement has it: write the table's name before it, as in TABLE.COLUMN."
        }
        if SQLiteMessage.isWrongValueCount(message) {
            return
                "Name the columns on both sides, one value for each: INSERT INTO TABLE(COLUMNS) SELECT COLUMNS FROM ..."
        }
        if SQLiteMessage.syntaxError.matches(message), let statement, statement.isUnknownAlter {
            return
                "ALTER TABLE of this SQLite renames a table or a column, adds a column or drops one, and nothing else. Rebuild the "
                + "table for any other change: create the new one, copy the rows, drop the old one and rename."
        }
        return nil
    }
}

extension SQLStatement {
    fileprivate var isUnknownAlter: Bool {
        guard tokens.count > 1, tokens[0].isWord("alter", in: source), tokens[1].isWord("table", in: source)
        else { return false }
        return ["alter", "modify", "change", "constraint", "set"].contains { word in
            tokens.contains { $0.isWord(word, in: source) }
        }
    }
}

extension EngineError {
    /// Returns the double-quoted name in the statement for which no column was found: SQLite may take it for a string
    /// elsewhere (https://www.sqlite.org/quirks.html#dblquote).
    fileprivate func doubleQuotedName(in statement: SQLStatement) -> String? {
        guard let found = SQLiteMessage.noSuchColumn.rest(of: message) else { return nil }
        let source = statement.source
        let token = statement.tokens.first { token in
            guard token.kind == .quotedIdentifier, source.bytes[token.range.lowerBound] == UInt8(ascii: "\""),
                offset.map({ statement.range.lowerBound + $0 == token.range.lowerBound }) ?? true,
                let name = token.identifier(in: source)
            else { return false }
            return SQLiteMessage.isQuotedName(name, missingAs: found)
        }
        return token?.identifier(in: source)
    }
}
