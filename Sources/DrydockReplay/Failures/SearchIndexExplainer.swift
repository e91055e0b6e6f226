import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Explains "SQL logic error" of a full-text index that names columns which its content table does not have.
struct SearchIndexExplainer: RefusalExplainer {
    func explanation(of scene: RefusedStatement) throws -> FailureExplanation? {
        let message = scene.error.message
        guard
            SQLiteMessage.genericError.matches(message)
                || SQLiteMessage.noSuchColumn.rest(of: message)?.hasPrefix("T.") == true,
            let statement = scene.statement
        else { return nil }
        for index in scene.schema.virtualTables.values where statement.mentions(index.name) {
            guard
                let mismatch = try SearchIndexMismatch(
                    index, scene.connection, earlier: scene.earlierColumns,
                    renamed: scene.lineage.name(ofOrigin:))
            else { continue }
            return FailureExplanation(
                detail: ": \(mismatch.fact)", help: mismatch.help, table: index.name)
        }
        return nil
    }
}

extension TableLineage {
    /// Returns the present name of a table from before the step.
    func name(ofOrigin origin: String) -> String? { currentName(of: origin) }
}
