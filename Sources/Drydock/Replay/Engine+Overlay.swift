import DatabaseEngine
import OverlayVFS

extension Engine {
    /// Opens an overlay's database. The overlay registers the VFS that the connection names, so it must live
    /// until the connection is open; from then on the connection keeps what it needs.
    func open(_ overlay: Overlay, settings: ConnectionSettings) async throws -> any OpenDatabase {
        let database = try await open(.uri(overlay.uri), settings: settings)
        return withExtendedLifetime(overlay) { database }
    }
}
