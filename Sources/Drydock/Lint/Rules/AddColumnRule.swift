import DatabaseEngine
import SQLiteSchema

/// `add-column-fails`: SQLite refuses some new columns as soon as the table has a row, and takes them while it
/// is empty (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
struct AddColumnRule: LintRule {
    let rule = Rule.addColumnFails
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "ADD COLUMN fails as soon as the table has a row",
        detail: """
            SQLite takes the statement on an empty table, so tests pass, and refuses it for users who have rows: \
            NOT NULL without a default, a default that is computed (`CURRENT_TIMESTAMP`, anything in \
            parentheses that is no literal), a STORED generated column, a foreign key with a default while \
            foreign keys are on, and a CHECK that the default breaks. Add the column with a literal default, or \
            without one, and fill it with UPDATE.
            """,
        bad: "ALTER TABLE email ADD COLUMN seen_at TEXT NOT NULL;",
        good: "ALTER TABLE email ADD COLUMN seen_at TEXT NOT NULL DEFAULT '';")

    func check(_ step: LintStep) -> [LintFault] {
        guard case .addColumn(let name, let word) = step.action, hasRows(name, step),
            let table = step.after.table(name.name), let column = table.column(word)
        else { return [] }
        func fault(
            _ message: String, _ help: String, _ token: Token?, _ severity: Finding.Severity = .error
        ) -> LintFault {
            LintFault(
                severity, message, help: help, at: step.statement, token: token, table: table.name,
                column: column.name)
        }
        let statement = step.statement.text
        if let generated = column.generated {
            if generated.isStored {
                return [
                    fault(
                        "a STORED generated column cannot be added to a table that has rows",
                        "Make it VIRTUAL, or rebuild the table.", step.token("stored"))
                ]
            }
            guard column.notNull != nil else { return [] }
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
                    "Give it a default:\n"
                        + proposed(statement + " DEFAULT \(Self.zero(table.affinity(of: column)));"),
                    step.token("not", "null"))
            ]
        }
        if let value = column.defaultValue, Self.isComputed(value), isRefused(value, step) {
            return [
                fault(
                    "the default of \(column.name) is computed: adding it fails if \(table.name) has a row",
                    "Add it without the default and fill it:\n" + proposed(Self.filled(column, table)),
                    step.token("default"))
            ]
        }
        if !isNull, step.foreignKeysAreOn, table.foreignKeys.contains(where: { Self.isOf(column, $0) }) {
            return [
                fault(
                    "\(column.name) references another table and has a default: with foreign keys on, adding it fails if \(table.name) has a row",
                    "Add it without the default, and fill it with UPDATE.", step.token("references"))
            ]
        }
        return checks(step, table, column).map {
            fault($0.message, $0.help, step.token("check"), $0.severity ?? .error)
        }
    }

    /// Whether the table has rows in a user's database, by what the statements before did to it.
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

    /// Whether SQLite refuses the default on a table with a row; it folds some expressions.
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

    /// CHECKs that came with the column.
    private func checks(_ step: LintStep, _ table: Table, _ column: Column) -> [LintFault] {
        let own = column.name.foldedASCII
        let value = (column.defaultValue ?? .null).description
        let probe = LintProbe(table: table, known: [own: value], connection: step.connection)
        return table.checks.filter { $0.column?.foldedASCII == own }.compactMap { check in
            let names = check.expression.names.union([own])
            let others = table.columns.map(\.name.foldedASCII).filter { $0 != own && names.contains($0) }
            switch probe.row(where: "NOT (\(check.expression))", names: names) {
            case .row where others.isEmpty:
                return LintFault(
                    .error,
                    "the default of \(column.name) breaks its own CHECK: adding it fails if \(table.name) has a row",
                    help: "Choose a default that meets CHECK (\(check.expression)).")
            case .row(let row):
                return LintFault(
                    .warning,
                    "adding \(column.name) fails if a row of \(table.name) has \(row), which its CHECK refuses",
                    help: "Mend such rows first, or rebuild the table.")
            case .noRow, .unknown:
                guard let other = others.first else { return nil }
                return LintFault(
                    .note,
                    "adding \(column.name) fails if a row of \(table.name) does not meet its CHECK, which reads \(other) too",
                    help: "Make sure that every row meets CHECK (\(check.expression)).")
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

    private static func zero(_ affinity: Affinity) -> String {
        switch affinity {
        case .text: "''"
        case .blob: "x''"
        default: "0"
        }
    }

    private static func filled(_ column: Column, _ table: Table) -> String {
        let (name, type) = (quotedIfNeeded(column.name), column.declaredType)
        let parent = quotedIfNeeded(table.name)
        var value = column.defaultValue.map { "\($0)" } ?? "NULL"
        if value.hasPrefix("("), value.hasSuffix(")") { value = String(value.dropFirst().dropLast()) }
        return "ALTER TABLE \(parent) ADD COLUMN \(name)\(type.isEmpty ? "" : " " + type);\n"
            + "UPDATE \(parent) SET \(name) = \(value);"
    }
}
