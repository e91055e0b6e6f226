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
        var isChange: Bool
    }

    /// - Parameters:
    ///   - names: the names of the table, now and later.
    ///   - columns: the present names of its columns by present and later ones.
    /// - Returns: nil where nothing is said of this table alone.
    func local(_ names: [String], columns: [String: String]) -> Local? {
        let parts = Constraint(expression: expression).conjuncts.compactMap { part -> Expression? in
            var found: [String: Expression] = [:]
            for name in part.expression.ownColumns {
                guard let column = column(name, names, columns) else { return nil }
                found[name] = .column(column)
            }
            guard !found.isEmpty, !part.expression.isUndecidable else { return nil }
            let expression = part.expression.replacing(found)
            return part.isWanted ? expression : .unary("not", expression)
        }
        guard let first = parts.first else { return nil }
        return Local(
            expression: parts.dropFirst().reduce(first) { .binary("and", $0, $1) }, isChange: isChange)
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
