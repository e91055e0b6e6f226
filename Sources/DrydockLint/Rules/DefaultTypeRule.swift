import DatabaseEngine
import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// `default-of-another-type`: a default that a column for numbers or truth values stores as text
/// (https://www.sqlite.org/datatype3.html#type_affinity).
struct DefaultTypeRule: LintRule {
    let rule = Rule.defaultOfAnotherType
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a default is text in a column for numbers or truth values",
        detail: """
            `BOOLEAN DEFAULT 'false'` stores the text "false": it equals neither FALSE nor 0, and an app \
            that reads a number fails or takes it for true. A text that is a number, such as `'1'`, is \
            converted and is not reported. CURRENT_TIMESTAMP in an INTEGER column is text, too. In a STRICT \
            table this is an error, since every INSERT that leaves the column out fails.
            """,
        bad: "ALTER TABLE job ADD COLUMN done BOOLEAN NOT NULL DEFAULT 'false';",
        good: "ALTER TABLE job ADD COLUMN done BOOLEAN NOT NULL DEFAULT FALSE;")

    func check(_ step: LintStep) -> [LintFault] {
        Self.subjects(step).map { fault($0, step) }
    }

    /// Returns the tokens of such defaults: what other rules advise for them would be stored as text, too.
    static func values(_ step: LintStep) -> [Token] { subjects(step).compactMap(\.token) }

    // MARK: - Columns

    private struct Subject {
        var table: Table
        var column: Column
        var value: DefaultValue
        var kind: NumberKind
        /// The literal after DEFAULT.
        var token: Token?
    }

    private static func subjects(_ step: LintStep) -> [Subject] {
        let (table, columns): (Table?, [Column])
        switch step.action {
        case .createTable(let name, temporary: false, asSelect: false) where name.isMain:
            table = step.after.table(name.name)
            columns = step.before.table(name.name) == nil ? table?.columns ?? [] : []
        case .addColumn(let name, let column) where name.isMain:
            table = step.after.table(name.name)
            // `add-column-fails` reports it where the table is STRICT and has rows.
            let isReported = table?.isStrict == true && step.isOccupied(name)
            columns = isReported ? [] : [table?.column(column)].compactMap(\.self)
        default: return []
        }
        guard let table else { return [] }
        return columns.compactMap { column in
            guard let value = column.defaultValue, let kind = table.numberKind(of: column),
                isStoredAsText(value, table.affinity(of: column), step)
            else { return nil }
            return Subject(
                table: table, column: column, value: value, kind: kind,
                token: token(of: column, step))
        }
    }

    private static func isStoredAsText(
        _ value: DefaultValue, _ affinity: Affinity, _ step: LintStep
    ) -> Bool {
        switch value {
        case .null, .integer, .real, .boolean: return false
        case .text, .blob, .currentTime, .currentDate, .currentTimestamp, .expression: break
        }
        let connection = step.connection
        guard (try? connection.execute("SAVEPOINT drydock_lint")) != nil else { return false }
        defer { try? connection.execute("ROLLBACK TO drydock_lint; RELEASE drydock_lint") }
        let make = "CREATE TEMP TABLE drydock_scratch(y \(affinity.rawValue) DEFAULT \(value))"
        let insert = "; INSERT INTO temp.drydock_scratch DEFAULT VALUES"
        guard (try? connection.execute(make + insert)) != nil else { return false }
        let stored = try? connection.firstRow(
            "SELECT typeof(y) FROM temp.drydock_scratch", [], { $0.string(0) })
        return ["text", "blob"].contains(stored)
    }

    /// Returns the literal after a column's DEFAULT.
    private static func token(of column: Column, _ step: LintStep) -> Token? {
        let (tokens, source) = (step.statement.tokens, step.statement.source)
        func isEnd(_ place: Int) -> Bool { tokens[place].isSymbol(",", in: source) }
        let start = tokens.indices.dropFirst().first { place in
            let before = tokens[place - 1]
            return tokens[place].name(in: source)?.foldedASCII == column.name.foldedASCII
                && (before.isSymbol("(", in: source) || before.isSymbol(",", in: source)
                    || before.isWord("column", in: source) || before.isWord("add", in: source))
        }
        guard let start else { return nil }
        var (depth, place) = (0, start)
        while place + 1 < tokens.count, depth > 0 || !isEnd(place) {
            if tokens[place].isSymbol("(", in: source) { depth += 1 }
            if tokens[place].isSymbol(")", in: source) { depth -= 1 }
            if depth == 0, tokens[place].isWord("default", in: source),
                !tokens[place - 1].isWord("set", in: source)
            {
                return tokens[place + 1]
            }
            place += 1
        }
        return nil
    }

    // MARK: - Messages

    private func fault(_ it: Subject, _ step: LintStep) -> LintFault {
        let (name, type) = ("\(it.table.name).\(it.column.name)", it.column.declaredType)
        let (what, kind): (String, String) =
            switch it.value {
            case .text: ("the text \(it.value)", "text")
            case .blob: ("the blob \(it.value)", "a blob")
            default: ("\(it.value), which is text", "text")
            }
        let result =
            it.table.isStrict
            ? "every INSERT that leaves it out fails, since the table is STRICT"
            : "in a column of type \(type) it stays \(kind), which "
                + (isTruth(it)
                    ? "equals neither TRUE nor FALSE" : "equals no number and sorts after all of them")
        var fault = LintFault(
            it.table.isStrict ? .error : nil, "the default of \(name) is \(what): \(result)",
            help: help(it, step), at: step.statement, token: it.token, table: it.table.name,
            column: it.column.name)
        if let truth = truth(it), let token = it.token, token.kind != .symbol {
            fault.edits = [SQLEdit(range: token.range, text: Self.literal(truth, step))]
            fault.help =
                "Write \(Self.literal(truth, step)), which is \(truth ? 1 : 0):\n"
                + proposed(step.statement.applying(fault.edits) + ";")
        }
        // A rebuild gives the table another name.
        let column = it.column
        fault.stands = { schema in
            schema.tables.values.contains { $0.column(column.name)?.defaultValue == column.defaultValue }
        }
        return fault
    }

    private func help(_ it: Subject, _ step: LintStep) -> Help {
        switch it.value {
        case .currentTime, .currentDate, .currentTimestamp:
            return "Declare the column as TEXT, or write the number of seconds into it with each row."
        case _ where it.kind == .truth:
            return "Write \(Self.literal(false, step)) or \(Self.literal(true, step)), which are 0 and 1."
        default:
            return
                "Write a number, such as 0, or leave the default out. For text, declare the column as TEXT."
        }
    }

    private func isTruth(_ it: Subject) -> Bool { it.kind == .truth || truth(it) != nil }

    private func truth(_ it: Subject) -> Bool? {
        guard case .text(let text) = it.value else { return nil }
        return it.table.truth(of: text, in: it.column)
    }

    /// Before 3.23, TRUE and FALSE are names, and as defaults text.
    private static func literal(_ truth: Bool, _ step: LintStep) -> String {
        let isOld = step.minimum.map { $0 < SQLiteVersion(23) } ?? false
        return isOld ? (truth ? "1" : "0") : truth ? "TRUE" : "FALSE"
    }
}
