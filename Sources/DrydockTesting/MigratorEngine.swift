import DatabaseEngine
import Drydock
import GRDB
import GRDBEngine

/// The engine that runs an app's migrator on connections with the app's configuration, so that its functions,
/// collations and pragmas are available.
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
        // The app's own code runs without limits, as it does in the app.
        settings.limits = nil
        // The app's `prepareDatabase` may have set it differently.
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

    /// Returns whether the app's connections enforce foreign keys.
    /// - Throws: ``EngineError`` if the configuration cannot be used.
    func enforcesForeignKeys() throws -> Bool {
        do {
            return try DatabaseQueue(configuration: configuration).inDatabase {
                try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") ?? false
            }
        } catch let error as DatabaseError {
            throw EngineError(error)
        }
    }

    /// Why a run of this migrator would prove nothing; nil if it can be verified.
    var refusal: Finding? {
        if migrator.eraseDatabaseOnSchemaChange {
            return Finding(
                .nothingVerified,
                "the migrator has eraseDatabaseOnSchemaChange: it would erase the data that it must keep",
                help: "Pass one without it: var migrator = …; migrator.eraseDatabaseOnSchemaChange = false")
        }
        guard migrator.migrations.isEmpty else { return nil }
        return Finding(
            .nothingVerified, "the migrator has no migration",
            help: "Pass the one that the app runs, with its migrations registered.")
    }
}
