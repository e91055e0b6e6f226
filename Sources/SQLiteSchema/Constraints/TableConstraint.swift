/// A constraint of a table: what SQLite refuses, or does, because of the table's definition.
public enum TableConstraint: Sendable, Hashable {
    case primaryKey(PrimaryKey)
    case unique(UniqueConstraint)
    case check(CheckConstraint)
    case notNull(column: String)
    case collate(column: String, collation: String)
    case foreignKey(ForeignKey)
    case strict

    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case primaryKey = "primary key"
        case unique
        case check
        case notNull = "not null"
        case collate
        case foreignKey = "foreign key"
        case strict
    }

    public var kind: Kind {
        switch self {
        case .primaryKey: .primaryKey
        case .unique: .unique
        case .check: .check
        case .notNull: .notNull
        case .collate: .collate
        case .foreignKey: .foreignKey
        case .strict: .strict
        }
    }

    /// The columns, in their order; empty for CHECK and STRICT.
    public var columns: [String] {
        switch self {
        case .primaryKey(let key): key.terms.map(\.column)
        case .unique(let unique): unique.terms.map(\.column)
        case .notNull(let column), .collate(let column, _): [column]
        case .foreignKey(let key): key.columns
        case .check, .strict: []
        }
    }

    /// The folded names of the columns, and all names in a condition.
    public var names: Set<String> {
        if case .check(let check) = self { check.expression.names } else { Set(columns.map(\.foldedASCII)) }
    }

    /// The column that the constraint stands with; nil for a constraint of the table.
    public var column: String? {
        switch self {
        case .notNull, .collate, .foreignKey: columns.count == 1 ? columns.first : nil
        default: nil
        }
    }

    /// The constraint, such as `UNIQUE (a, b)`, `NOT NULL` or `REFERENCES person ON DELETE CASCADE`, without its name.
    public var sql: String {
        let printer = SchemaPrinter(printsSettings: false)
        switch self {
        case .primaryKey(let key): return "PRIMARY KEY (\(printer.keySQL(key.terms)))"
        case .unique(let unique): return "UNIQUE (\(printer.keySQL(unique.terms)))"
        case .check(let check): return "CHECK (\(check.expression))"
        case .notNull: return "NOT NULL"
        case .collate(_, let collation): return "COLLATE \(SQLName.printed(collation))"
        case .foreignKey(var key):
            // SQLite takes every MATCH for the same.
            key.match = nil
            return (key.columns.count == 1 ? "" : "FOREIGN KEY (\(SQLName.list(key.columns))) ")
                + printer.references(key)
        case .strict: return "STRICT"
        }
    }

    /// Returns the constraint with other names of columns.
    /// - Parameters:
    ///   - columns: the new names, by folded name.
    ///   - parent: returns the new name of the parent.
    public func renamed(columns: [String: String], parent: (String) -> String) -> TableConstraint {
        func name(_ column: String) -> String { columns[column.foldedASCII] ?? column }
        func terms(_ terms: [KeyTerm]) -> [KeyTerm] {
            terms.map {
                KeyTerm(column: name($0.column), collation: $0.collation, isDescending: $0.isDescending)
            }
        }
        switch self {
        case .primaryKey(var key):
            key.terms = terms(key.terms)
            return .primaryKey(key)
        case .unique(var unique):
            unique.terms = terms(unique.terms)
            return .unique(unique)
        case .check(var check):
            check.expression = check.expression.renaming(columns)
            return .check(check)
        case .notNull(let column): return .notNull(column: name(column))
        case .collate(let column, let collation): return .collate(column: name(column), collation: collation)
        case .foreignKey(var key):
            (key.columns, key.parent) = (key.columns.map(name), parent(key.parent))
            return .foreignKey(key)
        case .strict: return self
        }
    }
}

extension Table {
    /// Every constraint of the table.
    public var constraints: [TableConstraint] {
        var all = primaryKey.map { [TableConstraint.primaryKey($0)] } ?? []
        all += effectiveUniques.map(TableConstraint.unique) + checks.map(TableConstraint.check)
        // A rowid is a number, and never NULL.
        for column in columns where column.name != rowidAlias?.name {
            if column.notNull != nil { all.append(.notNull(column: column.name)) }
            if let collation = column.collation, !collation.isSameName(as: "BINARY") {
                all.append(.collate(column: column.name, collation: collation))
            }
        }
        return all + foreignKeys.map(TableConstraint.foreignKey) + (isStrict ? [.strict] : [])
    }
}

extension SchemaPrinter {
    /// Returns the terms of a key without their directions, which make no difference to what it refuses.
    fileprivate func keySQL(_ terms: [KeyTerm]) -> String {
        text(terms.map { KeyTerm(column: $0.column, collation: $0.collation) })
    }
}

extension SQLFragment {
    /// Returns the fragment with other names, by folded name, whatever they name.
    fileprivate func renaming(_ names: [String: String]) -> SQLFragment {
        var fragment = self
        for (place, item) in items.enumerated() {
            guard case .word(let name) = item, let new = names[name], new.foldedASCII != name else {
                continue
            }
            fragment.spelling[place] = SQLName.printed(new)
        }
        fragment.normalized = normalized.renamingIdentifiers(names)
        return fragment
    }
}
