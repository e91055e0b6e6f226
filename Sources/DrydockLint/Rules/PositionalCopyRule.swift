import DrydockFindings
import DrydockState
import SQLiteSchema

/// `positional-copy`: rows are copied into a table by the positions of columns, not by their names.
struct PositionalCopyRule: LintRule {
    let rule = Rule.positionalCopy
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "rows are copied by the position of columns",
        detail: """
            `INSERT INTO new SELECT * FROM old` copies the first column into the first one, whatever they \
            are called. If the orders differ, values land in the wrong columns, and SQLite stores them \
            without an error. That is an error here, and so are two lists of names in different orders, also \
            in each part of a UNION and in a trigger. If only a name differs, it is a warning. If all names \
            match, it is a note, since a column that ALTER added is at a different position than in a new \
            database. Name the columns.
            """,
        bad: "INSERT INTO new_email SELECT * FROM email;",
        good: "INSERT INTO new_email (id, subject) SELECT id, subject FROM email;")

    func check(_ step: LintStep) -> [LintFault] {
        switch step.action {
        case .insert: return [fault(of: step.statement, on: nil, step)].compactMap { $0 }
        case .createTrigger(_, let table, _):
            return step.statement.triggerBody.compactMap { fault(of: $0, on: table, step) }
        default: return []
        }
    }

    /// - Parameter table: the table with the trigger that contains the statement.
    private func fault(of insert: SQLStatement, on table: String?, _ step: LintStep) -> LintFault? {
        guard case .insert(let name, let columns, let copy) = insert.action, name.isMain,
            let source = insert.insertSource, table != nil || copy?.tables.isEmpty == false
        else { return nil }
        // Columns that are exchanged within the same table are exchanged on purpose.
        let readsItself =
            table?.foldedASCII == name.folded
            || copy?.tables.contains { $0.foldedASCII == name.folded } == true
        let target = step.before.table(name.name)
        guard !readsItself,
            let targets = columns ?? target?.columns.filter({ $0.generated == nil }).map(\.name)
        else { return nil }
        let reader = CopiedNames(insert: insert, source: source, isInTrigger: table != nil, step: step)
        let faults = source.arms.compactMap { arm in
            reader.names(of: arm).flatMap { self.fault($0, targets, name.name, columns != nil, insert, step) }
        }
        guard var fault = faults.max(by: { $0.severity ?? .note < $1.severity ?? .note }) else { return nil }
        if table == nil, source.arms.count == 1, let target, let names = reader.names(of: source.arms[0]) {
            edit(&fault, insert, targets, target, copy, names)
        }
        return fault
    }

    private func fault(
        _ copied: CopiedNames.Names, _ targets: [String], _ table: String, _ areNamed: Bool,
        _ insert: SQLStatement, _ step: LintStep
    ) -> LintFault? {
        let names = copied.names
        // SQLite refuses a different number.
        guard names.count == targets.count else { return nil }
        func fault(_ severity: Finding.Severity, _ message: String) -> LintFault {
            LintFault(
                severity, message, help: "Name the columns" + (areNamed ? " in one order." : "."),
                at: step.statement, token: copied.token, table: table)
        }
        if let place = copied.crossing(targets) {
            let what = "the copy puts \(names[place] ?? "") into \(table).\(targets[place])"
            return fault(.error, what + ": the columns are in a different order")
        }
        guard copied.hasStar else { return nil }
        let wrong = zip(names, targets).first { $0.0?.foldedASCII != $0.1.foldedASCII }
        if let (name, target) = wrong {
            return fault(
                .warning,
                "the copy puts \(name ?? "an expression") into \(table).\(target), by the position of columns"
            )
        }
        return copied.readsTable
            ? fault(.note, "the copy into \(table) depends on the order of columns") : nil
    }

    /// Returns the rewrite by name, for a plain `SELECT *` of one table.
    private func edit(
        _ fault: inout LintFault, _ insert: SQLStatement, _ targets: [String], _ table: Table,
        _ copy: CopySource?, _ names: CopiedNames.Names
    ) {
        let given = Set(names.names.map { $0?.foldedASCII })
        // Numbers of columns, and the rest of an ORDER BY, would refer to different columns.
        let counts = ["group", "order", "limit", "union", "intersect", "except"].contains {
            insert.outermost($0) != nil
        }
        guard !counts, fault.severity != .warning, let copy, copy.tables.count == 1,
            copy.items == [.star(table: nil)],
            names.token.isSymbol("*", in: insert.source), insert.first(["with"]) == nil,
            targets.allSatisfy({ given.contains($0.foldedASCII) }),
            let select = insert.first(["select"]), let place = insert.tokens.firstIndex(of: select), place > 0
        else { return }
        let text = targets.map(quotedIfNeeded).joined(separator: ", ")
        fault.edits = [SQLEdit(range: names.token.range, text: text)]
        if case .insert(_, nil, _) = insert.action {
            let end = insert.tokens[place - 1].range.upperBound
            fault.edits.insert(SQLEdit(range: end..<end, text: " (\(text))"), at: 0)
        }
        fault.help = "Name the columns:\n" + proposed(insert.applying(fault.edits) + ";")
    }
}
