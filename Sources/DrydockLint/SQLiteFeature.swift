import DrydockReplay
import DrydockFindings
import DrydockState
import SQLiteSchema

/// A feature that a statement uses and an older SQLite does not know.
struct SQLiteFeature {
    var since: SQLiteVersion
    var what: String
    var token: Token?

    /// Returns the features that a statement uses, including the statements of a trigger.
    static func features(of step: LintStep) -> [SQLiteFeature] {
        let reader = FeatureReader(step.statement, isIndex: isIndex(step.action))
        let parts = [step.statement] + step.statement.triggerBody
        return reader.features + parts.flatMap(ofChange) + ofSchema(step)
    }

    private static func isIndex(_ action: StatementAction) -> Bool {
        if case .createIndex = action { true } else { false }
    }

    /// Returns the features of one INSERT, UPDATE or DELETE.
    private static func ofChange(_ statement: SQLStatement) -> [SQLiteFeature] {
        let action = statement.action
        guard action.changedTable != nil else { return [] }
        var features: [SQLiteFeature] = []
        if let token = statement.outermost("returning") {
            features.append(.init(since: .init(35), what: "RETURNING", token: token))
        }
        if case .update = action, let token = statement.outermost("from"),
            !statement.isBehind("distinct", token)
        {
            features.append(.init(since: .init(33), what: "UPDATE FROM", token: token))
        }
        guard case .insert = action else { return features }
        if let values = statement.insertSource?.arms.first(where: \.isValues) {
            let reader = FeatureReader(statement, isIndex: false)
            if let token = reader.secondTuple(values.tokens) {
                features.append(
                    .init(since: .init(7, 11), what: "VALUES with several rows", token: token))
            }
        }
        let conflicts = statement.tokens.indices.dropLast(2).filter { place in
            statement.tokens[place].isWord("on", in: statement.source)
                && statement.tokens[place + 1].isWord("conflict", in: statement.source)
        }
        if conflicts.count > 1 {
            features.append(
                .init(
                    since: .init(35), what: "a second ON CONFLICT", token: statement.tokens[conflicts[1]]))
        } else if let token = statement.first(["on", "conflict", "do", "update"]) {
            features.append(
                .init(since: .init(35), what: "DO UPDATE without a conflict target", token: token))
        }
        return features
    }

    /// Returns the features of what the statement creates, by the schema after it.
    private static func ofSchema(_ step: LintStep) -> [SQLiteFeature] {
        func feature(_ version: SQLiteVersion, _ what: String) -> SQLiteFeature {
            .init(since: version, what: what, token: nil)
        }
        switch step.action {
        case .dropColumn: return [feature(.init(35), "DROP COLUMN")]
        case .renameColumn: return [feature(.init(25), "RENAME COLUMN")]
        case .vacuum(into: true): return [feature(.init(27), "VACUUM INTO")]
        case .createVirtualTable(_, let module) where module.foldedASCII == "fts5":
            let text = step.statement.text.foldedASCII
            return [feature(.init(9), "FTS5")]
                + SQLiteFeatureTable.fullText.filter { text.contains($0.text) }.map {
                    feature($0.since, "FTS5 with \($0.text)")
                }
        case .createView(let name, _):
            return step.after.views[name.folded]?.columns == nil
                ? [] : [feature(.init(9), "a view with a list of columns")]
        case .createTable(let name, _, _):
            guard let table = step.after.table(name.name) else { return [] }
            return (table.isStrict ? [feature(.init(37), "STRICT")] : [])
                + (table.columns.contains { $0.generated != nil }
                    ? [feature(.init(31), "a generated column")] : [])
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
