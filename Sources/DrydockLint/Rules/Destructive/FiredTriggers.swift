import DrydockFindings
import SQLiteSchema

/// Finds what triggers do to existing rows when a statement of the migration fires them.
struct FiredTriggers {
    let step: LintStep

    private var declared: DeclaredChanges { DeclaredChanges(of: step.migration) }

    /// Returns what the INSTEAD OF triggers of a view do to tables.
    func faults(through view: View) -> [LintFault] {
        triggers(on: view.name).flatMap { trigger in
            trigger.actions.compactMap { action in
                switch action {
                case .delete(let name): deleted(name, trigger, "of view \(view.name)", .error)
                case .update(let name, let columns):
                    RewrittenValues(step: step).fault(
                        name, columns, by: "trigger \(trigger.name) of view \(view.name)")
                default: nil
                }
            }
        }
    }

    /// What a table's triggers delete, or keep from being copied. What they update is ignored: most record a
    /// time of change.
    var faults: [LintFault] {
        guard let table = step.action.changedTable else { return [] }
        return triggers(on: table).flatMap { trigger in
            [skipped(trigger)].compactMap { $0 }
                + trigger.actions.compactMap { action in
                    guard case .delete(let name) = action else { return nil }
                    return deleted(name, trigger, "is fired and", .warning)
                }
        }
    }

    private func triggers(on table: String) -> [Trigger] {
        step.before.triggers(on: table).filter { $0.isFired(by: step.action) }
    }

    private func deleted(
        _ name: QualifiedName, _ trigger: Trigger, _ how: String, _ severity: Finding.Severity
    ) -> LintFault? {
        guard step.hasRowsOfUsers(name), !declared.deletes(from: step.declaredNames(of: name)) else {
            return nil
        }
        return LintFault(
            severity, "trigger \(trigger.name) \(how) deletes rows of \(name.name)",
            help: remedy(
                "they may go",
                "deletes from \(quotedIfNeeded(step.firstName(of: name.name))) where CONDITION"),
            at: step.statement, table: name.name)
    }

    /// Reports rows of a copy that RAISE(IGNORE) leaves out.
    private func skipped(_ trigger: Trigger) -> LintFault? {
        guard case .insert(let name, _, let copy?) = step.action,
            let source = copy.tables.first(where: { step.occupied.contains($0.foldedASCII) }),
            trigger.body.contains(where: \.raisesIgnore)
        else { return nil }
        return LintFault(
            .warning, "trigger \(trigger.name) is fired and can leave rows of \(source) out of \(name.name)",
            help: "Create the trigger after the copy.", at: step.statement, table: name.name)
    }
}

extension Trigger {
    /// The actions of the trigger's statements.
    fileprivate var actions: [StatementAction] {
        body.compactMap { SQLSource(name: "", $0.description).statements().first?.action }
    }

    fileprivate func isFired(by action: StatementAction) -> Bool {
        switch (event, action) {
        case (.delete, .delete), (.insert, .insert): return true
        case (.update(let of), .update(_, let columns)):
            let folded = Set(columns.map(\.foldedASCII))
            return of.isEmpty || of.contains { folded.contains($0.foldedASCII) }
        default: return false
        }
    }
}

extension SQLFragment {
    /// Whether the trigger contains `RAISE(IGNORE)`.
    fileprivate var raisesIgnore: Bool {
        let words = items.map { item in
            switch item {
            case .word(let text), .keyword(let text), .symbol(let text): text
            default: ""
            }
        }
        return words.indices.contains { words[$0...].starts(with: ["raise", "(", "ignore", ")"]) }
    }
}
