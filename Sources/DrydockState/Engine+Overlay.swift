import DatabaseEngine
import OverlayVFS

extension Engine {
    /// Opens an overlay's database. The overlay registers the VFS that the connection names, so it must live
    /// until the connection is open; from then on the connection keeps what it needs.
    package func open(_ overlay: Overlay, settings: ConnectionSettings) async throws -> any OpenDatabase {
        let database = try await open(.uri(overlay.uri), settings: settings)
        return withExtendedLifetime(overlay) { database }
    }

    /// Opens an overlay's database and has SQLite take in what lies beside it: a hot journal is rolled back, and
    /// what a write-ahead log holds is moved to the database, so that its pages are all there is.
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
    /// Moves what a write-ahead log holds into the database, so that a layer's pages are the step's.
    package func checkpoint() throws {
        _ = try rows("PRAGMA wal_checkpoint(TRUNCATE)") { _ in }
    }
}
