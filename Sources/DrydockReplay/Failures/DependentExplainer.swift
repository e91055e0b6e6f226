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
                help: help(found, refused, [NameChange(old: dropped.name)]) + references)
            if found.all.count > 1 {
                explanation.detail = "; \(listed(found.all.map(\.label))) use \(quotedIfNeeded(dropped.name))"
            }
            return explanation
        case .renameColumn(_, let old, let new):
            return try blocked(statement, named, refused, [NameChange(old: old, new: new)])
        case .renameTable(let old, let new):
            let changes = lostColumns(of: new, rebuiltAs: old.name, refused).map { NameChange(old: $0) }
            return try blocked(statement, named, refused, [NameChange(old: old.name, new: new)] + changes)
        case .addColumn: return try blocked(statement, named, refused, [])
        default: return nil
        }
    }

    private func blocked(
        _ statement: SQLStatement, _ named: Dependents.Named?, _ refused: RefusedStatement,
        _ changes: [NameChange]
    ) throws -> FailureExplanation? {
        guard let named, named.kind != "table",
            let found = try Dependents(of: statement, named: named, known: [], on: refused.connection)
        else { return nil }
        return FailureExplanation(help: help(found, refused, changes))
    }

    /// Returns the columns that a table had before the migration, and the table that takes its name has not.
    private func lostColumns(
        of name: String, rebuiltAs successor: String, _ refused: RefusedStatement
    ) -> [String] {
        guard let table = refused.schema.table(successor) else { return [] }
        return refused.earlierColumns(name).filter { table.column($0) == nil }
    }

    // MARK: - What can be dropped and created again

    /// A name that no longer exists after the statement.
    private struct NameChange {
        let old: String
        /// The new name; nil if there is none.
        var new: String?

        var text: String {
            new.map { ", with \(quotedIfNeeded($0)) in place of \(quotedIfNeeded(old))" }
                ?? ", without \(quotedIfNeeded(old))"
        }
    }

    private func help(
        _ dependents: Dependents, _ refused: RefusedStatement, _ changes: [NameChange]
    ) -> String {
        let place = refused.migration.mention(refused.index)
        func isStale(_ object: Dependent) -> Bool { changes.contains { object.mentions($0.old) } }
        func change(of objects: [Dependent]) -> String {
            changes.filter { change in objects.contains { $0.mentions(change.old) } }.map(\.text).joined()
        }
        var parts: [String] = []
        var older: [Dependent] = []
        for object in dependents.all {
            guard let made = object.creation(in: refused) else {
                older.append(object)
                continue
            }
            parts.append(
                "Create \(object.label) after \(place) instead of in \(refused.migration.mention(made))"
                    + "\(change(of: [object])).")
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
                "Recreate \(listed(changed.map(\.label))) at the end\(change(of: changed)), where still needed: "
                    + listed(changed.map { "it was \($0.line)" }) + "."
            )
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
            : "\nRecreate \(listed(removal.dependents.map(\.label))) at the end, without \(removal.column), where still needed: "
                + listed(removal.dependents.map { "it was \($0.line)" }) + "."
        let keys = removal.references.isEmpty ? "" : "\n" + removal.references.joined(separator: "\n")
        explanation.help =
            "Rebuild \(removal.table.name) without \(removal.users.count == 1 ? "both" : "all of them") instead:\n"
            + proposed(statements) + declarations + plan.caution.map { "\n" + $0 }.joined() + recreated + keys
        return explanation
    }
}
