import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS

/// How much SQL of others may take of this machine, in SQLite's memory and in what it writes to overlays.
public enum MemoryBounds {
    /// - Parameter bytes: nil for no limit.
    public static func apply(_ bytes: Int?) {
        SQLiteLibrary.limitMemory(to: bytes)
        Overlay.limitWritten(to: bytes)
    }
}
