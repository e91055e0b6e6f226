import SQLiteSchema

/// What REPLACE and a view's triggers do to rows that were there.
extension DestructiveRule {
    /// REPLACE of a row that has the same key (https://www.sqlite.org/lang_conflict.html).
    func replaced(_ name: QualifiedName, _ columns: [String]?, _ step: LintStep) -> LintFault? {
        guard step.statement.isReplace, isSubject(name, step), let table = step.before.table(name.name),
            mayCollide(table, columns, step.before), !declaresReplacing(name, step)
        else { return nil }
        let folded = Set((columns ?? table.columns.map(\.name)).map(\.foldedASCII))
        let lost = table.columns.first { $0.generated == nil && !folded.contains($0.name.foldedASCII) }
        func fault(_ severity: Finding.Severity, _ message: String) -> LintFault {
            LintFault(
                severity, message,
                help: "ON CONFLICT DO UPDATE keeps the row. "
                    + remedy("that is meant", "rewrites \(quotedIfNeeded(step.firstName(of: name.name)))"),
                at: step.statement, token: step.token("replace"), table: name.name)
        }
        if step.foreignKeysAreOn, let (child, key) = actingChild(of: table, step) {
            return fault(
                .error,
                "REPLACE deletes the row of \(name.name) that has the same key, and ON DELETE \(key.onDelete.rawValue) acts on the rows of \(child.name)"
            )
        }
        return fault(
            .warning,
            "REPLACE deletes the row of \(name.name) that has the same key"
                + (lost.map { ": its \($0.name) is lost" } ?? ""))
    }

    /// Whether a new row can have the key of another: it has a value for each column of a key.
    private func mayCollide(_ table: Table, _ columns: [String]?, _ schema: Schema) -> Bool {
        var keys = table.uniques.map { $0.terms.map(\.column) }
        if let key = table.primaryKey { keys.append(key.terms.map(\.column)) }
        for index in schema.indexes(on: table.name) where index.isUnique {
            keys.append(index.terms.compactMap { if case .column(let name) = $0.value { name } else { nil } })
        }
        guard let columns else { return !keys.isEmpty }
        let given = Set(columns.map(\.foldedASCII))
        return keys.contains { key in
            key.allSatisfy { name in
                given.contains(name.foldedASCII)
                    || (table.column(name)?.defaultValue ?? .null) != .null
                    || table.column(name)?.generated != nil
            }
        }
    }

    private func actingChild(of table: Table, _ step: LintStep) -> (Table, ForeignKey)? {
        let folded = table.name.foldedASCII
        return step.before.tables.values.filter { step.occupied.contains($0.name.foldedASCII) }
            .sorted { $0.name < $1.name }.lazy.flatMap { child in child.foreignKeys.map { (child, $0) } }
            .first { child, key in
                key.parent.foldedASCII == folded
                    && [.cascade, .setNull, .setDefault].contains(key.onDelete)
            }
    }

    private func declaresReplacing(_ name: QualifiedName, _ step: LintStep) -> Bool {
        let names = names(name, step)
        return declares(step.migration) { kind in
            switch kind {
            case .rewrites(let table, _), .deletes(let table, _): names.contains(table.foldedASCII)
            default: false
            }
        }
    }

    /// What the INSTEAD OF triggers of a view do to tables.
    func through(_ view: View, _ step: LintStep) -> [LintFault] {
        step.before.triggers(on: view.name).filter { isFired($0, by: step.action) }.flatMap { trigger in
            trigger.body.compactMap { statement -> LintFault? in
                let action = SQLSource(name: "", statement.description).statements().first?.action
                var fault: LintFault?
                switch action {
                case .delete(let name)? where isSubject(name, step):
                    if declaresDeletes(step.migration, names(name, step)) { return nil }
                    fault = LintFault(
                        .error, "trigger \(trigger.name) of view \(view.name) takes rows of \(name.name)",
                        help: remedy(
                            "they may go",
                            "deletes from \(quotedIfNeeded(step.firstName(of: name.name))) where CONDITION"),
                        at: step.statement, table: name.name)
                case .update(let name, let columns)?:
                    fault = values(name, columns, "trigger \(trigger.name) of view \(view.name)", step)
                default: break
                }
                return fault
            }
        }
    }

    private func isFired(_ trigger: Trigger, by action: StatementAction) -> Bool {
        guard trigger.timing == .insteadOf else { return false }
        switch (trigger.event, action) {
        case (.delete, .delete), (.insert, .insert): return true
        case (.update(let of), .update(_, let columns)):
            let folded = Set(columns.map(\.foldedASCII))
            return of.isEmpty || of.contains { folded.contains($0.foldedASCII) }
        default: return false
        }
    }
}
