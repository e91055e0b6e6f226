import DatabaseEngine
import GRDB

/// The engine on GRDB.swift.
///
/// A `DatabaseQueue` serves memory, overlays and live files in a rollback journal mode; a
/// `DatabasePool` serves live files that are in WAL mode already, because opening a pool would
/// otherwise set it.
public struct GRDBDriver: Engine {
    public let name = "grdb"

    public init() { SQLiteLibrary.prepare() }

    public func open(
        _ location: DatabaseLocation, settings: ConnectionSettings
    ) async throws -> any OpenDatabase {
        let configuration = Configuration(settings)
        do {
            // GRDB takes it for a fault of its own, and traps, where SQLite has no memory while a connection is set up:
            // what may have to stop there is passed by the configuration.
            let writer = try Self.writer(for: location, configuration)
            return GRDBDatabase(
                writer: writer, interrupt: settings.interrupt, statements: settings.statements)
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
