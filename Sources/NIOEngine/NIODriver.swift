import DatabaseEngine

/// The engine on SwiftNIO: the system's SQLite, one connection a database, on a thread of its own from NIO's
/// thread pool.
///
/// It adds no function, collation or setting of its own but `PRAGMA foreign_keys`, so a migration that passes
/// here and not on GRDB, or the other way round, leans on what one of them adds.
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
