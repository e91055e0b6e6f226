import DatabaseEngine
import SQLiteSchema

/// What each migration executes on an empty database.
struct FreshTrace: Sendable {
    /// The runs by identifier; a migration that failed is the last to have one.
    private(set) var runs: [String: ClosureRun] = [:]

    /// - Throws: ``EngineError`` if the app's configuration cannot be used.
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
            if error != nil { break }
        }
        try await database.close()
    }

    /// How two runs of one migration differ.
    enum Difference {
        /// The SQL differs.
        case sql(String, String)
        /// Only bound values differ.
        case values
    }

    func difference(of identifier: String, from other: FreshTrace) -> Difference? {
        guard let entries = runs[identifier]?.entries, let otherEntries = other.runs[identifier]?.entries,
            entries != otherEntries
        else { return nil }
        let templates = (entries.map(\.template), otherEntries.map(\.template))
        guard templates.0 != templates.1 else { return .values }
        let pair = zip(templates.0, templates.1).first { $0 != $1 }
        return .sql(
            pair?.0 ?? "\(templates.0.count) statements", pair?.1 ?? "\(templates.1.count) statements")
    }
}
