import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS

/// Limits on how much memory untrusted SQL may use, in SQLite and in what it writes to overlays.
public enum MemoryBounds {
    /// - Parameter bytes: nil for no limit.
    public static func apply(_ bytes: Int?) {
        SQLiteLibrary.limitMemory(to: bytes)
        Overlay.limitWritten(to: bytes)
    }
}
