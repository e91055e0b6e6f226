import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// Has SQLite compute expressions on rows that are in no table yet.
final class RowJudge {
    private let plan: TablePlan
    private let connection: any Connection
    private var statements: [String: (any PreparedStatement)?] = [:]

    /// More expressions than this are not kept compiled.
    private static let most = 256

    init(_ plan: TablePlan, on connection: any Connection) {
        (self.plan, self.connection) = (plan, connection)
    }

    /// Returns the value of an expression; nil if SQLite cannot compute it.
    func value(_ expression: Expression, _ row: [SQLValue]) throws -> SQLValue? {
        if let constant = expression.constant { return constant }
        if case .column(let name) = expression { return plan.places[name].map { row[$0] } }
        return try values(expression.sql, expression.ownColumns, row)?.first ?? nil
    }

    /// Returns whether a constraint holds. What SQLite cannot compute does not.
    func holds(_ constraint: Constraint, _ row: [SQLValue]) throws -> Bool {
        guard let value = try value(constraint.expression, row) else { return false }
        if value.isNull { return constraint.isWanted ? constraint.allowsNull : true }
        return Self.isTrue(value) == constraint.isWanted
    }

    /// Returns the first values that a query gives.
    func list(_ query: String) throws -> [SQLValue] {
        try caught { try connection.rows("SELECT * FROM \(query) LIMIT 6") { Self.read($0) } } ?? []
    }

    /// Returns the value of an expression with parameters.
    func scalar(_ sql: String, _ values: [SQLValue]) throws -> SQLValue? {
        try caught {
            let statement = try compiled("SELECT \(sql)") { try connection.prepare("SELECT \(sql)") }
            try statement.reset(binding: values)
            defer { try? statement.reset(binding: []) }
            return try statement.step() ? Self.read(statement) : .null
        }
    }

    private func values(_ sql: String, _ names: Set<String>, _ row: [SQLValue]) throws -> [SQLValue]? {
        let places = names.sorted().compactMap { plan.places[$0] }
        guard places.count == names.count else { return nil }
        // The columns with their affinities and collations, as far as a cast leaves the values as they are.
        let columns = places.enumerated().map { number, place in
            "\(column(place, row[place], number + 1)) AS \(quotedName(plan.columns[place].folded))"
        }
        let source =
            columns.isEmpty
            ? "" : " FROM (SELECT \(columns.joined(separator: ", "))) AS \(quotedName(plan.name))"
        return try caught {
            let statement = try compiled("SELECT \(sql)\(source)") {
                try connection.prepare("SELECT \(sql)\(source)")
            }
            try statement.reset(binding: places.map { row[$0] })
            defer { try? statement.reset(binding: []) }
            return try statement.step() ? [Self.read(statement)] : nil
        }
    }

    private func column(_ place: Int, _ value: SQLValue, _ number: Int) -> String {
        let column = plan.columns[place]
        let collation = column.collation.map { " COLLATE \(quotedName($0))" } ?? ""
        let type: String? =
            switch (column.affinity, value) {
            case (.integer, .integer), (.integer, .null): "INTEGER"
            case (.real, .real), (.real, .null): "REAL"
            case (.numeric, .integer), (.numeric, .real), (.numeric, .null): "NUMERIC"
            case (.text, .text), (.text, .null): "TEXT"
            default: nil
            }
        return (type.map { "CAST(?\(number) AS \($0))" } ?? "?\(number)") + collation
    }

    private func compiled(_ key: String, _ compile: () throws -> any PreparedStatement) throws
        -> any PreparedStatement
    {
        if let known = statements[key] {
            guard let known else { throw Refused() }
            return known
        }
        if statements.count >= Self.most { statements = [:] }
        do {
            let statement = try compile()
            statements[key] = .some(statement)
            return statement
        } catch {
            statements[key] = .some(nil)
            throw error
        }
    }

    /// Thrown for what did not compile before.
    private struct Refused: Error {}

    /// Returns nil where SQLite refuses something.
    private func caught<R>(_ body: () throws -> R?) throws -> R? {
        do {
            return try body()
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return nil
        } catch is Refused {
            return nil
        }
    }

    /// Returns a value that can be bound: text as UTF-8, whatever the database's encoding.
    private static func read(_ statement: any PreparedStatement) -> SQLValue {
        let value = statement.value(0)
        guard case .text = value else { return value }
        return SQLValue(statement.string(0))
    }

    static func isTrue(_ value: SQLValue) -> Bool {
        if let number = value.number { return number != 0 }
        guard let text = value.text else { return false }
        let digits = text.prefix { "+-.0123456789".contains($0) }
        return (Double(digits) ?? 0) != 0
    }
}
