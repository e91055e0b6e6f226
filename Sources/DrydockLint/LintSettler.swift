import DrydockMigrations
import DrydockReplay
import DatabaseEngine

/// Lints every reading of a folder, and settles for the first where no other reading has more to report.
struct LintSettler: ReadingSettler {
    func settle(
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

extension Verifier {
    /// - Parameter other: another engine, which must have the same result for every step.
    public init(
        engine: any Engine, comparingWith other: (any Engine)? = nil,
        onEvent: @escaping @Sendable (VerifyEvent) -> Void = { _ in }
    ) {
        self.init(engine: engine, settler: LintSettler(), comparingWith: other, onEvent: onEvent)
    }
}

extension Locker {
    public init(engine: any Engine) { self.init(engine: engine, settler: LintSettler()) }
}
