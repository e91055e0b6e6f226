import DatabaseEngine
import SQLiteSchema

/// What each migration executes on an empty database.
struct FreshTrace: Sendable {
    /// By identifier; one that failed is the last.
    private(set) var runs: [String: ClosureRun] = [:]
    private(set) var failure: (identifier: String, error: EngineError)?

    /// - Throws: ``EngineError`` when the app's configuration cannot be used.
    init(_ engine: MigratorEngine) async throws {
        var settings = ConnectionSettings()
        settings.foreignKeys = try engine.enforcesForeignKeys()
        settings.doubleQuotedStrings = engine.configuration.acceptsDoubleQuotedStringLiterals
        let database = try engine.openMigrator(.memory, settings: settings)
        for identifier in engine.migrator.migrations {
            let (found, error) = await database.trace(upTo: identifier)
            if var run = found.last {
                if !settings.foreignKeys { run.checks = .disabled }
                runs[identifier] = run
            }
            if let error {
                failure = (identifier, error)
                break
            }
        }
        try await database.close()
    }

    /// How what one migration executes differs from another run of it.
    enum Difference {
        /// Its SQL does.
        case sql(String, String)
        /// Only values that are bound to it do.
        case values
    }

    func difference(of identifier: String, from other: FreshTrace) -> Difference? {
        guard let mine = runs[identifier]?.entries, let theirs = other.runs[identifier]?.entries,
            mine != theirs
        else { return nil }
        let templates = (mine.map(\.template), theirs.map(\.template))
        guard templates.0 != templates.1 else { return .values }
        let pair = zip(templates.0, templates.1).first { $0 != $1 }
        return .sql(
            pair?.0 ?? "\(templates.0.count) statements", pair?.1 ?? "\(templates.1.count) statements")
    }
}
