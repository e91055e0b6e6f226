import DatabaseEngine
import GRDB

/// The engine on GRDB.swift.
///
/// A `DatabaseQueue` serves memory, overlays and live files in a rollback journal mode; a
/// `DatabasePool` serves live files that are in WAL mode already, because opening a pool would
/// otherwise set it.
public struct GRDBDriver: Engine {
    public let name = "grdb"

    public init() {}

    public func open(
        _ location: DatabaseLocation, settings: ConnectionSettings
    ) async throws -> any OpenDatabase {
        let configuration = Configuration(settings)
        do {
            let writer: any DatabaseWriter =
                switch location {
                case .memory: try DatabaseQueue(configuration: configuration)
                case .uri(let uri): try DatabaseQueue(path: uri, configuration: configuration)
                case .live(let path): try Self.openLive(path, configuration)
                }
            return GRDBDatabase(writer: writer)
        } catch let error as DatabaseError {
            throw EngineError(error)
        }
    }

    private static func openLive(_ path: String, _ configuration: Configuration) throws -> any DatabaseWriter
    {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let mode = try queue.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        guard mode == "wal" else { return queue }
        try queue.close()
        return try DatabasePool(path: path, configuration: configuration)
    }
}
