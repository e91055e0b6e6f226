import DrydockFindings
import DrydockState
import SQLiteSchema

/// `copied-constant`: a copy of rows puts the same value into a column for every row, in place of the column's values.
struct CopiedConstantRule: LintRule {
    let rule = Rule.copiedConstant
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a copy writes the same value into a column of every row",
        detail: """
            `SELECT id, 'title', artist FROM song` does not read the column `title`: `'title'` is a text, \
            and every row gets this word. So does `"heading"` in double quotes if no column has that name. \
            Both are errors if the text is the name of a column that could have been meant; SQLite stores it \
            without an error. Any other value, such as NULL or `''`, that a rebuild writes into a column of \
            the old table in place of its values is a warning, unless another statement reads those values \
            or `rewrites` declares it.
            """,
        bad: "INSERT INTO new_song (id, title) SELECT id, 'title' FROM song;",
        good: "INSERT INTO new_song (id, title) SELECT id, title FROM song;")

    func check(_ step: LintStep) -> [LintFault] {
        guard let copy = CopiedConstants(step) else { return [] }
        return copy.constants.compactMap { constant in
            Self.misread(constant, copy, step).map { fault($0, constant, copy, step) }
                ?? overwritten(constant, copy, step)
        }
    }

    // MARK: - Text in place of a name

    /// A string whose text is the name of the column that was meant.
    struct Misread {
        var token: Token
        /// The table that has the column; nil where no table has it.
        var source: Table?
        var column: String
    }

    /// Returns the strings in double quotes of a statement that were meant as columns.
    static func misreadNames(_ step: LintStep) -> [Token] {
        guard let copy = CopiedConstants(step) else { return [] }
        return copy.constants.filter(\.isName).compactMap { misread($0, copy, step)?.token }
    }

    private static func misread(
        _ constant: CopiedConstants.Constant, _ copy: CopiedConstants, _ step: LintStep
    ) -> Misread? {
        func source(of name: String) -> (table: Table, column: Column)? {
            copy.sources.lazy.compactMap { table in table.column(name).map { (table, $0) } }.first
        }
        let isRebuild = copy.sources.contains { replaces($0, copy, step) }
        let target = constant.target.foldedASCII
        if let word = constant.words.first(where: { $0.text.foldedASCII == target }) {
            guard let found = source(of: word.text) else {
                return constant.isName
                    ? Misread(token: word.token, source: nil, column: word.text) : nil
            }
            // Where a table gets a row for each column of another one, the column's value is beside its name.
            guard isRebuild || !constant.others.contains(target) else { return nil }
            return Misread(token: word.token, source: found.table, column: found.column.name)
        }
        // The column was renamed by the rebuild.
        guard isRebuild, constant.isWord, let word = constant.words.first, let found = source(of: word.text),
            source(of: target) == nil, !isRead(found.column.name, constant, step)
        else { return nil }
        return Misread(token: word.token, source: found.table, column: found.column.name)
    }

    private func fault(
        _ misread: Misread, _ constant: CopiedConstants.Constant, _ copy: CopiedConstants, _ step: LintStep
    ) -> LintFault? {
        let place = "\(copy.target.name).\(constant.target)"
        let word = misread.token.text(in: step.statement.source)
        guard let source = misread.source else {
            let tables = listed(copy.sources.map(\.name))
            return LintFault(
                isOccupied(copy, step) ? .error : .warning,
                "\(word) is not a column of \(tables): the copy writes this word into \(place) of every row",
                help: """
                    SQLite reads a name in double quotes as text where no column has it. Name a column of \
                    \(tables), or leave \(quotedIfNeeded(constant.target)) out of the copy, so that it gets its default.
                    """,
                at: step.statement, token: misread.token, table: copy.target.name, column: constant.target)
        }
        // A declared rename says that the values go where the word is put.
        guard !isDeclared(source, misread.column, step, unlessRenamedTo: constant.target) else { return nil }
        var fault = LintFault(
            isOccupied(copy, step) ? .error : .warning,
            "\(word) is text: the copy writes this word into \(place) of every row instead of the values of "
                + "\(source.name).\(misread.column)",
            help: "Write the column's name without single quotes.", at: step.statement, token: misread.token,
            table: source.name, column: misread.column)
        guard constant.isWord, copy.sources.count == 1 else { return fault }
        fault.edits = [SQLEdit(range: misread.token.range, text: quotedIfNeeded(misread.column))]
        fault.help =
            "Write the column's name without single quotes:\n"
            + proposed(step.statement.applying(fault.edits) + ";")
        return fault
    }

    // MARK: - Any other value

    /// Reports a rebuild that fills a column of both tables with something other than its values.
    private func overwritten(
        _ constant: CopiedConstants.Constant, _ copy: CopiedConstants, _ step: LintStep
    ) -> LintFault? {
        guard copy.isPlain, let source = copy.sources.first(where: { Self.replaces($0, copy, step) }),
            step.isOccupied(QualifiedName(name: source.name)),
            let column = source.column(constant.target), column.generated == nil,
            !Self.isRead(column.name, constant, step), !isFilledMore(copy, step),
            !isDeclared(source, column.name, step)
        else { return nil }
        let table = step.firstName(of: source.name)
        return LintFault(
            .warning,
            "the rebuild of \(table) writes \(constant.text) into \(column.name), whatever its value was",
            help: remedy(
                "that is intended", "rewrites \(quotedIfNeeded(table)).\(quotedIfNeeded(column.name))"),
            at: step.statement, table: table, column: column.name)
    }

    /// Whether another statement copies rows of the old table into the new one.
    private func isFilledMore(_ copy: CopiedConstants, _ step: LintStep) -> Bool {
        step.migration.statements.enumerated().contains { index, statement in
            guard index != step.index, case .insert(let name, _, let other?) = statement.action else {
                return false
            }
            return name.folded == copy.target.folded
                && copy.sources.contains { other.tables.map(\.foldedASCII).contains($0.name.foldedASCII) }
        }
    }

    // MARK: - The migration

    /// Whether the table that a statement fills replaces, at the end of the migration, a table that it reads.
    private static func replaces(_ source: Table, _ copy: CopiedConstants, _ step: LintStep) -> Bool {
        guard copy.target.isMain, copy.target.folded != source.name.foldedASCII,
            let origin = step.lineage[source.name]?.origin
        else { return false }
        let last = step.migration.statements.dropFirst(step.index + 1).reduce(copy.target.folded) {
            name, statement in
            guard case .renameTable(let from, let to) = statement.action, from.folded == name else {
                return name
            }
            return to.foldedASCII
        }
        return last == origin
    }

    /// Whether the values may be kept: another item or statement reads the column.
    private static func isRead(
        _ column: String, _ constant: CopiedConstants.Constant, _ step: LintStep
    ) -> Bool {
        constant.others.contains(column.foldedASCII)
            || step.migration.statements.enumerated().contains { index, statement in
                index != step.index && statement.action.changedTable != nil && statement.mentions(column)
            }
    }

    private func isOccupied(_ copy: CopiedConstants, _ step: LintStep) -> Bool {
        copy.sources.contains { step.isOccupied(QualifiedName(name: $0.name)) }
    }

    /// - Parameter target: a column to which a declared rename does not count.
    private func isDeclared(
        _ table: Table, _ column: String, _ step: LintStep, unlessRenamedTo target: String? = nil
    ) -> Bool {
        let declared = DeclaredChanges(of: step.migration)
        let names = [table.name.foldedASCII, step.firstName(of: table.name).foldedASCII]
        let isRenamed = declared.contains { kind in
            guard case .renamesColumn(let renamed, let from, let to) = kind else { return false }
            return names.contains(renamed.foldedASCII) && from.foldedASCII == column.foldedASCII
                && to.foldedASCII == target?.foldedASCII
        }
        let isRewritten = declared.rewrites(column, of: names)
        if isRenamed { return isRewritten }
        return isRewritten || declared.drops([column], of: names)
    }
}
