/// A message of SQLite's own, recognised by its words: most errors share a result code, and only the text says what
/// happened.
///
///     if let name = SQLiteMessage.noSuchTable.rest(of: error.message) { ... }
///
/// This is the only file with words of SQLite's. They are those of SQLite's sources, which are named above each group;
/// a test has the linked SQLite give every message.
package struct SQLiteMessage: Sendable, Hashable {
    private let start: String
    private let end: String
    private let isWhole: Bool

    private init(_ start: String, end: String = "") {
        (self.start, self.end, isWhole) = (start, end, false)
    }

    private init(whole text: String) { (start, end, isWhole) = (text, "", true) }

    package func matches(_ message: some StringProtocol) -> Bool {
        isWhole
            ? message == start
            : message.hasPrefix(start) && message.hasSuffix(end)
                && message.utf8.count >= start.utf8.count + end.utf8.count
    }

    /// Returns what the message says besides its fixed words; nil for another message.
    package func rest(of message: some StringProtocol) -> String? {
        matches(message) ? String(message.dropFirst(start.count).dropLast(end.count)) : nil
    }

    /// Returns the message about a name.
    package func text(_ name: String) -> String { start + name + end }

    /// Whether the message, or another one that quotes it, says this.
    package func occurs(in message: String) -> Bool { firstRange(in: message) != nil }

    /// Returns where the message, or another one that quotes it, says this.
    package func firstRange(in message: String) -> Range<String.Index>? {
        message.firstRange(of: start.isEmpty ? end : start)
    }

    // MARK: - Names that are missing (build.c, resolve.c, trigger.c, callback.c, vtab.c, expr.c)

    static let noSuch = SQLiteMessage("no such ")
    package static let noSuchTable = SQLiteMessage("no such table: ")
    package static let noSuchColumn = SQLiteMessage("no such column: ")
    package static let noSuchIndex = SQLiteMessage("no such index: ")
    package static let noSuchView = SQLiteMessage("no such view: ")
    package static let noSuchTrigger = SQLiteMessage("no such trigger: ")
    package static let noSuchFunction = SQLiteMessage("no such function: ")
    /// An expression of the schema calls it.
    package static let unknownFunction = SQLiteMessage("unknown function: ")
    package static let noSuchCollation = SQLiteMessage("no such collation sequence: ")
    package static let noSuchModule = SQLiteMessage("no such module: ")
    /// FTS5's; FTS3 and FTS4 have the other (fts5_main.c, fts3_tokenizer.c).
    package static let noSuchTokenizer = SQLiteMessage("no such tokenizer: ")
    static let unknownTokenizer = SQLiteMessage("unknown tokenizer: ")
    /// An option of a full-text table (fts5_config.c).
    package static let unrecognizedOption = SQLiteMessage("unrecognized option: ")
    package static let wrongArgumentCount = SQLiteMessage("wrong number of arguments to function ")

    /// Whether something is missing that the app may register: a function, a collation, a module, a tokenizer.
    package static func isAboutMissingExtension(_ message: String) -> Bool {
        [
            noSuchFunction, unknownFunction, noSuchCollation, noSuchModule, noSuchTokenizer, unknownTokenizer,
        ].contains { $0.occurs(in: message) }
    }

    /// Whether something is missing in the schema.
    package static func isAboutMissingName(_ message: String) -> Bool {
        noSuch.matches(message) && !noSuchFunction.matches(message)
    }

    /// Returns the table and the column that it lacks (insert.c).
    package static func columnMissing(in message: String) -> (table: String, column: String)? {
        message.wholeMatch(of: /table (.+) has no column named (.+)/).map { (String($0.1), String($0.2)) }
    }

    /// Returns the column that a foreign key names and its table lacks (build.c).
    package static func keyColumnMissing(in message: String) -> String? {
        message.wholeMatch(of: /unknown column "(.+)" in foreign key definition/).map { String($0.1) }
    }

    /// Returns whether a double-quoted name stands where a string may be meant, from 3.46 on (resolve.c).
    package static func isQuotedName(_ name: String, missingAs rest: String) -> Bool {
        rest == name || rest.hasPrefix("\"\(name)\" - should this be a string literal")
    }

    // MARK: - Names that are taken or ambiguous (build.c, alter.c, resolve.c)

    package static let duplicateColumn = SQLiteMessage("duplicate column name: ")
    package static let ambiguousColumn = SQLiteMessage("ambiguous column name: ")

    /// Whether a name of the schema is taken.
    package static func isNameTaken(_ message: String) -> Bool {
        message.wholeMatch(of: /(table|view|index|trigger) .+ already exists/) != nil
            || message.hasPrefix("there is already ")
    }

    /// Whether a name is missing or taken, or a row has another number of values, rather than the syntax wrong.
    package static func isAboutNames(_ message: String) -> Bool {
        [noSuchTable, noSuchColumn, noSuchIndex, noSuchView, noSuchTrigger, duplicateColumn].contains {
            $0.occurs(in: message)
        }
            || [
                "already exists", "already another table", "has no column named", " columns but ",
                " values for ",
            ]
            .contains { message.contains($0) }
    }

    /// Whether a row has more or fewer values than columns (insert.c).
    package static func isWrongValueCount(_ message: String) -> Bool {
        message.wholeMatch(of: /table .+ has \d+ columns but \d+ values were supplied/) != nil
            || message.wholeMatch(of: /\d+ values for \d+ columns/) != nil
    }

    // MARK: - Constraints (vdbeapi.c, insert.c, vdbe.c, json.c)

    /// What is left is the column in double quotes (update.c).
    package static let cannotUpdateGenerated = SQLiteMessage("cannot UPDATE generated column ")
    package static let uniqueFailed = SQLiteMessage("UNIQUE constraint failed: ")
    /// What is left is ": " and the column; nothing for ADD COLUMN.
    package static let notNullFailed = SQLiteMessage("NOT NULL constraint failed")
    /// What is left is ": " and the constraint; nothing for ADD COLUMN.
    package static let checkFailed = SQLiteMessage("CHECK constraint failed")
    package static let foreignKeyFailed = SQLiteMessage(whole: "FOREIGN KEY constraint failed")
    package static let foreignKeyMismatch = SQLiteMessage("foreign key mismatch")
    package static let datatypeMismatch = SQLiteMessage(whole: "datatype mismatch")
    package static let malformedJSON = SQLiteMessage(whole: "malformed JSON")
    /// A STRICT table refuses a value; what is left names the storage class, the type and the column.
    package static let cannotStore = SQLiteMessage("cannot store ")

    // MARK: - ALTER TABLE (alter.c)

    package static let cannotAdd = SQLiteMessage("Cannot add a ")
    package static let cannotAddStored = SQLiteMessage(whole: "cannot add a STORED column")
    package static let cannotAddNotNull = SQLiteMessage(
        whole: "Cannot add a NOT NULL column with default value NULL")
    package static let cannotAddComputedDefault = SQLiteMessage(
        whole: "Cannot add a column with non-constant default")
    package static let cannotAddReference = SQLiteMessage(
        whole: "Cannot add a REFERENCES column with non-NULL default value")
    package static let cannotAddUnique = SQLiteMessage(whole: "Cannot add a UNIQUE column")
    package static let cannotAddPrimaryKey = SQLiteMessage(whole: "Cannot add a PRIMARY KEY column")
    package static let cannotDropUnique = SQLiteMessage("cannot drop UNIQUE column")
    package static let cannotDropPrimaryKey = SQLiteMessage("cannot drop PRIMARY KEY column")
    /// What no token begins with, or a number that goes on with letters (tokenize.c).
    package static let unrecognizedToken = SQLiteMessage("unrecognized token: ")
    package static let syntaxError = SQLiteMessage("near ", end: ": syntax error")

    /// Returns the object that keeps ALTER TABLE from running, as in "error in view v after drop column: no such
    /// column: a".
    package static func brokenObject(in message: String) -> (kind: String, name: String)? {
        message.wholeMatch(of: /error in (view|trigger|index|table) (.+?)( after [a-z ]+)?: .+/)
            .map { (String($0.1), String($0.2)) }
    }

    // MARK: - Views (select.c, delete.c)

    package static let circularView = SQLiteMessage("view ", end: " is circularly defined")
    /// A view has no INSTEAD OF trigger for the statement.
    package static let cannotModify = SQLiteMessage("cannot modify ")

    /// Whether a view names another number of columns than its query has.
    package static func isWrongColumnList(_ message: String) -> Bool {
        message.hasPrefix("expected ") && message.contains(" columns for ")
    }

    // MARK: - Transactions (vacuum.c, vdbe.c, pragma.c)

    package static let nestedTransaction = SQLiteMessage("cannot start a transaction within a transaction")
    package static let vacuumInTransaction = SQLiteMessage(whole: "cannot VACUUM from within a transaction")
    package static let journalModeInTransaction = SQLiteMessage(
        whole: "cannot change into wal mode from within a transaction")
    package static let synchronousInTransaction = SQLiteMessage(
        whole: "Safety level may not be changed inside a transaction")

    // MARK: - Result codes' own texts (main.c)

    package static let genericError = SQLiteMessage(whole: "SQL logic error")
    package static let interrupted = SQLiteMessage(whole: "interrupted")
    package static let damaged = SQLiteMessage("database disk image is malformed")
    package static let full = SQLiteMessage(whole: "database or disk is full")
    /// Drydock's limit may follow.
    package static let outOfMemory = SQLiteMessage("out of memory")
    package static let tooBig = SQLiteMessage(whole: "string or blob too big")

    // MARK: - Functions (func.c)

    /// abs() of the least integer, or sum().
    package static let integerOverflow = SQLiteMessage(whole: "integer overflow")

    // MARK: - Lines of integrity_check (pragma.c)

    /// The heading of the lines about one database.
    package static let checkedDatabase = SQLiteMessage("*** in database ")
    package static let nullValue = SQLiteMessage("NULL value in ")

    /// Whether a line is about rows that break a constraint, and not about damage.
    package static func isBrokenConstraint(_ line: some StringProtocol) -> Bool {
        nullValue.matches(line)
            || ["CHECK constraint failed in ", "non-unique entry in index "].contains { line.hasPrefix($0) }
            || line.contains(" value in ")
    }

    // MARK: - Full-text indexes (fts5_config.c)

    /// The index is stored in a format that this SQLite does not know, or its number is missing.
    package static let wrongSearchFormat = SQLiteMessage(
        "invalid fts5 file format (", end: ") - run 'rebuild'")

    /// Returns the number in ``wrongSearchFormat``, which is 0 where none is stored; nil for another message.
    package static func searchFormat(in message: String) -> Int? {
        guard let rest = wrongSearchFormat.rest(of: message) else { return nil }
        return rest.wholeMatch(of: /found (-?[0-9]+), expected .+/).flatMap { Int($0.1) }
    }

    // MARK: - What may be shown

    /// The messages that name tables and columns, and never quote a value.
    package static let withoutValues = [
        uniqueFailed, notNullFailed, checkFailed, foreignKeyFailed, datatypeMismatch, malformedJSON,
        cannotStore, interrupted, damaged, cannotAdd, full, outOfMemory, tooBig, integerOverflow,
    ]
}

/// Lets a message stand in the cases of a switch over a text.
package func ~= (pattern: SQLiteMessage, message: String) -> Bool { pattern.matches(message) }
