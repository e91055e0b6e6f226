import DrydockMigrations
import DatabaseEngine

/// Chooses among the readings of a folder that may belong to more than one tool.
///
/// The linter, which is in a layer above the replay, knows whether two readings differ in their findings: it is passed
/// to the code that reads a folder.
package protocol ReadingSettler: Sendable {
    /// Returns the migrations of the first reading, where no other has more to report.
    /// - Throws: ``RequestError`` that names every reading where one has.
    func settle(
        _ choice: FormatChoice, _ readings: [FormatChoice.Reading], in folder: String,
        functions: [FunctionStub],
        collations: [CollationStub], on engine: any Engine
    ) async throws -> MigrationSet
}
