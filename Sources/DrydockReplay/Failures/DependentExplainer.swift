import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// Explains an ALTER TABLE that is refused because of objects that depend on the table: "error in view v: no such
/// table: main.t", "error in index i after drop column", "cannot drop UNIQUE column". All of the objects are named at
/// once.
struct DependentExplainer: RefusalExplainer {
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation? {
        guard let statement = refused.statement else { return nil }
        let named = Dependents.Named(refused.error.message)
        switch statement.action {
        case .dropColumn(let name, let column):
            let message = refused.error.message
            let isRefusal = [SQLiteMessage.cannotDropUnique, .cannotDropPrimaryKey].contains {
                $0.matches(message)
            }
            guard named != nil || isRefusal, name.isMain, let table = refused.schema.table(name.name),
                let dropped = table.column(column)
            else { return nil }
            let removal = ColumnRemoval(dropped.name, from: table, in: refused.schema)
            if !removal.users.isEmpty { return explanation(of: removal, refused) }
            guard
                let found = try Dependents(
                    of: statement, named: named, known: removal.indexes, on: refused.connection)
            else { return nil }
            let references = removal.references.map { "\n" + $0 }.joined()
            var explanation = FailureExplanation(
                help: help(found, refused, stale: dropped.name, now: nil) + references)
            if found.all.count > 1 {
                explanation.detail = "; \(listed(found.all.map(\.label))) use \(quotedIfNeeded(dropped.name))"
            }
            return explanation
        case .renameColumn(_, let old, let new):
            return try blocked(statement, named, refused, stale: old, now: new)
        case .renameTable(let old, let new):
            return try blocked(statement, named, refused, stale: old.name, now: new)
        case .addColumn: return try blocked(statement, named, refused, stale: nil, now: nil)
        default: return nil
        }
    }

    private func blocked(
        _ statement: SQLStatement, _ named: Dependents.Named?, _ refused: RefusedStatement, stale: String?,
        now: String?
    ) throws -> FailureExplanation? {
        guard let named, named.kind != "table",
            let found = try Dependents(of: statement, named: named, known: [], on: refused.connection)
        else { return nil }
        return FailureExplanation(help: help(found, refused, stale: stale, now: now))
    }

    // MARK: - What can be dropped and created again

    /// - Parameters:
    ///   - stale: the name that no longer exists after the statement.
    ///   - now: the new name; nil where there is none.
    private func help(
        _ dependents: Dependents, _ refused: RefusedStatement, stale: String?, now: String?
    ) -> String {
        let place = refused.migration.mention(refused.index)
        func isStale(_ object: Dependent) -> Bool { stale.map(object.mentions) ?? false }
        let change =
            stale.map { old in
                now.map { ", with \(quotedIfNeeded($0)) in place of \(quotedIfNeeded(old))" }
                    ?? ", without \(quotedIfNeeded(old))"
            } ?? ""
        var parts: [String] = []
        var older: [Dependent] = []
        for object in dependents.all {
            guard let made = object.creation(in: refused) else {
                older.append(object)
                continue
            }
            parts.append(
                "Create \(object.label) after \(place) instead of in \(refused.migration.mention(made))"
                    + "\(isStale(object) ? change : "").")
        }
        guard !older.isEmpty else { return parts.joined(separator: "\n") }
        parts.append(
            "Drop what depends on it before \(place):\n"
                + proposed(older.map(\.drop).joined(separator: "\n")))
        // Dropping a view also drops its triggers.
        let gone = older.reversed() + dependents.lost
        let (changed, same) = (gone.filter(isStale), gone.filter { !isStale($0) })
        if !same.isEmpty {
            parts.append(
                "and recreate it at the end:\n"
                    + proposed(same.map { $0.sql + ";" }.joined(separator: "\n")))
        }
        if !changed.isEmpty {
            parts.append(
                "Recreate \(listed(changed.map(\.label))) at the end\(change), where still needed.")
        }
        return parts.joined(separator: "\n")
    }

    // MARK: - What only a rebuild can change

    private func explanation(of removal: ColumnRemoval, _ refused: RefusedStatement) -> FailureExplanation {
        let names = removal.users + (removal.indexes + removal.dependents).map(\.label)
        var explanation = FailureExplanation(
            detail: ", which \(listed(names)) \(names.count == 1 ? "uses" : "use")")
        if removal.isPrimaryKey {
            explanation.detail = names.count == 1 ? "" : explanation.detail
            explanation.help =
                "Rebuild \(removal.table.name) with another primary key, and change what references it first."
            return explanation
        }
        let plan = MigrationPlanner(from: refused.schema, to: removal.wanted).plan()
        let statements = plan.steps.flatMap { $0.statements.map { $0 + ";" } }.joined(separator: "\n")
        let planned = plan.steps.flatMap(\.declarations)
        let generated = removal.generated.map {
            "drops column \(quotedIfNeeded(removal.table.name)).\(quotedIfNeeded($0))"
        }
        let declarations = (planned + generated.filter { !planned.contains($0) })
            .map { "\n" + Help.declaration($0) }.reduce(Help(), +)
        let recreated =
            removal.dependents.isEmpty
            ? ""
            : "\nRecreate \(listed(removal.dependents.map(\.label))) at the end, without \(removal.column), where still needed."
        let keys = removal.references.isEmpty ? "" : "\n" + removal.references.joined(separator: "\n")
        explanation.help =
            "Rebuild \(removal.table.name) without \(removal.users.count == 1 ? "both" : "all of them") instead:\n"
            + proposed(statements) + declarations + plan.caution.map { "\n" + $0 }.joined() + recreated + keys
        return explanation
    }
}
