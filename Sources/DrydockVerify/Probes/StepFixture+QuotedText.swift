import DatabaseEngine
import DrydockReplay
import SQLiteSchema

extension StepFixture {
    /// Returns whether the tool's connections read `"text"` that names nothing as a string; nil where no statement has
    /// double quotes.
    package func readsQuotedText() async throws -> Bool? {
        let isQuoted = statements.contains { statement in
            statement.tokens.contains { $0.isDoublyQuoted(in: statement.source) }
        }
        guard isQuoted else { return nil }
        return try await inspector.withConnection(to: before.image) { connection in
            do {
                return try connection.firstRow(#"SELECT "names nothing""#) { _ in true }
            } catch let error as EngineError where !error.isInterrupt {
                return false
            }
        }
    }
}
