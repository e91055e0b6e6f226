import DatabaseEngine
import Drydock
import GRDB
import GRDBEngine

/// The engine that runs an app's own migrator on connections of the app's own configuration: its functions,
/// collations and pragmas are there.
struct MigratorEngine: Engine {
    let name = "grdb"
    let migrator: DatabaseMigrator
    let configuration: Configuration

    func open(
        _ location: DatabaseLocation, settings: ConnectionSettings
    ) async throws -> any OpenDatabase {
        try openMigrator(location, settings: settings)
    }

    /// - Throws: ``EngineError``.
    func openMigrator(
        _ location: DatabaseLocation, settings: ConnectionSettings
    ) throws -> MigratorDatabase {
        var settings = settings
        // The app's own code is as free as it is in the app.
        settings.limits = nil
        // What the app prepares may have said otherwise.
        settings.setup.append("PRAGMA foreign_keys = \(settings.foreignKeys ? "ON" : "OFF")")
        var configuration = configuration
        configuration.apply(settings)
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        configuration.observesSuspensionNotifications = false
        do {
            let queue = try DatabaseQueue(path: location.name, configuration: configuration)
            return MigratorDatabase(queue: queue, migrator: migrator)
        } catch let error as DatabaseError {
            throw EngineError(error)
        }
    }

    /// Whether the app's connections enforce foreign keys.
    /// - Throws: ``EngineError`` when the configuration cannot be used.
    func enforcesForeignKeys() throws -> Bool {
        do {
            return try DatabaseQueue(configuration: configuration).inDatabase {
                try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") ?? false
            }
        } catch let error as DatabaseError {
            throw EngineError(error)
        }
    }

    /// Why nothing that this migrator does would prove anything.
    var refusal: Finding? {
        if migrator.eraseDatabaseOnSchemaChange {
            return Finding(
                .nothingVerified,
                "the migrator has eraseDatabaseOnSchemaChange: it would erase what it is to keep",
                help: "Hand over one without: var migrator = …; migrator.eraseDatabaseOnSchemaChange = false")
        }
        guard migrator.migrations.isEmpty else { return nil }
        return Finding(
            .nothingVerified, "the migrator has no migration",
            help: "Hand over the one that the app runs, with its migrations registered.")
    }
}
