import DatabaseEngine
import OverlayVFS

extension Engine {
    /// Opens an overlay's database. The overlay registers the VFS that the connection names, so it must live until the
    /// connection is open; from then on the connection retains what it needs.
    package func open(_ overlay: Overlay, settings: ConnectionSettings) async throws -> any OpenDatabase {
        let database = try await open(.uri(overlay.uri), settings: settings)
        return withExtendedLifetime(overlay) { database }
    }

    /// Opens an overlay's database, has it used, and closes it.
    ///
    ///     let tables = try await engine.use(overlay, settings: settings) { try await $0.withConnection(tables) }
    ///
    /// - Throws: what `body` throws, or else the error of closing.
    package func use<Result>(
        _ overlay: Overlay, settings: ConnectionSettings, _ body: (any OpenDatabase) async throws -> Result
    ) async throws -> Result {
        try await Self.use(try await open(overlay, settings: settings), body)
    }

    /// Opens a database, has it used, and closes it.
    /// - Throws: what `body` throws, or else the error of closing.
    package func use<Result>(
        _ location: DatabaseLocation, settings: ConnectionSettings,
        _ body: (any OpenDatabase) async throws -> Result
    ) async throws -> Result {
        try await Self.use(try await open(location, settings: settings), body)
    }

    /// Opens an overlay's database as ``openWhole(_:settings:)``, has it used, and closes it.
    /// - Throws: what `body` throws, or else the error of closing.
    package func useWhole<Result>(
        _ overlay: Overlay, settings: ConnectionSettings, _ body: (any OpenDatabase) async throws -> Result
    ) async throws -> Result {
        try await Self.use(try await openWhole(overlay, settings: settings), body)
    }

    private static func use<Result>(
        _ database: any OpenDatabase, _ body: (any OpenDatabase) async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await body(database)
        } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
        return result
    }

    /// Opens an overlay's database and has SQLite merge the files beside it: a hot journal is rolled back, and the
    /// content of a write-ahead log is moved to the database, so that its pages are complete.
    package func openWhole(_ overlay: Overlay, settings: ConnectionSettings) async throws -> any OpenDatabase
    {
        let database = try await open(overlay, settings: settings)
        do {
            try await database.withConnection { connection in
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_master") { $0.integer(0) }
                try connection.checkpoint()
            }
        } catch {
            try? await database.close()
            throw error
        }
        return database
    }
}

extension Connection {
    /// Moves the content of a write-ahead log into the database, so that a layer's pages are those of the step.
    package func checkpoint() throws {
        _ = try rows("PRAGMA wal_checkpoint(TRUNCATE)") { _ in }
    }
}
