import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockState
import SQLiteSchema

/// Explains "SQL logic error" of a full-text index that names columns which its content table does not have.
struct SearchIndexExplainer: RefusalExplainer {
    func explanation(of fixture: RefusedStatement) throws -> FailureExplanation? {
        let message = fixture.error.message
        guard
            SQLiteMessage.genericError.matches(message)
                || SQLiteMessage.noSuchColumn.rest(of: message)?.hasPrefix("T.") == true,
            let statement = fixture.statement
        else { return nil }
        for index in fixture.schema.virtualTables.values where statement.mentions(index.name) {
            guard
                let mismatch = try SearchIndexMismatch(
                    index, fixture.connection, earlier: fixture.earlierColumns,
                    renamed: fixture.lineage.name(ofOrigin:))
            else { continue }
            return FailureExplanation(
                detail: ": \(mismatch.fact)", help: mismatch.help, table: index.name)
        }
        return nil
    }
}

/// Explains the refusal of FTS5 to delete words that an index does not have, which SQLite calls a damaged database.
struct IndexDeletionExplainer: RefusalExplainer {
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation? {
        guard refused.error.isCorruptionOfModule, let statement = refused.statement,
            case .insert(let name, _, _) = statement.action,
            let index = refused.schema.virtualTables[name.folded], index.module.foldedASCII == "fts5",
            statement.tokens.contains(where: { $0.text(in: statement.source).foldedASCII == "'delete'" })
        else { return nil }
        return FailureExplanation(
            detail: ": 'delete' finds words that \(quotedIfNeeded(index.name)) does not have",
            help: """
                Delete only what was inserted, with the same rowid and the same text: choose the rows with SELECT 'delete', \
                ... FROM the table that has the text, so that nothing is deleted where there is none.
                """,
            table: index.name)
    }
}

extension TableLineage {
    /// Returns the present name of a table from before the step.
    package func name(ofOrigin origin: String) -> String? { currentName(of: origin) }
}
