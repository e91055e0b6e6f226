import SQLiteSchema

/// What to do where a statement deletes parent rows with foreign keys on.
package struct ForeignKeysAdvice {
    private let migration: Migration
    private let format: (any MigrationFormat)?

    package init(_ migration: Migration, _ format: (any MigrationFormat)?) {
        self.migration = migration
        self.format = format
    }

    /// The way out where nothing turns foreign keys off.
    static let copy =
        "If they cannot be turned off, copy the children's rows to a table without the key before the DROP TABLE, and "
        + "copy them back after the rename."

    /// Returns how to turn foreign keys off at a statement of the migration.
    /// - Parameter savesRows: whether the file already copies the children's rows.
    package func turningOff(at index: Int, savesRows: Bool = false) -> String {
        if let begin = ownBegin(before: index) {
            return
                "BEGIN in \(migration.mention(begin)) opens the transaction: write PRAGMA foreign_keys = OFF before it, and "
                + "PRAGMA foreign_keys = ON after its COMMIT."
        }
        // GRDB can always leave them off.
        let needsCopy = !savesRows && !migration.isDeferred
        return [format?.foreignKeysOffAdvice, needsCopy ? Self.copy : nil].compactMap(\.self)
            .joined(separator: " ")
    }

    /// Returns what to do about a DROP TABLE that deletes rows which other rows reference.
    package func dropping(at index: Int) -> String {
        let fact = "With foreign keys on, DROP TABLE deletes the table's rows first"
        // The PRAGMA has a finding of its own, which says the rest.
        if let pragma = ignoredPragma(before: index) {
            return
                "\(fact), and PRAGMA foreign_keys = OFF in \(migration.mention(pragma)) does not turn them off: see "
                + "pragma-ignored."
        }
        return "\(fact). Run the migration with foreign keys off. \(turningOff(at: index))"
    }

    /// Returns the file's own BEGIN, if the statement is in its transaction.
    private func ownBegin(before index: Int) -> Int? {
        let last = migration.statements[..<index].lastIndex {
            switch $0.action {
            case .begin, .commit, .rollback: true
            default: false
            }
        }
        return last.flatMap { migration.statements[$0].action == .begin ? $0 : nil }
    }

    /// Returns the last PRAGMA before a statement, if it tries to turn foreign keys off.
    private func ignoredPragma(before index: Int) -> Int? {
        let settings = migration.statements[..<index].enumerated().compactMap { place, statement in
            statement.foreignKeysSetting.map { (place, $0) }
        }
        return settings.last.flatMap { $0.1 ? nil : $0.0 }
    }
}

extension SQLStatement {
    /// What the statement sets foreign keys to; nil if it does something else.
    fileprivate var foreignKeysSetting: Bool? {
        guard case .pragma(_, let name, let value?) = action, name.foldedASCII == "foreign_keys" else {
            return nil
        }
        return StaticChecks.isTrue(value)
    }
}
