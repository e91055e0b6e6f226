import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Tests with SQLite whether a row can satisfy a condition, using generated rows in a temporary table.
struct LintProbe {
    let table: Table
    /// The known values of columns, as SQL, by folded name.
    let known: [String: String]
    let connection: any Connection

    enum Answer {
        /// Such a row, as `name = literal`; empty where only known columns matter.
        case row(String)
        /// None of the tried rows satisfies it.
        case noRow
        /// It cannot be tested.
        case unknown
    }

    /// The largest number of columns with generated values.
    private static let maximumVarying = 3

    /// Whether a row that the table accepts can satisfy the condition.
    func row(where condition: String, names: Set<String>) -> Answer {
        var columns = table.columns.filter { names.contains($0.name.foldedASCII) }
        // A condition that reads no column can be tested on any row.
        if columns.isEmpty { columns = Array(table.columns.filter { $0.generated == nil }.prefix(1)) }
        let varying = columns.filter { known[$0.name.foldedASCII] == nil }
        guard !columns.isEmpty, columns.allSatisfy({ $0.generated == nil }),
            varying.count <= Self.maximumVarying
        else { return .unknown }
        let sql = definition(columns, varying, Self.literals(SQLFragment(sql: condition)))
        let shown =
            varying.isEmpty
            ? "''"
            : varying.map { "\(quotedText($0.name)) || ' = ' || quote(\(quotedName($0.name)))" }
                .joined(separator: " || ' and ' || ")
        do {
            try connection.execute("SAVEPOINT drydock_lint")
            defer { try? connection.execute("ROLLBACK TO drydock_lint; RELEASE drydock_lint") }
            try connection.execute(sql)
            let found = try connection.firstRow(
                "SELECT \(shown) FROM temp.drydock_scratch AS \(quotedName(table.name)) WHERE \(condition) LIMIT 1"
            ) { $0.string(0) }
            return found.map(Answer.row) ?? .noRow
        } catch {
            return .unknown
        }
    }

    /// Whether an expression is NULL for a row that the table accepts; true where that cannot be tested.
    func mayBeNull(_ expression: SQLFragment) -> Bool {
        if case .noRow = row(where: "(\(expression)) IS NULL", names: expression.names) { return false }
        return true
    }

    /// Returns a table with only the columns, and a row for each combination of values that it accepts.
    private func definition(_ columns: [Column], _ varying: [Column], _ literals: [String]) -> String {
        let names = Set(columns.map(\.name.foldedASCII))
        let others = Set(table.columns.map(\.name.foldedASCII)).subtracting(names)
        var parts = columns.map { column in
            "\(quotedName(column.name)) \(column.declaredType)"
                + (column.collation.map { " COLLATE \($0)" } ?? "")
        }
        for column in varying where column.notNull != nil || isRowid(column) {
            parts.append("CHECK (\(quotedName(column.name)) IS NOT NULL)")
        }
        for check in table.checks
        where check.expression.names.isDisjoint(with: others)
            && check.expression.names.isDisjoint(with: known.keys)
        {
            parts.append("CHECK (\(check.expression))")
        }
        let sources = columns.map { column in
            let values = known[column.name.foldedASCII].map { [$0] } ?? self.values(column, literals)
            return "(SELECT column1 FROM (VALUES " + values.map { "(\($0))" }.joined(separator: ", ") + "))"
        }
        return "CREATE TEMP TABLE drydock_scratch(\(parts.joined(separator: ", ")));"
            + "INSERT OR IGNORE INTO temp.drydock_scratch SELECT * FROM \(sources.joined(separator: ", "))"
    }

    /// Returns the literals of a condition, and the numbers next to them.
    private static func literals(_ condition: SQLFragment) -> [String] {
        condition.items.flatMap { item -> [String] in
            guard case .literal(let text) = item else { return [] }
            let isNumber = text.first.map { $0.isNumber || $0 == "." } ?? false
            return isNumber ? [text, "\(text) + 1", "\(text) - 1"] : [text]
        }
    }

    /// Returns values that are common for a column, and those that the condition and its table's CHECKs name.
    private func values(_ column: Column, _ literals: [String]) -> [String] {
        if isRowid(column) { return ["1", "2"] }
        let usual: [String]
        switch table.affinity(of: column) {
        case .integer: usual = ["0", "1", "-1"]
        case .real, .numeric: usual = ["0", "1", "-1", "0.5"]
        case .text: usual = ["''", "'a'"]
        case .blob: usual = ["''", "'a'", "1", "x''"]
        }
        let named = table.checks.filter { $0.expression.names.contains(column.name.foldedASCII) }
            .flatMap { Self.literals($0.expression) }
        return ["NULL"] + usual + (literals + named).prefix(16)
    }

    private func isRowid(_ column: Column) -> Bool {
        table.rowidAlias?.name.foldedASCII == column.name.foldedASCII
    }
}
