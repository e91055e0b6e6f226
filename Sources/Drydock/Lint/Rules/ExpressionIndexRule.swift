import SQLiteSchema

/// `expression-index-fails`: an index whose expression can be an error for a row.
struct ExpressionIndexRule: LintRule {
    let rule = Rule.expressionIndexFails
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "an index computes what can be an error for a row",
        detail: """
            The expression of an index is computed for every row. `json_extract` and `->` fail with "malformed \
            JSON" on a text that is no JSON, and then neither the index can be made nor, later, such a row be \
            written. `date()` and `strftime('now')` are refused as non-deterministic, but only when there is a \
            row. Make the index partial with `WHERE json_valid(column)`, or check the column.
            """,
        bad: "CREATE INDEX event_on_kind ON event(json_extract(body, '$.kind'));",
        good: "CREATE INDEX event_on_kind ON event(json_extract(body, '$.kind')) WHERE json_valid(body);")

    /// They fail on a text that is no JSON (https://www.sqlite.org/json1.html).
    private static let jsonFunctions: Set<String> = [
        "json", "json_array_length", "json_extract", "json_insert", "json_patch", "json_remove",
        "json_replace",
        "json_set", "json_type", "jsonb", "jsonb_extract", "jsonb_insert", "jsonb_patch", "jsonb_remove",
        "jsonb_replace", "jsonb_set",
    ]

    private static let dateFunctions: Set<String> = [
        "date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff",
    ]

    func check(_ step: LintStep) -> [LintFault] {
        guard case .createIndex(let name, let on) = step.action,
            let index = step.after.indexes[name.folded], step.before.indexes[name.folded] == nil,
            step.isOccupied(QualifiedName(name: on)), let table = step.after.table(on)
        else { return [] }
        let expressions = index.terms.compactMap { term -> SQLFragment? in
            switch term.value {
            case .expression(let expression): expression
            case .column(let column): table.column(column)?.generated?.expression
            }
        }
        for expression in expressions + [index.condition].compactMap({ $0 }) {
            if let fault = clock(expression, step, table) ?? json(expression, step, index, table) {
                return [fault]
            }
        }
        return []
    }

    /// `date()` and `date('now')`, which SQLite tells only from a row on.
    private func clock(_ expression: SQLFragment, _ step: LintStep, _ table: Table) -> LintFault? {
        let items = expression.items
        for (place, item) in items.enumerated() {
            guard case .word(let name) = item, Self.dateFunctions.contains(name), place + 2 < items.count,
                items[place + 1] == .symbol("(")
            else { continue }
            let close = items[place...].firstIndex(of: .symbol(")")) ?? items.endIndex
            let arguments = items[(place + 2)..<close]
            let readsClock =
                arguments.isEmpty && name != "strftime"
                || arguments.contains {
                    if case .literal(let text) = $0 { text.foldedASCII == "'now'" } else { false }
                }
            guard readsClock else { continue }
            return LintFault(
                .error, "the index reads the clock with \(name)(): it fails if \(table.name) has a row",
                help: "An index must give the same for a row at any time.", at: step.statement,
                token: step.statement.token(named: name), table: table.name)
        }
        return nil
    }

    private func json(
        _ expression: SQLFragment, _ step: LintStep, _ index: Index, _ table: Table
    ) -> LintFault? {
        let items = expression.items
        let function = items.indices.lazy.compactMap { place -> String? in
            if items[place] == .symbol("->") || items[place] == .symbol("->>") { return "->" }
            guard case .word(let name) = items[place], Self.jsonFunctions.contains(name),
                place + 1 < items.count, items[place + 1] == .symbol("(")
            else { return nil }
            return name
        }.first
        guard let function else { return nil }
        let guards = table.checks.map(\.expression) + [index.condition].compactMap { $0 } + [expression]
        if guards.contains(where: { $0.names.contains("json_valid") }) { return nil }
        let columns = table.columns.map(\.name).filter { expression.names.contains($0.foldedASCII) }
        guard let column = columns.first else { return nil }
        let token = function == "->" ? nil : step.statement.token(named: function)
        return LintFault(
            .warning, "the index fails if a row of \(table.name) has a \(column) that is no JSON",
            help: "Leave such rows out:\n"
                + proposed(
                    step.statement.text + (index.condition == nil ? " WHERE " : " AND ")
                        + "json_valid(\(quotedIfNeeded(column)));"),
            at: step.statement, token: token, table: table.name, column: column)
    }
}
