import DrydockMigrations
import DrydockReplay
import DatabaseEngine

/// Lints every reading of a folder, and settles for the first where no other reading has more to report.
package struct LintSettler: ReadingSettler {
    package init() {}

    package func settle(
        _ choice: FormatChoice, _ readings: [FormatChoice.Reading], in folder: String,
        functions: [FunctionStub],
        collations: [CollationStub], on engine: any Engine
    ) async throws -> MigrationSet {
        if !Linter.differing(readings).isEmpty {
            var request = LintRequest(migrationsFolder: folder, format: choice.options)
            (request.functions, request.collations) = (functions, collations)
            let linter = Linter(engine: engine)
            let first = try await linter.run(request, readings[0].set).report
            try await linter.refuseSilence(of: first, choice, readings, request)
            try choice.refuseOtherForeignKeys(readings)
        }
        return readings[0].set
    }
}

extension Locker {
    public init(engine: any Engine) { self.init(engine: engine, settler: LintSettler()) }
}
