import DrydockFindings
import DrydockState
import SQLiteSchema

/// `expression-index-fails`: an index with an expression that can fail for a row.
struct ExpressionIndexRule: LintRule {
    let rule = Rule.expressionIndexFails
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "the expression of an index can fail for a row",
        detail: """
            The expression of an index is computed for every row. `json_extract` and `->` fail with \
            "malformed JSON" on text that is not JSON; then the index cannot be created, and later no such \
            row can be written. `date()` and `strftime('now')` are refused as non-deterministic, but only if \
            there is a row. Make the index partial with `WHERE json_valid(column)`, or check the column.
            """,
        bad: "CREATE INDEX event_on_kind ON event(json_extract(body, '$.kind'));",
        good: "CREATE INDEX event_on_kind ON event(json_extract(body, '$.kind')) WHERE json_valid(body);")

    /// Functions that fail on text that is not JSON (https://www.sqlite.org/json1.html).
    private static let jsonFunctions: Set<String> = [
        "json", "json_array_length", "json_extract", "json_insert", "json_patch", "json_remove",
        "json_replace",
        "json_set", "json_type", "jsonb", "jsonb_extract", "jsonb_insert", "jsonb_patch", "jsonb_remove",
        "jsonb_replace", "jsonb_set",
    ]

    private static let dateFunctions: Set<String> = [
        "date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff",
    ]

    /// Neither the computer's clock nor its time zone belongs to the row.
    private static let clockWords: Set<String> = ["'now'", "'localtime'", "'utc'"]

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
            if let fault = clock(expression, step, table) ?? path(expression, step, table)
                ?? json(expression, step, index, table)
            {
                return [fault]
            }
        }
        return []
    }

    /// Reports `date()` and `date('now')`, which SQLite refuses only once there is a row.
    private func clock(_ expression: SQLFragment, _ step: LintStep, _ table: Table) -> LintFault? {
        let items = expression.items
        for (place, item) in items.enumerated() {
            guard case .word(let name) = item, Self.dateFunctions.contains(name), place + 2 < items.count,
                items[place + 1] == .symbol("(")
            else { continue }
            let close = items[place...].firstIndex(of: .symbol(")")) ?? items.endIndex
            let arguments = items[(place + 2)..<close]
            let readsClock =
                (name == "strftime" ? !arguments.contains(.symbol(",")) : arguments.isEmpty)
                || arguments.contains {
                    if case .literal(let text) = $0 {
                        Self.clockWords.contains(text.foldedASCII)
                    } else {
                        false
                    }
                }
            guard readsClock else { continue }
            return LintFault(
                .error, "the index reads the clock with \(name)(): it fails if \(table.name) has a row",
                help: "The expression of an index must always give the same value for a row.",
                at: step.statement,
                token: step.statement.token(named: name), table: table.name)
        }
        return nil
    }

    /// Reports a JSON path that does not begin with `$`.
    private func path(_ expression: SQLFragment, _ step: LintStep, _ table: Table) -> LintFault? {
        let items = expression.items
        let readers: Set<String> = ["json_extract", "json_type", "json_array_length", "json_remove"]
        for place in items.indices.dropLast(5) {
            guard case .word(let name) = items[place], readers.contains(name),
                items[place + 1] == .symbol("("),
                items[place + 3] == .symbol(","), case .literal(let path) = items[place + 4],
                path.hasPrefix("'"), !path.hasPrefix("'$")
            else { continue }
            return LintFault(
                .error,
                "the path \(path) of \(name)() does not begin with $: the index fails on a row of \(table.name) that has JSON",
                help: "Write '$.\(path.dropFirst())", at: step.statement,
                token: step.statement.token(named: name), table: table.name)
        }
        return nil
    }

    private func json(
        _ expression: SQLFragment, _ step: LintStep, _ index: Index, _ table: Table
    ) -> LintFault? {
        guard let (function, name) = Self.unguarded(expression, table, index.condition) else { return nil }
        let column = table.column(name)?.name ?? name
        let token = function == "->" ? nil : step.statement.token(named: function)
        return LintFault(
            .warning, "the index fails if a row of \(table.name) has a \(column) that is not valid JSON",
            help: "Leave such rows out:\n"
                + proposed(step.statement.adding(condition: "json_valid(\(quotedIfNeeded(column)))") + ";"),
            at: step.statement, token: token, table: table.name, column: column)
    }

    /// Returns the JSON function or arrow, and the column it reads, where no constraint makes the column JSON.
    ///
    /// - Parameter condition: the condition that an index's rows satisfy.
    static func unguarded(
        _ expression: SQLFragment, _ table: Table, _ condition: SQLFragment?
    ) -> (function: String, column: String)? {
        let items = expression.items
        let columns = Set(table.columns.map(\.name.foldedASCII))
        let guards = table.checks.map(\.expression) + [condition].compactMap { $0 }
        return items.indices.lazy.compactMap { place -> (function: String, column: String)? in
            guard let function = Self.function(at: place, items) else { return nil }
            let read = function == "->" ? items[..<place].suffix(1) : items[(place + 2)...].prefix(1)
            var column: String?
            if case .word(let name)? = read.first, columns.contains(name) { column = name }
            // In a larger expression any column may be the cause.
            column = column ?? table.columns.map(\.name.foldedASCII).first(where: expression.names.contains)
            guard let column, !guards.contains(where: { Self.holds(Array($0.items[...]), column) }),
                !Self.contains(items, Self.call(column))
            else { return nil }
            return (function, column)
        }.first
    }

    /// Returns the JSON function or arrow at a position.
    private static func function(at place: Int, _ items: [NormalizedSQL.Item]) -> String? {
        if items[place] == .symbol("->") || items[place] == .symbol("->>") { return place > 0 ? "->" : nil }
        guard case .word(let name) = items[place], jsonFunctions.contains(name), place + 2 < items.count,
            items[place + 1] == .symbol("(")
        else { return nil }
        return name
    }

    private static func call(_ column: String) -> [NormalizedSQL.Item] {
        [.word("json_valid"), .symbol("("), .word(column), .symbol(")")]
    }

    private static func contains(_ items: [NormalizedSQL.Item], _ part: [NormalizedSQL.Item]) -> Bool {
        items.indices.contains { items[$0...].starts(with: part) }
    }

    /// Whether a condition is true only where the column is JSON or NULL.
    private static func holds(_ condition: [NormalizedSQL.Item], _ column: String) -> Bool {
        var items = condition
        while items.first == .symbol("("), closing(items) == items.count - 1 {
            items = Array(items.dropFirst().dropLast())
        }
        let conjuncts = split(items, at: "and")
        if conjuncts.count > 1 { return conjuncts.contains { holds($0, column) } }
        let disjuncts = split(items, at: "or")
        if disjuncts.count > 1 { return disjuncts.allSatisfy { holds($0, column) } }
        if items == [.word(column), .keyword("is"), .keyword("null")]
            || items == [.word(column), .keyword("isnull")]
        {
            return true
        }
        guard items.starts(with: call(column)) else { return false }
        let rest = Array(items.dropFirst(4))
        let truths: [[NormalizedSQL.Item]] = [
            [], [.symbol("="), .literal("1")], [.keyword("is"), .literal("1")],
            [.symbol(">"), .literal("0")], [.symbol("<>"), .literal("0")],
        ]
        return truths.contains(rest)
    }

    /// Returns the position of the parenthesis that closes the first.
    private static func closing(_ items: [NormalizedSQL.Item]) -> Int? {
        var depth = 0
        for (place, item) in items.enumerated() {
            if item == .symbol("(") { depth += 1 }
            if item == .symbol(")") { depth -= 1 }
            if depth == 0 { return place }
        }
        return nil
    }

    /// Splits a condition at an operator outside parentheses. AND binds more tightly than OR, so where an OR is present
    /// nothing is split at AND.
    private static func split(
        _ items: [NormalizedSQL.Item], at word: String
    ) -> [[NormalizedSQL.Item]] {
        var parts: [[NormalizedSQL.Item]] = [[]]
        var depth = 0
        for item in items {
            if item == .symbol("(") { depth += 1 }
            if item == .symbol(")") { depth -= 1 }
            if depth == 0, word == "and", item == .keyword("or") { return [items] }
            if depth == 0, item == .keyword(word) {
                parts.append([])
            } else {
                parts[parts.count - 1].append(item)
            }
        }
        return parts
    }
}
