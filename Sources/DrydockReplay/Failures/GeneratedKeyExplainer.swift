import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "cannot UPDATE generated column" of a statement that writes no such column: the action of a foreign key would.
struct GeneratedKeyExplainer: RefusalExplainer {
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation? {
        guard SQLiteMessage.cannotUpdateGenerated.matches(refused.error.message),
            let parent = refused.statement?.action.target
        else { return nil }
        for child in refused.schema.tables.values.sorted(by: { $0.name < $1.name }) {
            for key in child.foreignKeys where key.parent.foldedASCII == parent.folded {
                let generated = key.columns.compactMap(child.column).first { $0.generated != nil }
                guard let column = generated else { continue }
                let actions = [("ON DELETE", key.onDelete), ("ON UPDATE", key.onUpdate)].filter {
                    [.setNull, .setDefault, .cascade].contains($0.1)
                }
                guard !actions.isEmpty else { continue }
                let words = actions.map { "\($0.0) \($0.1.rawValue)" }.joined(separator: " ")
                let cause =
                    "the foreign key of \(child.name).\(column.name) to \(quotedIfNeeded(key.parent)) says \(words), but the column is generated"
                var explanation = FailureExplanation(
                    detail: "; \(cause)",
                    help: """
                        Nothing can write a generated column. Rebuild \(quotedIfNeeded(child.name)) with the foreign key on a \
                        stored column, or without \(words).
                        """, table: child.name)
                explanation.reason = cause
                return explanation
            }
        }
        return nil
    }
}
