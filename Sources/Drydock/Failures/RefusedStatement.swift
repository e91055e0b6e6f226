import DatabaseEngine
import SQLiteSchema

/// A statement that SQLite refused, and the database as the statement met it.
///
/// What is said here needs no rows, so that `drydock verify` and `drydock lint` say the same of the same cause.
struct RefusedStatement {
    let connection: any Connection
    let migration: Migration
    /// The statement's place in the migration; one past the last where the commit was refused.
    let index: Int
    let error: EngineError
    /// What the statement met.
    let schema: Schema
    /// What the statements before it did to names.
    let lineage: TableLineage
    /// The columns of a table before the migration, by the name that the table had then.
    let earlierColumns: (String) -> [String]

    /// What is tried, in this order; the first answer counts.
    private static let explainers: [any RefusalExplainer] = [
        SearchIndexExplainer(), DependentExplainer(), AddColumnExplainer(), FunctionExplainer(),
        MissingNameExplainer(),
    ]

    var statement: SQLStatement? {
        migration.statements.indices.contains(index) ? migration.statements[index] : nil
    }

    /// - Returns: nil where nothing is known beyond SQLite's message and ``RefusalHelp``.
    /// - Throws: ``EngineError``.
    func explanation() throws -> FailureExplanation? {
        for explainer in Self.explainers {
            if let explanation = try explainer.explanation(of: self) { return explanation }
        }
        return nil
    }
}

/// Knows one kind of refusal.
protocol RefusalExplainer: Sendable {
    /// - Returns: nil for a refusal of another kind, or one about which nothing more is known.
    /// - Throws: ``EngineError``.
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation?
}
