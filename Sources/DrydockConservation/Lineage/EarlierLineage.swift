import DrydockState
import DrydockMigrations
import SQLiteSchema
import Synchronization

/// What the statements of all migrations before a step did to tables, so that a rebuild over several migrations is
/// understood. It is read when a step drops something, and then kept for later steps and other snapshots.
package final class EarlierLineage: Sendable {
    private let migrations: [Migration]
    /// What was known before some migrations, by their places.
    private let beginnings = Mutex([0: TableLineage(tables: [])])
    private let provenances = FactCache<Part, Provenance>()
    /// The lineages of steps, by the schema before them.
    package let lineages = LineageCache()

    private struct Part: Hashable, Sendable {
        let place: Int
        let statements: SameStatements
    }

    /// It bounds the memory, not what is known.
    private static let limit = 64

    package init(_ migrations: [Migration]) { self.migrations = migrations }

    /// Returns the provenance of a step's data.
    /// - Parameter before: the state before the step.
    package func provenance(of step: Migration, before: DatabaseState) -> Provenance {
        let place = migrations.firstIndex { $0.identifier == step.identifier } ?? 0
        let part = Part(place: place, statements: SameStatements(step.statements))
        return provenances.value(before.facts, part) { provenance(of: step, at: place, before.catalog) }
    }

    private func provenance(of step: Migration, at place: Int, _ before: Catalog) -> Provenance {
        var start = beginnings.withLock { lineages in
            let known = lineages.keys.filter { $0 <= place }.max() ?? 0
            var lineage = lineages[known] ?? TableLineage(tables: [])
            for migration in migrations[known..<place] {
                for (index, statement) in migration.statements.enumerated() {
                    lineage.apply(statement, at: index)
                }
                lineage.noteLastingNames()
            }
            if lineages.count >= Self.limit { lineages = [:] }
            lineages[place] = lineage
            return lineage
        }
        start.adopt(before)
        var end = start
        for (index, statement) in step.statements.enumerated() { end.apply(statement, at: index) }
        return Provenance(start: start, end: end)
    }

    /// Returns the last statement up to the end of a step that creates an object.
    package func creation(of id: Catalog.ObjectID, upTo step: Migration) -> SQLStatement? {
        let place = migrations.firstIndex { $0.identifier == step.identifier } ?? migrations.count - 1
        for migration in migrations.prefix(place + 1).reversed() {
            let found = migration.statements.last { $0.action.creates(id) }
            if let found { return found }
        }
        return nil
    }
}

extension StatementAction {
    fileprivate func creates(_ id: Catalog.ObjectID) -> Bool {
        switch self {
        case .createTable(let name, false, _): id.kind == .table && name.isMain && name.folded == id.name
        case .createView(let name, false): id.kind == .view && name.isMain && name.folded == id.name
        case .createTrigger(let name, _, false): id.kind == .trigger && name.isMain && name.folded == id.name
        default: false
        }
    }
}
