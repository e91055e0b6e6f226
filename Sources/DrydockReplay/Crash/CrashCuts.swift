import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import OverlayVFS

/// Runs migrations as their tool does, and keeps each state that is durable on the way.
struct CrashCuts: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog

    /// The states on the way, and the end; no cut is the end.
    struct Recording: Sendable {
        var cuts: [CrashCut] = []
        var end: Image
        var pages: Set<UInt32> = []
    }

    /// - Parameter foreignKeys: whether the connection enforces them when the first migration begins.
    /// - Throws: ``BatchFailure``, ``EngineError``.
    func record(_ batch: [Migration], from before: Image, foreignKeys: Bool) async throws -> Recording {
        let overlay = try Overlay(before)
        let set = context.set
        var settings = context.settings(watchdog)
        settings.foreignKeys = foreignKeys
        return try await context.engine.useWhole(overlay, settings: settings) { database in
            try await database.withConnection { connection in
                _ = overlay.freeze()
                var recording = Recording(end: before)
                var run = ToolRun(connection: connection, set: set)
                (run.commitsTogether, run.marksStart) = (true, true)
                run.called = { call in
                    // What is in an open transaction is gone after a kill.
                    guard !connection.isInTransaction else { return }
                    try connection.checkpoint()
                    let (image, footprint) = overlay.freeze()
                    guard !footprint.isEmpty else { return }
                    recording.pages.formUnion(footprint.pages)
                    recording.cuts.append(CrashCut(image: image, call: call, pages: recording.pages))
                }
                try run.prepare()
                try run.run(batch) { _ in }
                if let last = recording.cuts.popLast() { recording.end = last.image }
                return recording
            }
        }
    }
}
