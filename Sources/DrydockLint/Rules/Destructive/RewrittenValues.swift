import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds values that users have and that a statement rewrites.
struct RewrittenValues {
    let step: LintStep

    private var declared: DeclaredChanges { DeclaredChanges(of: step.migration) }

    /// - Parameter verb: what rewrites them.
    func fault(_ name: QualifiedName, _ columns: [String], by verb: String) -> LintFault? {
        guard step.hasRowsOfUsers(name), let trackedTable = step.lineage[name.name],
            let origin = trackedTable.origin,
            let old = step.start.table(origin)
        else { return nil }
        let columns = columns.map { step.before.table(name.name)?.rowidColumn($0) ?? $0 }
        let rewritten = columns.filter { column in
            old.column(trackedTable.firstName(column)) != nil
                && !declared.rewrites(column, of: [name.folded, origin])
        }
        guard let first = rewritten.first, !isReported(rewritten, name) else { return nil }
        let list = rewritten.map { column in
            "\(quotedIfNeeded(step.firstName(of: name.name))).\(quotedIfNeeded(trackedTable.firstName(column)))"
        }.joined(separator: ", ")
        return LintFault(
            .warning, "\(verb) rewrites values of \(name.name).\(first) that users have",
            help: remedy("that is intended", "rewrites \(list)"), at: step.statement, table: name.name,
            column: first)
    }

    /// Whether an earlier UPDATE of the same columns was reported.
    private func isReported(_ columns: [String], _ name: QualifiedName) -> Bool {
        step.changing(name.name).contains { statement in
            guard case .update(_, let earlier) = statement.action else { return false }
            return Set(columns.map(\.foldedASCII)).isSubset(of: earlier.map(\.foldedASCII))
        }
    }
}
