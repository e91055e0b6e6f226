import Drydock

/// What a migration is meant to lose or change, in the words of the comments that SQL migrations have.
///
/// Each stands for the line on which it is written, where a declaration that nothing needs, or that names what is
/// not there, is reported.
extension Declaration {
    /// A table goes, with its rows.
    public static func drops(
        table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsTable(table), filePath, line)
    }

    /// A column goes, with its values.
    public static func drops(
        column: String, of table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsColumn(table: table, column: column), filePath, line)
    }

    /// An index goes; needed only where no statement drops it by name.
    public static func drops(
        index: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsObject(.index, index), filePath, line)
    }

    /// A trigger goes; needed only where no statement drops it by name.
    public static func drops(
        trigger: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsObject(.trigger, trigger), filePath, line)
    }

    /// A view goes; needed only where no statement drops it by name.
    public static func drops(
        view: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.dropsObject(.view, view), filePath, line)
    }

    /// A table has another name; needed only where no ALTER says it.
    public static func renames(
        table: String, to name: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.renamesTable(from: table, to: name), filePath, line)
    }

    /// A column has another name; needed only where no ALTER says it.
    public static func renames(
        column: String, of table: String, to name: String, filePath: StaticString = #filePath,
        line: UInt = #line
    ) -> Declaration {
        Declaration(.renamesColumn(table: table, from: column, to: name), filePath, line)
    }

    /// Values of one column change.
    public static func rewrites(
        column: String, of table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.rewrites(table: table, column: column), filePath, line)
    }

    /// Values of any column of a table change.
    public static func rewrites(
        table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.rewrites(table: table, column: nil), filePath, line)
    }

    /// Rows go: those that meet the condition before the step, all of them where there is none.
    /// - Parameter condition: an SQL expression.
    public static func deletes(
        from table: String, where condition: String? = nil, filePath: StaticString = #filePath,
        line: UInt = #line
    ) -> Declaration {
        Declaration(.deletes(table: table, condition: condition), filePath, line)
    }

    /// Rows come into a table that was there before.
    public static func inserts(
        into table: String, filePath: StaticString = #filePath, line: UInt = #line
    ) -> Declaration {
        Declaration(.inserts(table: table), filePath, line)
    }

    /// A query that answers the same before and after the step.
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
    /// How it is written in Swift.
    var swift: String {
        switch self {
        case .dropsTable(let table): ".drops(table: \(quoted(table)))"
        case .dropsColumn(let table, let column): ".drops(column: \(quoted(column)), of: \(quoted(table)))"
        case .dropsObject(let object, let name): ".drops(\(object.rawValue): \(quoted(name)))"
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
