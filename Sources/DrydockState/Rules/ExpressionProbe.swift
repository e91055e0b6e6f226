import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Tests with SQLite whether the expressions of a schema can be computed, on a table with the same columns that is then
/// dropped.
///
/// SQLite compiles some expressions when the schema changes and others only when a row is read or written: ALTER TABLE
/// accepts a generated column, and CREATE TABLE a DEFAULT, that calls a function which does not exist.
package struct ExpressionProbe {
    package let table: Table
    package let connection: any Connection
    /// Whether an expression with which SQLite refuses to create the table counts as failing. One that is already in a
    /// schema was once accepted, perhaps under other settings.
    package var countsRefusals = true

    package init(table: Table, connection: any Connection, countsRefusals: Bool = true) {
        self.table = table
        self.connection = connection
        self.countsRefusals = countsRefusals
    }

    package enum Subject {
        case generated(Column, SQLFragment)
        case check(CheckConstraint)
        case defaultValue(Column, SQLFragment)
        case index(Index)

        fileprivate var expressions: [SQLFragment] {
            switch self {
            case .generated(_, let expression), .defaultValue(_, let expression): [expression]
            case .check(let check): [check.expression]
            case .index(let index):
                index.terms.compactMap {
                    if case .expression(let expression) = $0.value { expression } else { nil }
                }
                    + [index.condition].compactMap(\.self)
            }
        }

        /// Whether it can fail once SQLite has accepted it.
        fileprivate var callsFunction: Bool { expressions.contains(where: \.callsFunction) }
    }

    /// Returns why no row can have the expression computed; nil where one can, and where it cannot be tested.
    package func failure(of subject: Subject) -> EngineError? {
        guard countsRefusals || subject.callsFunction else { return nil }
        return undoing { failureOfEveryRow(of: subject) }
    }

    /// A value from which an expression cannot be computed.
    package struct RefusedValue: Sendable {
        /// The value as SQL.
        package let value: String
        package let error: EngineError
    }

    /// Returns a value from which the expression cannot be computed, although a row without values may have it: SQLite
    /// refuses what depends on the machine, such as `datetime(a, 'localtime')`, only when it computes with a value.
    package func refusedValue(of subject: Subject) -> RefusedValue? {
        // A DEFAULT depends on no value.
        if case .defaultValue = subject { return nil }
        guard subject.callsFunction else { return nil }
        return undoing {
            guard attempt({ try connection.execute(definition(subject)) }) == nil else { return nil }
            for row in Self.samples {
                guard let values = values(row), let error = failure(values), error.isOfNonDeterminism else {
                    continue
                }
                try? connection.execute("DROP TABLE \(name)")
                if allows(values, besides: subject) { return RefusedValue(value: row, error: error) }
                guard attempt({ try connection.execute(definition(subject)) }) == nil else { return nil }
            }
            return nil
        }
    }

    /// Runs a test where SQLite accepts the columns alone, and drops its table: after a rollback, SQLite would read the
    /// whole schema again.
    private func undoing<Failure>(_ body: () -> Failure?) -> Failure? {
        do {
            try connection.execute(definition(nil) + "; DROP TABLE \(name)")
        } catch {
            // Nothing is known about expressions over columns that are refused.
            return nil
        }
        defer { try? connection.execute("DROP TABLE IF EXISTS \(name)") }
        return body()
    }

    private func failureOfEveryRow(of subject: Subject) -> EngineError? {
        if let refusal = attempt({ try connection.execute(definition(subject)) }) {
            return countsRefusals ? refusal : nil
        }
        // Functions that read the clock are refused only where there is a row. An error for one of the rows is ignored.
        var rows = ["DEFAULT VALUES", "(\(targets)) VALUES (\(values))"]
        if case .defaultValue = subject { rows[1] = rows[0] }
        let failures = rows.map(failure)
        guard let first = failures[0], first.message == failures[1]?.message else { return nil }
        return first
    }

    /// Returns SQLite's error where a row is written and read again.
    private func failure(_ row: String) -> EngineError? {
        attempt {
            try connection.execute("DELETE FROM \(name); INSERT INTO \(name) \(row)")
            _ = try connection.firstRow("SELECT * FROM \(name)") { _ in true }
        }
    }

    private var name: String { "temp." + quotedName(table.name) }

    /// Returns an error of the statement, but not of a constraint that the row does not satisfy.
    private func attempt(_ body: () throws -> Void) -> EngineError? {
        do {
            try body()
            return nil
        } catch let error as EngineError where error.isStatementError {
            return error
        } catch {
            return nil
        }
    }

    private var plain: [Column] { table.columns.filter { $0.generated == nil } }
    private var targets: String { plain.map { quotedName($0.name) }.joined(separator: ", ") }

    private var values: String {
        plain.map { column in
            switch table.affinity(of: column) {
            case .integer, .real, .numeric: "1"
            case .text, .blob: "'a'"
            }
        }.joined(separator: ", ")
    }

    /// A value of each storage class, text also as what functions read in it.
    private static let samples = [
        "'2024-02-03 04:05:06'", "1", "1.5", "'a'", "'{}'", "X'323032342D30322D3033'",
    ]

    /// A row of one value in every column that takes it; nil where none does. A STRICT table takes no other class.
    private func values(_ sample: String) -> String? {
        let isText = sample.hasPrefix("'")
        let values = plain.map { column in
            guard table.isStrict else { return sample }
            return switch column.declaredType.foldedASCII {
            case "any": sample
            case "int", "integer": sample == "1" ? sample : "NULL"
            case "real": sample.first?.isNumber == true ? sample : "NULL"
            case "text": isText ? sample : "NULL"
            default: sample.hasPrefix("X") ? sample : "NULL"
            }
        }
        guard values.contains(sample) else { return nil }
        return "(\(targets)) VALUES (\(values.joined(separator: ", ")))"
    }

    /// Whether the table's other constraints let a row be written.
    private func allows(_ row: String, besides subject: Subject) -> Bool {
        var checks = table.checks
        if case .check(let check) = subject { checks.removeAll { $0.expression == check.expression } }
        guard !checks.isEmpty else { return true }
        // A CHECK that needs a generated column or an unknown function is left out.
        return checks.allSatisfy { check in
            defer { try? connection.execute("DROP TABLE IF EXISTS \(name)") }
            guard attempt({ try connection.execute(definition(.check(check))) }) == nil else { return true }
            do {
                try connection.execute("INSERT INTO \(name) \(row)")
                return true
            } catch let error as EngineError {
                return error.isStatementError
            } catch {
                return false
            }
        }
    }

    private func definition(_ subject: Subject?) -> String {
        var parts = table.columns.map { column in
            var part = "\(quotedName(column.name)) \(column.declaredType)"
            if let collation = column.collation { part += " COLLATE \(quotedName(collation))" }
            if case .generated(let generated, let expression)? = subject, generated.name == column.name {
                part += " AS (\(expression))"
            }
            if case .defaultValue(let filled, let expression)? = subject, filled.name == column.name {
                part += " DEFAULT (\(expression))"
            }
            return part
        }
        if case .check(let check)? = subject { parts.append("CHECK (\(check.expression))") }
        let table = "CREATE TEMP TABLE \(quotedName(table.name)) (\(parts.joined(separator: ", ")))"
        guard case .index(let index)? = subject else { return table }
        let terms = index.terms.map { term in
            switch term.value {
            case .column(let name): quotedName(name)
            case .expression(let expression): "(\(expression))"
            }
        }
        return table + "; CREATE INDEX temp.drydock_lint_index ON \(quotedName(self.table.name)) "
            + "(\(terms.joined(separator: ", ")))" + (index.condition.map { " WHERE \($0)" } ?? "")
    }
}

extension SQLFragment {
    /// Whether it calls a function, as some operators do: nothing else fails when it is computed
    /// (https://www.sqlite.org/lang_expr.html#the_like_glob_regexp_match_and_extract_operators).
    fileprivate var callsFunction: Bool {
        items.indices.contains { place in
            switch items[place] {
            case .word(let word), .keyword(let word):
                Self.callingWords.contains(word)
                    || place + 1 < items.count && items[place + 1] == .symbol("(")
                        && !Self.wordsBeforeOperands.contains(word)
            case .symbol(let symbol): symbol.hasPrefix("->")
            case .literal: false
            case .illegal: true
            }
        }
    }

    private static let callingWords: Set = [
        "like", "glob", "regexp", "match", "current_date", "current_time", "current_timestamp",
    ]
    private static let wordsBeforeOperands: Set = [
        "in", "and", "or", "not", "is", "between", "case", "when", "then", "else",
    ]
}

extension EngineError {
    /// SQLite has no result code for it (sqlite3NotPureFunc in vdbeapi.c, since 3.20).
    fileprivate var isOfNonDeterminism: Bool {
        isStatementError && message.hasPrefix("non-deterministic use of ")
    }
}
