import DrydockReplay
import DrydockFindings
import DrydockState
import SQLiteSchema

extension SQLiteFeature {
    /// Returns the features that a statement uses, including the statements of a trigger.
    static func features(of step: LintStep) -> [SQLiteFeature] {
        features(of: step.statement) + ofSchema(step)
    }

    /// Returns the features of what the statement creates, by the schema after it.
    private static func ofSchema(_ step: LintStep) -> [SQLiteFeature] {
        func feature(_ version: SQLiteVersion, _ what: String) -> SQLiteFeature {
            .init(since: version, what: what, token: nil)
        }
        switch step.action {
        case .createView(let name, _):
            return step.after.views[name.folded]?.columns == nil
                ? [] : [feature(.init(9), "a view with a list of columns")]
        case .createTable(let name, _, _):
            guard let table = step.after.table(name.name) else { return [] }
            let isGenerated = table.columns.contains { $0.generated != nil }
            return isGenerated ? [feature(.init(31), "a generated column")] : []
        case .addColumn(let name, let column):
            let isGenerated = step.after.table(name.name)?.column(column)?.generated != nil
            return isGenerated ? [feature(.init(31), "a generated column")] : []
        case .createIndex(let name, _):
            guard let index = step.after.indexes[name.folded] else { return [] }
            let computes = index.terms.contains {
                if case .expression = $0.value { true } else { false }
            }
            return (index.condition == nil ? [] : [feature(.init(8), "a partial index")])
                + (computes ? [feature(.init(9), "an index on an expression")] : [])
        default: return []
        }
    }
}
