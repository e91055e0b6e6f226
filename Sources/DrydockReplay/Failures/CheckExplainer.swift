import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "CHECK constraint failed": which rows break the condition.
struct CheckExplainer: FailureExplainer {
    func explanation(of fixture: FailureFixture) throws -> FailureExplanation? {
        guard let label = SQLiteMessage.checkFailed.rest(of: fixture.error.message),
            let statement = fixture.statement
        else { return nil }
        if case .addColumn(let name, let column) = statement.action,
            let added = AddedColumn(name, column, statement, fixture.schema)
        {
            for check in added.checks {
                let names = shown(check, added.table.columns + [added.column])
                guard let found = try added.rows(where: "NOT (\(check.expression))", fixture, showing: names)
                else {
                    continue
                }
                return found.explanation(help: help(check, added, fixture))
            }
            return nil
        }
        guard let rows = try fixture.uncheckedRows() else { return nil }
        let said = SQLFragment(sql: String(label.dropFirst(2)))
        let named = rows.table.checks.filter { label == ": \($0.name ?? "")" || $0.expression == said }
        for check in named.isEmpty ? rows.table.checks : named {
            let names = shown(check, rows.table.columns)
            guard let found = try rows.rows(where: "NOT (\(check.expression))", showing: names) else {
                continue
            }
            return found.explanation(
                help: rows.crossing(of: names, fixture)?.help ?? help(check, names, rows, fixture))
        }
        return nil
    }

    /// A default helps only where the condition reads the new column.
    private func help(_ check: CheckConstraint, _ added: AddedColumn, _ fixture: FailureFixture) -> Help {
        let read = check.expression.names
        let isGenerated = added.column.generated != nil
        let others = sources(of: read.union(added.column.generated?.expression.names ?? []), in: added.table)
        let readsOwn = read.contains(added.column.name.foldedASCII)
        let condition = "CHECK (\(check.expression))"
        if others.isEmpty {
            return isGenerated
                ? "Write another expression, or leave \(condition) out."
                : "Give the column a DEFAULT that meets \(condition)."
        }
        let declared = others.compactMap { fixture.origin(of: $0, in: added.table.name) }
        let change: Help =
            "Give \(listed(others)) in these rows values that meet \(condition) first, with UPDATE"
            + (declared.isEmpty
                ? "."
                : ", and declare it:\n" + declared.map { Help.declaration("rewrites \($0)") }.joinedLines())
        guard readsOwn, !isGenerated else {
            return isGenerated
                ? change : "No DEFAULT helps: the condition does not read \(added.column.name). " + change
        }
        return "Give the column a DEFAULT that meets \(condition) in every row, if there is one. Otherwise: "
            + change
    }

    /// Returns the stored columns among these names, and those that generated columns read.
    private func sources(of names: Set<String>, in table: Table) -> [String] {
        var (all, open) = (names, names)
        while let next = open.popFirst() {
            let read = table.column(next)?.generated?.expression.names ?? []
            open.formUnion(read.subtracting(all))
            all.formUnion(read)
        }
        return table.columns.filter { $0.generated == nil && all.contains($0.name.foldedASCII) }.map(\.name)
    }

    private func help(
        _ check: CheckConstraint, _ names: [String], _ rows: UncheckedRows, _ fixture: FailureFixture
    ) -> Help {
        guard let origin = rows.copiedFrom else {
            let isUpdate = if case .update? = fixture.statement?.action { true } else { false }
            return Help(
                "Write values that satisfy CHECK (\(check.expression))"
                    + (isUpdate ? ", or leave these rows as they are with WHERE." : "."))
        }
        let declared = names.compactMap { name in
            rows.origins[name.foldedASCII].flatMap { fixture.origin(of: $0, in: origin.name) }
        }
        return
            "Give these rows of \(origin.name) values that satisfy CHECK (\(check.expression)) before the copy, with UPDATE"
            + (declared.isEmpty
                ? "."
                : ", and declare it:\n" + declared.map { Help.declaration("rewrites \($0)") }.joinedLines())
    }

    /// Returns the columns that the condition reads.
    private func shown(_ check: CheckConstraint, _ columns: [Column]) -> [String] {
        let names = check.expression.names
        return columns.map(\.name).filter { names.contains($0.foldedASCII) }
    }
}
