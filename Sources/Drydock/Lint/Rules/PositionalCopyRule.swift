import SQLiteSchema

/// `positional-copy`: rows are copied into a table by the places of columns and not by their names.
struct PositionalCopyRule: LintRule {
    let rule = Rule.positionalCopy
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "rows are copied by the order of columns",
        detail: """
            `INSERT INTO new SELECT * FROM old` puts the first column into the first one, whatever they are \
            called. Where the orders differ, values land in the wrong columns, and SQLite stores them without \
            a word. That is an error; where a name differs a warning, and where all are in line a note, for a \
            column that ALTER added stands at another place than in a new database. Name the columns.
            """,
        bad: "INSERT INTO new_email SELECT * FROM email;",
        good: "INSERT INTO new_email (id, subject) SELECT id, subject FROM email;")

    func check(_ step: LintStep) -> [LintFault] {
        guard case .insert(let target, nil, let copy?) = step.action, target.isMain, !copy.isCompound,
            let table = step.before.table(target.name),
            let source = names(of: copy, in: step.before)
        else { return [] }
        let targets = table.columns.filter { $0.generated == nil }.map(\.name)
        // SQLite refuses another number.
        guard source.count == targets.count else { return [] }
        let isStar = copy.items.contains { if case .star = $0 { true } else { false } }
        let pairs = zip(source, targets)
        let wrong = pairs.first { $0.0?.foldedASCII != $0.1.foldedASCII }
        let isPermuted =
            wrong != nil && Set(source.map { $0?.foldedASCII ?? "" }) == Set(targets.map(\.foldedASCII))
        guard isStar || isPermuted else { return [] }
        let edits = self.edits(step.statement, table, copy, source, isStar)
        let help = edits.isEmpty ? "" : ":\n" + proposed(step.statement.applying(edits) + ";")
        func fault(_ severity: Finding.Severity, _ message: String, _ edits: [SQLEdit]) -> [LintFault] {
            [
                LintFault(
                    severity, message, help: "Name the columns" + (help.isEmpty ? "." : help),
                    at: step.statement, token: star(step.statement), table: table.name, edits: edits)
            ]
        }
        guard let wrong else {
            return fault(.note, "the copy into \(table.name) goes by the order of columns", edits)
        }
        let from = wrong.0 ?? "an expression"
        if isPermuted {
            return fault(
                .error,
                "the copy puts \(from) into \(table.name).\(wrong.1): the columns stand in another order",
                edits)
        }
        return fault(
            .warning, "the copy puts \(from) into \(table.name).\(wrong.1), by the order of columns", [])
    }

    /// What the select list gives, in order; nil for what is not a column; nil for all where that is not known.
    private func names(of copy: CopySource, in schema: Schema) -> [String?]? {
        guard copy.tables.count == 1, let source = schema.table(copy.tables[0]) else { return nil }
        return copy.items.flatMap { item -> [String?] in
            switch item {
            case .star: source.columns.map(\.name)
            case .column(_, let name): [name]
            case .expression: [nil]
            }
        }
    }

    private func star(_ statement: SQLStatement) -> Token? {
        guard let select = statement.first(["select"]) else { return nil }
        return statement.tokens.first {
            $0.range.lowerBound > select.range.lowerBound && $0.isSymbol("*", in: statement.source)
        } ?? select
    }

    /// Both lists of columns, for `INSERT INTO t SELECT * FROM s` and nothing more in the list.
    private func edits(
        _ statement: SQLStatement, _ table: Table, _ copy: CopySource, _ source: [String?], _ isStar: Bool
    ) -> [SQLEdit] {
        guard isStar, copy.items == [.star(table: nil)], let select = statement.first(["select"]),
            let star = star(statement), star.isSymbol("*", in: statement.source),
            let place = statement.tokens.firstIndex(of: select), place > 0, statement.first(["with"]) == nil
        else { return [] }
        let list = table.columns.filter { $0.generated == nil }.map { quotedIfNeeded($0.name) }
        let names = Set(source.map { $0?.foldedASCII })
        let areNamed = table.columns.filter { $0.generated == nil }.allSatisfy {
            names.contains($0.name.foldedASCII)
        }
        guard areNamed else { return [] }
        let target = statement.tokens[place - 1].range.upperBound
        let text = list.joined(separator: ", ")
        return [
            SQLEdit(range: target..<target, text: " (\(text))"), SQLEdit(range: star.range, text: text),
        ]
    }
}
