extension TableChange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .columnAdded(let column):
            "add column "
                + [SQLName.printed(column.name), column.declaredType].joined(separator: " ").trimmed
        case .columnDropped(let column): "drop column \(SQLName.printed(column.name))"
        case .columnRenamed(let from, let to):
            "rename column \(SQLName.printed(from)) to \(SQLName.printed(to))"
        case .columnRespelled(let from, let to): "respell column \(from) as \(to)"
        case .column(let name, let change): "column \(SQLName.printed(name)): \(change)"
        case .columnOrder(let from, let to): arrow("column order", listed(from), listed(to))
        case .primaryKey(let from, let to):
            arrow("PRIMARY KEY", from.isEmpty ? nil : listed(from), to.isEmpty ? nil : listed(to))
        case .primaryKeyTerms(let from, let to): arrow("PRIMARY KEY", listed(from), listed(to))
        case .primaryKeyConflict(let from, let to):
            arrow("PRIMARY KEY ON CONFLICT", from.rawValue, to.rawValue)
        case .autoincrement(let isOn): isOn ? "now AUTOINCREMENT" : "no longer AUTOINCREMENT"
        case .rowidAlias(let from, let to): arrow("rowid alias", from, to)
        case .uniqueAdded(let unique): "add UNIQUE \(listed(unique.terms.map(\.column)))"
        case .uniqueDropped(let unique): "drop UNIQUE \(listed(unique.terms.map(\.column)))"
        case .uniqueTerms(_, let from, let to): arrow("UNIQUE", listed(from), listed(to))
        case .uniqueConflict(let columns, let from, let to):
            arrow("UNIQUE \(listed(columns)) ON CONFLICT", from.rawValue, to.rawValue)
        case .checkAdded(let check): "add CHECK (\(check.expression))"
        case .checkDropped(let check): "drop CHECK (\(check.expression))"
        case .checkExpression(let name, let from, let to): arrow("CHECK \(name)", from, to)
        case .foreignKeyAdded(let key):
            "add FOREIGN KEY \(listed(key.columns)) REFERENCES \(SQLName.printed(key.parent))"
        case .foreignKeyDropped(let key):
            "drop FOREIGN KEY \(listed(key.columns)) REFERENCES \(SQLName.printed(key.parent))"
        case .foreignKey(let columns, let change): "FOREIGN KEY \(listed(columns)): \(change)"
        case .constraintName(let constraint, let from, let to): arrow("name of \(constraint)", from, to)
        case .withoutRowid(let isOn): isOn ? "now WITHOUT ROWID" : "no longer WITHOUT ROWID"
        case .strict(let isOn): isOn ? "now STRICT" : "no longer STRICT"
        }
    }
}

extension ColumnChange: CustomStringConvertible {
    public var description: String {
        func type(_ type: String) -> String? { type.isEmpty ? nil : type }
        return switch self {
        case .declaredType(let from, let to): arrow("type", type(from), type(to))
        case .affinity(let from, let to): arrow("type and affinity", type(from), type(to))
        case .notNull(let isOn): isOn ? "now NOT NULL" : "no longer NOT NULL"
        case .notNullConflict(let from, let to): arrow("NOT NULL ON CONFLICT", from.rawValue, to.rawValue)
        case .notNullName(let from, let to): arrow("name of NOT NULL", from, to)
        case .collation(let from, let to): arrow("COLLATE", from, to)
        case .defaultValue(let from, let to): arrow("DEFAULT", from, to)
        case .generated(let from, let to): arrow("generated", from?.expression, to?.expression)
        case .generatedExpression(let from, let to): arrow("generated", from, to)
        case .generatedStorage(let isStored): isStored ? "now STORED" : "now VIRTUAL"
        }
    }
}

extension ForeignKeyChange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .parent(let from, let to): arrow("parent", from, to)
        case .parentColumns(let from, let to): arrow("parent columns", from.map(listed), to.map(listed))
        case .onDelete(let from, let to): arrow("ON DELETE", from.rawValue, to.rawValue)
        case .onUpdate(let from, let to): arrow("ON UPDATE", from.rawValue, to.rawValue)
        case .match(let from, let to): arrow("MATCH", from, to)
        case .deferred(let isOn): isOn ? "now DEFERRABLE INITIALLY DEFERRED" : "no longer deferred"
        }
    }
}
