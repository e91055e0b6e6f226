import DatabaseEngine
import SQLiteSchema

/// A condition in a statement: after WHERE or ON, or of a branch of a CASE; or that an expression gives another value
/// than the column that it is made of.
struct StatedCondition: Sendable, Hashable {
    /// With the qualifiers of its columns.
    var expression: Expression
    /// The tables that the statement names, by what they are called there.
    var tables: [String: Set<String>]
    /// Whether it says that an expression changes a value.
    var isChange = false
    /// The file of the statement.
    var file = ""

    /// What a condition says of one table alone, with the columns that it has now.
    struct Local: Sendable, Hashable {
        var expression: Expression
        /// Whether it says that an expression changes a value.
        var isChange = false
        /// Whether it is that a row has the key with which a migration would replace it.
        var isConflict = false
        /// The condition with what it says of other tables.
        var whole: Whole?

        /// Whether only unusual rows are to meet it.
        var isForUnusualRows: Bool { isChange || isConflict }
    }

    /// A condition on a row that also depends on the rows of other tables: `NOT EXISTS (SELECT ...)`.
    struct Whole: Sendable, Hashable {
        /// What the statement calls the table.
        var alias: String
        var expression: Expression
    }

    /// - Parameters:
    ///   - names: the names of the table, now and later.
    ///   - columns: the present names of its columns by present and later ones.
    /// - Returns: nil where nothing is said of this table alone.
    func local(_ names: [String], columns: [String: String]) -> Local? {
        var others: [Expression] = []
        var isWhole = true
        let parts = Constraint(expression: expression).conjuncts.compactMap { part -> Expression? in
            if part.expression.ownColumns.isEmpty, part.expression.hasQuery, !part.expression.isUndecidable {
                others.append(part.isWanted ? part.expression : .unary("not", part.expression))
                return nil
            }
            var found: [String: Expression] = [:]
            for name in part.expression.ownColumns {
                guard let column = column(name, names, columns) else {
                    isWhole = false
                    return nil
                }
                found[name] = .column(column)
            }
            guard !found.isEmpty, !part.expression.isUndecidable else { return nil }
            let expression = part.expression.replacing(found)
            return part.isWanted ? expression : .unary("not", expression)
        }
        guard let first = parts.first else { return nil }
        let own = parts.dropFirst().reduce(first) { .binary("and", $0, $1) }
        var local = Local(expression: own, isChange: isChange)
        let aliases = tables.filter { $0.value.contains(where: names.contains) }.keys.sorted()
        // The table's name stands for it only where it has no alias.
        let alias = aliases.first { !names.contains($0) } ?? aliases.first
        if isWhole, !others.isEmpty, let alias {
            local.whole = Whole(
                alias: alias, expression: others.reduce(own) { .binary("and", $0, $1) })
        }
        return local
    }

    /// The columns of a table that must equal a constant, with it.
    func equalities(_ names: [String], columns: [String: String]) -> [(column: String, value: SQLValue)] {
        Constraint(expression: expression).conjuncts.compactMap { part in
            guard part.isWanted, case .binary("=", .column(let name), let other) = part.expression,
                let value = other.constant, let column = column(name, names, columns)
            else { return nil }
            return (column, value)
        }
    }

    private func column(_ name: String, _ names: [String], _ columns: [String: String]) -> String? {
        guard let end = name.firstIndex(of: "\u{0}") else { return columns[name] }
        let qualifier = String(name[..<end])
        let isOwn = names.contains { $0 == qualifier || tables[qualifier]?.contains($0) ?? false }
        return isOwn ? columns[String(name[name.index(after: end)...])] : nil
    }
}
