import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// A statement that SQLite refused, and the database before it.
///
/// These explanations need no rows, so that `drydock verify` and `drydock lint` say the same about the same cause.
package struct RefusedStatement {
    package let connection: any Connection
    package let migration: Migration
    /// The statement's index in the migration; one past the last where the commit was refused.
    package let index: Int
    package let error: EngineError
    /// The schema before the statement.
    package let schema: Schema
    /// What the earlier statements did to names.
    package let lineage: TableLineage
    /// Returns the columns of a table before the migration, by the table's name at that time.
    package let earlierColumns: (String) -> [String]

    package init(
        connection: any Connection, migration: Migration, index: Int, error: EngineError, schema: Schema,
        lineage: TableLineage, earlierColumns: @escaping (String) -> [String]
    ) {
        self.connection = connection
        self.migration = migration
        self.index = index
        self.error = error
        self.schema = schema
        self.lineage = lineage
        self.earlierColumns = earlierColumns
    }

    /// The explainers in the order in which they are tried; the first answer counts.
    private static let explainers: [any RefusalExplainer] = [
        SearchIndexExplainer(), IndexDeletionExplainer(), DependentExplainer(), AddColumnExplainer(),
        NewerSQLiteExplainer(),
        FunctionExplainer(), MissingNameExplainer(), GeneratedKeyExplainer(),
    ]

    package var statement: SQLStatement? {
        migration.statements.indices.contains(index) ? migration.statements[index] : nil
    }

    /// - Returns: nil where nothing is known beyond SQLite's message and ``RefusalHelp``.
    /// - Throws: ``EngineError``.
    package func explanation() throws -> FailureExplanation? {
        for explainer in Self.explainers {
            if let explanation = try explainer.explanation(of: self) { return explanation }
        }
        return nil
    }
}

/// Explains one kind of refusal.
protocol RefusalExplainer: Sendable {
    /// - Returns: nil for a refusal of another kind, or one about which nothing more is known.
    /// - Throws: ``EngineError``.
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation?
}
