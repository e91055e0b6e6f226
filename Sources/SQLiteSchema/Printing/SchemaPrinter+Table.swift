extension SchemaPrinter {
    /// Returns CREATE TABLE, without the final `;`.
    public func text(_ table: Table) -> String {
        var inline = InlineConstraints(table)
        var lines = table.columns.map { text($0, &inline) }
        if let key = table.primaryKey, !key.isOfColumn {
            lines.append(
                named(key.name) + "PRIMARY KEY (" + text(key.terms)
                    + (key.isAutoincrement ? " AUTOINCREMENT" : "") + ")" + text(key.onConflict))
        }
        for unique in inline.uniques {
            lines.append(named(unique.name) + "UNIQUE (" + text(unique.terms) + ")" + text(unique.onConflict))
        }
        for check in inline.checks { lines.append(named(check.name) + "CHECK (\(check.expression))") }
        for key in inline.foreignKeys {
            lines.append(
                named(key.name) + "FOREIGN KEY (" + SQLName.list(key.columns) + ") " + references(key))
        }
        let options = [table.isStrict ? "STRICT" : nil, table.isWithoutRowid ? "WITHOUT ROWID" : nil]
        let suffix = options.compactMap(\.self).joined(separator: ", ")
        return "CREATE TABLE " + SQLName.printed(table.name) + " (\n    " + lines.joined(separator: ",\n    ")
            + "\n)" + (suffix.isEmpty ? "" : " " + suffix)
    }

    /// Returns a column's definition for CREATE TABLE and ALTER TABLE ADD COLUMN, with the table's
    /// constraints that belong to it.
    public func text(_ column: Column, of table: Table) -> String {
        var inline = InlineConstraints(table)
        return text(column, &inline)
    }

    private func text(_ column: Column, _ inline: inout InlineConstraints) -> String {
        var parts = [SQLName.printed(column.name)]
        if !column.declaredType.isEmpty { parts.append(Self.type(column.declaredType)) }
        if let key = inline.primaryKey(of: column), let term = key.terms.first {
            parts.append(
                named(key.name) + "PRIMARY KEY" + (term.isDescending ? " DESC" : "") + text(key.onConflict)
                    + (key.isAutoincrement ? " AUTOINCREMENT" : ""))
        }
        if let notNull = column.notNull {
            parts.append(named(notNull.name) + "NOT NULL" + text(notNull.onConflict))
        }
        for unique in inline.takeUniques(of: column) {
            parts.append(named(unique.name) + "UNIQUE" + text(unique.onConflict))
        }
        if let value = column.defaultValue { parts.append("DEFAULT \(value)") }
        if let collation = column.collation { parts.append("COLLATE " + SQLName.printed(collation)) }
        for check in inline.takeChecks(of: column) {
            parts.append(named(check.name) + "CHECK (\(check.expression))")
        }
        for key in inline.takeForeignKeys(of: column) { parts.append(named(key.name) + references(key)) }
        if let generated = column.generated {
            parts.append(
                "GENERATED ALWAYS AS (\(generated.expression)) " + (generated.isStored ? "STORED" : "VIRTUAL")
            )
        }
        return parts.joined(separator: " ")
    }

    /// Returns the type so that it reads back the same: in quotes if its words would mean something else.
    private static func type(_ type: String) -> String {
        let statement = SQLSource(name: "", type).statements().first
        if let statement, !statement.isTerminated {
            var cursor = DDLCursor(statement)
            if let read = try? ColumnReader.declaredType(&cursor), read == type, cursor.isAtEnd {
                return type
            }
        }
        return SQLName.quoted(type)
    }

    func references(_ key: ForeignKey) -> String {
        var text = "REFERENCES " + SQLName.printed(key.parent)
        if let columns = key.parentColumns { text += " (" + SQLName.list(columns) + ")" }
        if key.onDelete != .noAction { text += " ON DELETE " + key.onDelete.rawValue }
        if key.onUpdate != .noAction { text += " ON UPDATE " + key.onUpdate.rawValue }
        if let match = key.match { text += " MATCH " + SQLName.printed(match) }
        return text + (key.isDeferred ? " DEFERRABLE INITIALLY DEFERRED" : "")
    }

    func text(_ terms: [KeyTerm]) -> String {
        terms.map {
            SQLName.printed($0.column) + ($0.collation.map { " COLLATE " + SQLName.printed($0) } ?? "")
                + ($0.isDescending ? " DESC" : "")
        }.joined(separator: ", ")
    }

    private func text(_ resolution: ConflictResolution?) -> String {
        resolution.map { " ON CONFLICT " + $0.rawValue } ?? ""
    }

    private func named(_ name: String?) -> String {
        name.map { "CONSTRAINT " + SQLName.printed($0) + " " } ?? ""
    }
}

/// A table's constraints, from which the columns take those in their definitions.
private struct InlineConstraints {
    let table: Table
    var uniques: [UniqueConstraint]
    var checks: [CheckConstraint]
    var foreignKeys: [ForeignKey]

    init(_ table: Table) {
        self.table = table
        uniques = table.uniques
        checks = table.checks
        foreignKeys = table.foreignKeys
    }

    func primaryKey(of column: Column) -> PrimaryKey? {
        guard let key = table.primaryKey, key.isOfColumn, key.terms.first?.column == column.name else {
            return nil
        }
        return key
    }

    mutating func takeUniques(of column: Column) -> [UniqueConstraint] {
        Self.take(&uniques) { $0.isOfColumn && $0.terms.first?.column == column.name }
    }

    mutating func takeChecks(of column: Column) -> [CheckConstraint] {
        Self.take(&checks) { $0.column == column.name }
    }

    mutating func takeForeignKeys(of column: Column) -> [ForeignKey] {
        Self.take(&foreignKeys) { $0.isOfColumn && $0.columns.first == column.name }
    }

    private static func take<T>(_ values: inout [T], _ isWanted: (T) -> Bool) -> [T] {
        let taken = values.filter(isWanted)
        if !taken.isEmpty { values.removeAll(where: isWanted) }
        return taken
    }
}
