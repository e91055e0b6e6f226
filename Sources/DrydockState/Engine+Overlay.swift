import DatabaseEngine
import OverlayVFS

extension Engine {
    /// Opens an overlay's database. The overlay registers the VFS that the connection names, so it must live until the
    /// connection is open; from then on the connection retains what it needs.
    package func open(_ overlay: Overlay, settings: ConnectionSettings) async throws -> any OpenDatabase {
        let database = try await open(.uri(overlay.uri), settings: settings)
        return withExtendedLifetime(overlay) { database }
    }

    /// Opens an overlay's database and has SQLite merge the files beside it: a hot journal is rolled back, and the
    /// content of a write-ahead log is moved to the database, so that its pages are complete.
    package func openWhole(_ overlay: Overlay, settings: ConnectionSettings) async throws -> any OpenDatabase
    {
        let database = try await open(overlay, settings: settings)
        do {
            try await database.withConnection { connection in
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
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
