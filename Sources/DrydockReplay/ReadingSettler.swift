import DrydockMigrations
import DatabaseEngine

/// Chooses among the readings of a folder that may be more than one tool's.
///
/// Whether two readings differ in what they find is known to the linter, which stands above the replay: it is handed to
/// what reads a folder.
package protocol ReadingSettler: Sendable {
    /// Returns the migrations of the first reading, where no other one has more to report.
    /// - Throws: ``RequestError`` that names every reading where one has.
    func settle(
        _ choice: FormatChoice, _ readings: [FormatChoice.Reading], in folder: String,
        functions: [FunctionStub],
        collations: [CollationStub], on engine: any Engine
    ) async throws -> MigrationSet
}
