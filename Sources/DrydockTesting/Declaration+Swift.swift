import Drydock

/// The losses and changes that a migration intends, named like the `-- drydock:` comments of SQL migrations.
///
/// A declaration carries the source line that creates it. A declaration that is not needed, or that names something
/// that does not exist, is reported at that line.
extension Declaration {
    /// Declares that a table is dropped with its rows.
    public static func drops(
        table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsTable(table), filePath, line)
    }

    /// Declares that a column is dropped with its values.
    public static func drops(
        column: String, of table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsColumn(table: table, column: column), filePath, line)
    }

    /// Declares that an index is dropped; needed only if no statement drops it by name.
    public static func drops(
        index: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsObject(.index, index), filePath, line)
    }

    /// Declares that a trigger is dropped; needed only if no statement drops it by name.
    public static func drops(
        trigger: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsObject(.trigger, trigger), filePath, line)
    }

    /// Declares that a view is dropped; needed only if no statement drops it by name.
    public static func drops(
        view: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsObject(.view, view), filePath, line)
    }

    /// Declares that a table loses a constraint that it had.
    public static func drops(
        constraint: DeclaredConstraint, of table: String, filePath: StaticString = #filePath,
        line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsConstraint(constraint, table: table), filePath, line)
    }

    /// Declares that a table is renamed; needed only if no ALTER TABLE renames it.
    public static func renames(
        table: String, to name: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.renamesTable(from: table, to: name), filePath, line)
    }

    /// Declares that a column is renamed; needed only if no ALTER TABLE renames it.
    public static func renames(
        column: String, of table: String, to name: String, filePath: StaticString = #filePath,
        line: UInt = #line
    ) -> Declaration {
        Declaration(.renamesColumn(table: table, from: column, to: name), filePath, line)
    }

    /// Declares that values of one column change.
    public static func rewrites(
        column: String, of table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.rewrites(table: table, column: column), filePath, line)
    }

    /// Declares that values of any column of a table change.
    public static func rewrites(
        table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.rewrites(table: table, column: nil), filePath, line)
    }

    /// Declares that rows are deleted: those that satisfy the condition before the step, or all rows.
    /// - Parameter condition: An SQL expression; nil for all rows.
    public static func deletes(
        from table: String, where condition: String? = nil, filePath: StaticString = #filePath,
        line: UInt = #line
    ) -> Declaration {
        Declaration(.deletes(table: table, condition: condition), filePath, line)
    }

    /// Declares that rows are inserted into a table that existed before the step.
    public static func inserts(
        into table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.inserts(table: table), filePath, line)
    }

    /// Declares that a query returns the same rows before and after the step.
    public static func preserves(
        _ query: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.preserves(query: query), filePath, line)
    }

    private init(_ kind: Kind, _ filePath: StaticString, _ line: UInt) {
        var place = Finding.Place(file: "\(filePath)")
        place.line = Int(line)
        self.init(kind: kind, text: kind.swift, place: place)
    }
}

extension Declaration.Kind {
    /// The declaration as Swift source.
    var swift: String {
        switch self {
        case .dropsTable(let table): ".drops(table: \(quoted(table)))"
        case .dropsColumn(let table, let column): ".drops(column: \(quoted(column)), of: \(quoted(table)))"
        case .dropsObject(let object, let name): ".drops(\(object.rawValue): \(quoted(name)))"
        case .dropsConstraint(let constraint, let table):
            ".drops(constraint: \(constraint.swift), of: \(quoted(table)))"
        case .renamesTable(let from, let to): ".renames(table: \(quoted(from)), to: \(quoted(to)))"
        case .renamesColumn(let table, let from, let to):
            ".renames(column: \(quoted(from)), of: \(quoted(table)), to: \(quoted(to)))"
        case .rewrites(let table, let column?): ".rewrites(column: \(quoted(column)), of: \(quoted(table)))"
        case .rewrites(let table, nil): ".rewrites(table: \(quoted(table)))"
        case .deletes(let table, let condition?):
            ".deletes(from: \(quoted(table)), where: \(quoted(condition)))"
        case .deletes(let table, nil): ".deletes(from: \(quoted(table)))"
        case .inserts(let table): ".inserts(into: \(quoted(table)))"
        case .preserves(let query): ".preserves(\(quoted(query)))"
        case .foreignKeysImmediate: "foreignKeyChecks: .immediate"
        case .ignores(let rule, _): "ignore \(rule.rawValue)"
        }
    }

    private func quoted(_ text: String) -> String { String(reflecting: text) }
}

extension DeclaredConstraint {
    /// The constraint as Swift source.
    fileprivate var swift: String {
        let name =
            switch kind {
            case .primaryKey: "primaryKey"
            case .unique: "unique"
            case .check: "check"
            case .notNull: "notNull"
            case .collate: "collate"
            case .foreignKey: "foreignKey"
            case .strict: "strict"
            }
        guard let list = condition.map({ [$0] }) ?? columns else {
            return [.primaryKey, .strict].contains(kind) ? ".\(name)" : ".init(.\(name))"
        }
        return ".\(name)(\(list.map { String(reflecting: $0) }.joined(separator: ", ")))"
    }
}
