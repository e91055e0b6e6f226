import DatabaseEngine
import DrydockFindings
import DrydockReplay
import DrydockState
import OverlayVFS

/// Opens states as the next start of a program does.
struct CrashRecovery: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog

    /// Returns the state after SQLite's recovery, and the pages that it wrote.
    /// - Throws: ``EngineError`` if the database cannot be opened.
    func recover(_ image: Image) async throws -> (Image, Set<UInt32>) {
        let overlay = try Overlay(image)
        try await context.engine.useWhole(overlay, settings: context.settings(watchdog)) { database in
            // SQLite recovers when it first reads.
            try await database.withConnection { connection in
                _ = try connection.firstRow("PRAGMA schema_version") { $0.integer(0) }
                try connection.checkpoint()
            }
        }
        let (recovered, footprint) = overlay.freeze()
        return (recovered, Set(footprint.pages))
    }

    /// Returns what is wrong with a state, a line each.
    /// - Throws: ``EngineError`` if the schema cannot be read.
    func damage(of image: Image) async throws -> [String] {
        let inspector = context.inspector(watchdog)
        let catalog = try await inspector.catalog(of: image)
        let check = try await inspector.withConnection(to: image) { connection in
            try IntegrityCheck(connection, catalog: catalog, image: image)
        }
        return check.damage + check.brokenConstraints + check.notChecked
    }
}
