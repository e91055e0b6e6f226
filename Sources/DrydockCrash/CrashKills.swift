import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import Synchronization

/// Runs migrations as their tool does, and keeps each state that a commit leaves on the way.
struct CrashKills: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog

    /// The states on the way, and the end; no cut is the end.
    struct Recording: Sendable {
        var cuts: [CrashCut] = []
        var end: Image
        var pages: Set<UInt32> = []
    }

    /// - Throws: ``CrashRun/Stop``, ``EngineError``.
    func record(_ batch: [Migration], from before: Image, _ start: CrashStart) async throws -> Recording {
        let overlay = try Overlay(before)
        let states = CommitStates(overlay)
        try await context.engine.useWhole(overlay, settings: start.settings(context, watchdog)) { database in
            try await database.withConnection { _ in _ = overlay.freeze() }
            try await CrashRun(context: context).run([batch], on: database) { try states.note($0, $1) }
        }
        var recording = Recording(end: before)
        (recording.cuts, recording.pages) = states.all
        if let last = recording.cuts.popLast() { recording.end = last.image }
        return recording
    }
}

/// The states that the commits on an overlay leave.
final class CommitStates: Sendable {
    private let overlay: Overlay
    private let states = Mutex<(cuts: [CrashCut], pages: Set<UInt32>)>(([], []))

    init(_ overlay: Overlay) { self.overlay = overlay }

    /// The states, and the pages in which they differ from the one before.
    var all: (cuts: [CrashCut], pages: Set<UInt32>) { states.withLock { $0 } }

    func note(_ point: CrashPoint, _ connection: any Connection) throws {
        // What is in an open transaction is gone after a kill.
        guard !connection.isInTransaction else { return }
        try connection.checkpoint()
        let (image, footprint) = overlay.freeze()
        guard !footprint.isEmpty else { return }
        states.withLock { states in
            states.pages.formUnion(footprint.pages)
            states.cuts.append(
                CrashCut(
                    image: image, cause: .kill, point: point, pages: states.pages, isCommitted: true))
        }
    }
}
