import DatabaseEngine

/// An engine on SwiftNIO: the system's SQLite, with one connection for each database, on a separate thread of
/// NIO's thread pool.
///
/// It adds no function or collation, and no setting except `PRAGMA foreign_keys`. So a migration that passes
/// here and not on GRDB, or the other way round, depends on what one of them adds.
public struct NIODriver: Engine {
    public let name = "nio"

    public init() { SQLiteLibrary.prepare() }

    public func open(
        _ location: DatabaseLocation, settings: ConnectionSettings
    ) async throws -> any OpenDatabase {
        let database = NIODatabase()
        try await database.open(location, settings)
        return database
    }
}
