import DrydockReplay
import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// `add-column-fails`: SQLite refuses some new columns once the table has a row, and accepts them while it is empty
/// (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
struct AddColumnRule: LintRule {
    let rule = Rule.addColumnFails
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "ADD COLUMN fails as soon as the table has a row",
        detail: """
            SQLite accepts the statement on an empty table, so tests pass, and refuses it for users who have \
            rows: NOT NULL without a default, a default that is computed (`CURRENT_TIMESTAMP`, anything in \
            parentheses that is not a literal), a STORED generated column, a foreign key with a default \
            while foreign keys are on, and a CHECK that the default breaks. Add the column with a literal \
            default, or without one, and fill it with UPDATE.
            """,
        bad: "ALTER TABLE email ADD COLUMN seen_at TEXT NOT NULL;",
        good: "ALTER TABLE email ADD COLUMN seen_at TEXT NOT NULL DEFAULT '';")

    func check(_ step: LintStep) -> [LintFault] {
        guard case .addColumn(let name, let word) = step.action, hasRows(name, step),
            let table = step.after.table(name.name), let column = table.column(word)
        else { return [] }
        func fault(
            _ message: String, _ help: some HelpConvertible, _ token: Token?,
            _ severity: Finding.Severity = .error
        ) -> LintFault {
            LintFault(
                severity, message, help: help, at: step.statement, token: token, table: table.name,
                column: column.name)
        }
        let advice = AddColumnAdvice(statement: step.statement, table: table, column: column)
        if let generated = column.generated {
            if generated.isStored {
                return [
                    fault(
                        "a STORED generated column cannot be added to a table that has rows",
                        advice.storedHelp, step.token("stored"))
                ]
            }
            guard column.notNull != nil else { return [] }
            let probe = LintProbe(
                table: step.before.table(name.name) ?? table, known: [:], connection: step.connection)
            if !probe.mayBeNull(generated.expression) { return [] }
            return [
                fault(
                    "adding \(column.name) fails if its expression is NULL for any row of \(table.name)",
                    "Leave out NOT NULL, or make sure that the expression cannot be NULL.",
                    step.token("not", "null"), .warning)
            ]
        }
        let isNull = column.defaultValue == nil || column.defaultValue == .null
        if column.notNull != nil, isNull {
            return [
                fault(
                    "\(column.name) is NOT NULL and has no default: adding it fails if \(table.name) has a row",
                    advice.notNullHelp, step.token("not", "null"))
            ]
        }
        if let value = column.defaultValue, Self.isComputed(value), isRefused(value, step) {
            return [
                fault(
                    "the default of \(column.name) is computed: adding it fails if \(table.name) has a row",
                    advice.computedDefaultHelp, step.token("default"))
            ]
        }
        if !isNull, step.foreignKeysAreOn, table.foreignKeys.contains(where: { Self.isOf(column, $0) }) {
            return [
                fault(
                    "\(column.name) references another table and has a default: with foreign keys on, adding it fails if \(table.name) has a row",
                    advice.referenceHelp, step.token("references"))
            ]
        }
        if let value = column.defaultValue, table.isStrict, isOfAnotherType(value, column, step) {
            return [
                fault(
                    "the default of \(column.name) is not of type \(column.declaredType): every row of the STRICT \(table.name) gets it, and integrity_check reports it",
                    "Choose a default of the column's type.", step.token("default"))
            ]
        }
        if !isNull, step.migration.isDeferred,
            let key = table.foreignKeys.first(where: { Self.isOf(column, $0) }),
            !isFilledLater(column, name, step)
        {
            return [
                fault(
                    "every row of \(table.name) references \(key.parent) by the default of \(column.name): the check of foreign keys before the commit fails if \(key.parent) has no such row",
                    "Add it without the default, and fill it with UPDATE.", step.token("references"), .warning
                )
            ]
        }
        return checks(step, table, column).map {
            fault($0.message, $0.help, step.token("check"), $0.severity ?? .error)
        }
    }

    /// Whether the table has rows in a user's database, given the effects of the earlier statements.
    private func hasRows(_ name: QualifiedName, _ step: LintStep) -> Bool {
        guard name.isMain else { return false }
        var hasRows = step.isOccupied(name)
        for statement in step.changing(name.name) {
            switch statement.action {
            case .delete where statement.outermost("where") == nil && statement.outermost("limit") == nil:
                hasRows = false
            case .insert(_, _, let copy) where copy?.tables.isEmpty ?? true: hasRows = true
            case .insert: hasRows = hasRows || step.isOccupied(name)
            default: break
            }
        }
        return hasRows
    }

    /// Whether SQLite refuses the default on a table with a row; it evaluates some constant expressions.
    private func isRefused(_ value: DefaultValue, _ step: LintStep) -> Bool {
        let connection = step.connection
        guard (try? connection.execute("SAVEPOINT drydock_lint")) != nil else { return true }
        defer { try? connection.execute("ROLLBACK TO drydock_lint; RELEASE drydock_lint") }
        do {
            try connection.execute(
                "CREATE TEMP TABLE drydock_scratch(x); INSERT INTO temp.drydock_scratch VALUES (1);"
                    + "ALTER TABLE temp.drydock_scratch ADD COLUMN y DEFAULT \(value)")
            return false
        } catch {
            return true
        }
    }

    /// Whether a STRICT column would refuse the default in an INSERT; ADD COLUMN accepts it.
    private func isOfAnotherType(_ value: DefaultValue, _ column: Column, _ step: LintStep) -> Bool {
        guard value != .null else { return false }
        let connection = step.connection
        guard (try? connection.execute("SAVEPOINT drydock_lint")) != nil else { return false }
        defer { try? connection.execute("ROLLBACK TO drydock_lint; RELEASE drydock_lint") }
        let make = "CREATE TEMP TABLE drydock_scratch(y \(column.declaredType)) STRICT"
        guard (try? connection.execute(make)) != nil else { return false }
        return (try? connection.execute("INSERT INTO temp.drydock_scratch VALUES (\(value))")) == nil
    }

    private func isFilledLater(_ column: Column, _ table: QualifiedName, _ step: LintStep) -> Bool {
        step.migration.statements.dropFirst(step.index + 1).contains { statement in
            guard case .update(let name, let columns) = statement.action, name.folded == table.folded else {
                return false
            }
            return columns.contains { $0.foldedASCII == column.name.foldedASCII }
        }
    }

    /// Returns the faults of CHECKs that came with the column.
    private func checks(_ step: LintStep, _ table: Table, _ column: Column) -> [LintFault] {
        let own = column.name.foldedASCII
        let value = (column.defaultValue ?? .null).description
        // The existing rows were written without these.
        var old = table
        old.checks.removeAll { $0.column?.foldedASCII == own }
        let probe = LintProbe(table: old, known: [own: value], connection: step.connection)
        var seen: Set<SQLFragment> = []
        let new = table.checks.filter { $0.column?.foldedASCII == own && seen.insert($0.expression).inserted }
        return new.compactMap { check in
            let names = check.expression.names.union([own])
            let others = table.columns.map(\.name.foldedASCII).filter { $0 != own && names.contains($0) }
            switch probe.row(where: "NOT (\(check.expression))", names: names) {
            case .row where others.isEmpty:
                return LintFault(
                    .error,
                    "the default of \(column.name) breaks its own CHECK: adding it fails if \(table.name) has a row",
                    help: "Choose a default that satisfies CHECK (\(check.expression)).")
            case .row(let row):
                return LintFault(
                    .warning,
                    "adding \(column.name) fails if a row of \(table.name) has \(row), which its CHECK refuses",
                    help:
                        "Give \(listed(others)) values that satisfy CHECK (\(check.expression)) first, with UPDATE."
                )
            case .noRow, .unknown:
                guard let other = others.first else { return nil }
                return LintFault(
                    .note,
                    "adding \(column.name) fails if a row of \(table.name) does not satisfy its CHECK, which reads \(other) too",
                    help: "Make sure that every row satisfies CHECK (\(check.expression)).")
            }
        }
    }

    private static func isOf(_ column: Column, _ key: ForeignKey) -> Bool {
        key.columns.contains { $0.foldedASCII == column.name.foldedASCII }
    }

    static func isComputed(_ value: DefaultValue) -> Bool {
        switch value {
        case .currentTime, .currentDate, .currentTimestamp: true
        case .expression(let expression):
            expression.items.contains { if case .literal = $0 { false } else { true } }
        default: false
        }
    }
}
