import DrydockState
import SQLiteSchema

/// The lineages of steps, by the schema before them.
package final class LineageCache: Sendable {
    private struct Part: Hashable, Sendable {
        let statements: SameStatements
        let temporaries: Set<String>
    }

    private let known = FactCache<Part, TableLineage>()

    /// Returns the lineage after statements that run on a state.
    /// - Parameter temporaries: temporary tables that earlier migrations left on the connection.
    package func lineage(
        _ state: DatabaseState, temporaries: Set<String> = [], statements: [SQLStatement]
    ) -> TableLineage {
        let part = Part(statements: SameStatements(statements), temporaries: temporaries)
        return known.value(state.facts, part) {
            TableLineage(state.catalog, temporaries: temporaries, statements: statements)
        }
    }
}
