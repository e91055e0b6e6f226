import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `destructive-undeclared`: existing rows, tables or columns are deleted or rewritten, and no declaration says that
/// this is intended.
struct DestructiveRule: LintRule {
    let rule = Rule.destructiveUndeclared
    let severity: Finding.Severity? = .error

    func check(_ step: LintStep) -> [LintFault] {
        if let view = step.before.views[step.action.changedTable?.foldedASCII ?? ""] {
            return through(view, step)
        }
        let found = found(step)
        // Once the loss of the table's own rows is declared, the dependent losses are reported.
        let isRefused = found.contains { ($0.severity ?? .error) == .error }
        return found + fired(step) + (isRefused ? [] : children(step))
    }

    private func found(_ step: LintStep) -> [LintFault] {
        switch step.action {
        case .dropTable(let name): [table(name, step)].compactMap { $0 }
        case .dropColumn(let name, let column): [self.column(name, column, step)].compactMap { $0 }
        case .delete(let name): [rows(name, step)].compactMap { $0 }
        case .update(let name, let columns):
            [values(name, columns, "UPDATE", step), replaced(name, columns, step)].compactMap { $0 }
        case .insert(let name, let columns, _):
            [
                replaced(name, columns, step),
                values(name, step.statement.upsertColumns, "ON CONFLICT DO UPDATE", step),
            ].compactMap { $0 }
        default: []
        }
    }

    func isSubject(_ name: QualifiedName, _ step: LintStep) -> Bool {
        guard step.isOccupied(name) else { return false }
        if step.isExisting(name), step.before.table(name.name) != nil { return true }
        return step.start.virtualTables[name.folded]?.holdsText ?? false && !isDerived(name, step)
    }

    /// Whether a full-text table is filled from other tables: by triggers, or again by the migration.
    private func isDerived(_ name: QualifiedName, _ step: LintStep) -> Bool {
        func fills(_ statement: SQLStatement) -> Bool {
            if case .insert(let target, _, _?) = statement.action {
                target.folded == name.folded
            } else {
                false
            }
        }
        return step.start.triggers.values.contains { $0.body.contains { $0.names.contains(name.folded) } }
            || step.migration.statements.dropFirst(step.index).contains(where: fills)
    }

    private func table(_ name: QualifiedName, _ step: LintStep) -> LintFault? {
        guard isSubject(name, step) else { return nil }
        let shelter = SavedRows(step.migration)
        let holding = shelter.holding(name.name, at: step.index)
        if case .whole = holding { return nil }
        let names = self.names(name, step)
        if case .some = holding, declaresDeletes(step.migration, names) { return nil }
        guard
            !declares(
                step.migration,
                { kind in
                    switch kind {
                    case .dropsTable(let table): names.contains(table.foldedASCII)
                    case .renamesTable(let from, _): names.contains(from.foldedASCII)
                    default: false
                    }
                })
        else { return nil }
        // Values that an earlier statement read may be kept elsewhere.
        let wasRead = step.migration.statements.prefix(step.index).enumerated().contains { place, statement in
            guard let changed = statement.action.changedTable?.foldedASCII, !shelter.isLost(place) else {
                return false
            }
            return !names.contains(changed) && names.contains { statement.mentions($0) }
        }
        var message = "DROP TABLE takes every row of \(name.name)"
        var severity = wasRead ? Finding.Severity.warning : .error
        if case .some = holding {
            message =
                "DROP TABLE takes the rows of \(name.name) that were not copied: the copy takes some only"
            severity = .error
        }
        if case .none = holding, let copy = earlierCopy(of: name, step) {
            message =
                "DROP TABLE takes the rows of \(name.name) that came after \(copy.origin.migration.identifier), which "
                + "copied those of its time to \(copy.target)"
            severity = .warning
        }
        return LintFault(
            severity, message,
            help: remedy("they may go", "drops table \(quotedIfNeeded(step.firstName(of: name.name)))"),
            at: step.statement, table: name.name)
    }

    /// Returns the copy of all rows of a table that an earlier migration made and that is still there: a rebuild may be
    /// spread over several files.
    private func earlierCopy(of name: QualifiedName, _ step: LintStep) -> LintRecord.Copy? {
        step.copies.last { copy in
            copy.source == name.folded && copy.origin.migration.identifier != step.migration.identifier
                && !copy.origin.statement.takesSome(of: copy.source)
        }
    }

    /// Returns the names by which a declaration may refer to a table.
    func names(_ name: QualifiedName, _ step: LintStep) -> [String] {
        [name.folded, step.lineage[name.name]?.origin].compactMap { $0 }
    }

    private func column(_ name: QualifiedName, _ column: String, _ step: LintStep) -> LintFault? {
        guard isSubject(name, step), let incarnation = step.lineage[name.name],
            let origin = incarnation.origin,
            let old = step.start.table(origin)?.column(incarnation.firstName(column)), old.generated == nil,
            !declaresColumn(step.migration, [name.folded, origin], [column, old.name])
        else { return nil }
        return lostColumn(old, name, column, origin, step)
    }

    private func rows(_ name: QualifiedName, _ step: LintStep) -> LintFault? {
        guard isSubject(name, step), !isOfNoRow(step) else { return nil }
        if case .whole = SavedRows(step.migration).holding(name.name, at: step.index) { return nil }
        guard !declaresDeletes(step.migration, names(name, step)) else { return nil }
        let whereToken = step.token("where")
        let condition = whereToken.map {
            "where"
                + step.statement.source.text(in: $0.range.upperBound..<step.statement.range.upperBound)
        }
        let isPlain =
            condition.map { !$0.contains("\n") && step.statement.first(["returning"]) == nil } ?? true
        return LintFault(
            .error,
            "DELETE takes " + (condition == nil ? "every row of \(name.name)" : "rows of \(name.name)"),
            help: remedy(
                "they may go",
                "deletes from \(quotedIfNeeded(step.firstName(of: name.name)))"
                    + (condition.map { isPlain ? " \($0)" : " where CONDITION" } ?? "")), at: step.statement,
            table: name.name)
    }

    /// Whether a condition that reads no column is false, such as `WHERE 0`.
    private func isOfNoRow(_ step: LintStep) -> Bool {
        guard let condition = step.statement.condition else { return false }
        let fragment = SQLFragment(sql: condition)
        guard fragment.names.isEmpty, !fragment.items.contains(.keyword("select")) else { return false }
        let isTrue = try? step.connection.firstRow("SELECT (\(condition)) IS TRUE") { $0.integer(0) != 0 }
        return isTrue == false
    }

    func values(
        _ name: QualifiedName, _ columns: [String], _ verb: String, _ step: LintStep
    ) -> LintFault? {
        guard isSubject(name, step), let incarnation = step.lineage[name.name],
            let origin = incarnation.origin,
            let old = step.start.table(origin)
        else { return nil }
        let columns = columns.map { step.before.table(name.name)?.rowidColumn($0) ?? $0 }
        let rewritten = columns.filter { column in
            old.column(incarnation.firstName(column)) != nil
                && !declares(step.migration) { kind in
                    guard case .rewrites(let table, let declared) = kind,
                        [name.folded, origin].contains(table.foldedASCII)
                    else { return false }
                    return declared.map { $0.foldedASCII == column.foldedASCII } ?? true
                }
        }
        guard let first = rewritten.first, !isReported(rewritten, name, step) else { return nil }
        let list = rewritten.map { column in
            "\(quotedIfNeeded(step.firstName(of: name.name))).\(quotedIfNeeded(incarnation.firstName(column)))"
        }.joined(separator: ", ")
        return LintFault(
            .warning, "\(verb) rewrites values of \(name.name).\(first) that users have",
            help: remedy("that is intended", "rewrites \(list)"), at: step.statement, table: name.name,
            column: first)
    }

    /// Whether an earlier UPDATE of the same columns was reported.
    private func isReported(_ columns: [String], _ name: QualifiedName, _ step: LintStep) -> Bool {
        step.changing(name.name).contains { statement in
            guard case .update(_, let earlier) = statement.action else { return false }
            return Set(columns.map(\.foldedASCII)).isSubset(of: earlier.map(\.foldedASCII))
        }
    }

    /// Reports a rebuild that leaves out rows or columns, or converts their values.
    func check(_ migration: LintMigration) -> [LintFault] {
        migration.rebuilds.filter { migration.occupied.contains($0.old.name.foldedASCII) }.flatMap {
            rebuild in
            [rows(rebuild, migration), alike(rebuild, migration)].compactMap { $0 }
                + columns(rebuild, migration) + conversions(rebuild, migration)
                + forgotten(rebuild, migration) + deleted(rebuild, migration)
        }
    }

    // MARK: - Declarations

    func declaresDeletes(_ migration: Migration, _ names: [String]) -> Bool {
        declares(migration) { kind in
            if case .deletes(let table, _) = kind { names.contains(table.foldedASCII) } else { false }
        }
    }

    func declares(_ migration: Migration, _ isIt: (Declaration.Kind) -> Bool) -> Bool {
        migration.declarations.contains { isIt($0.kind) }
    }

    func declaresColumn(_ migration: Migration, _ tables: [String], _ columns: [String]) -> Bool {
        let columns = columns.map(\.foldedASCII)
        return declares(migration) { kind in
            switch kind {
            case .dropsColumn(let table, let column), .renamesColumn(let table, let column, _):
                tables.contains(table.foldedASCII) && columns.contains(column.foldedASCII)
            default: false
            }
        }
    }
}
