import DatabaseEngine
import GRDB

/// An engine on GRDB.swift.
///
/// A `DatabaseQueue` serves memory, overlays and live files in a rollback journal mode. A `DatabasePool`
/// serves live files that are in WAL mode already: opening a pool would set that mode on any other file.
public struct GRDBDriver: Engine {
    public let name = "grdb"

    public init() { SQLiteLibrary.prepare() }

    public func open(
        _ location: DatabaseLocation, settings: ConnectionSettings
    ) async throws -> any OpenDatabase {
        var configuration = Configuration(settings)
        if !settings.followsTransactions { configuration.ignoresTransactions() }
        if !settings.followsStatements { configuration.ignoresStatements() }
        do {
            // GRDB traps if SQLite runs out of memory while a connection is set up. So only the settings' own
            // setup statements can be stopped here, and the configuration does that.
            let writer = try Self.writer(for: location, configuration)
            return GRDBDatabase(writer: writer, settings: settings)
        } catch let error as DatabaseError {
            throw EngineError(error)
        }
    }

    private static func writer(
        for location: DatabaseLocation, _ configuration: Configuration
    ) throws -> any DatabaseWriter {
        let queue = try DatabaseQueue(path: location.name, configuration: configuration)
        guard case .live = location else { return queue }
        let mode = try queue.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        guard mode == "wal" else { return queue }
        try queue.close()
        return try DatabasePool(path: location.name, configuration: configuration)
    }
}
