import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import Synchronization

/// Runs migrations once, and cuts the power between any two writes: see ``PowerCuts`` for the states. SQLite recovers each
/// of them, as it does when the database is next opened.
struct CrashPowerCuts: Sendable {
    let fixture: CrashFixture

    /// A run, as its writes.
    struct Recording: Sendable {
        fileprivate let log: WriteLog
        /// What had been done by which operation.
        fileprivate var marks: [(count: Int, point: CrashPoint)]
        let states: PowerCuts
        /// Whether the run wrote more than is kept.
        var isCutShort: Bool { log.isFull }
    }

    func record() async throws -> Recording {
        let log = WriteLog()
        let overlay = try Overlay.$writeLog.withValue(log) { try Overlay(fixture.before) }
        let marks = Mutex<[(Int, CrashPoint)]>([])
        let opened = try await fixture.context.engine.useWhole(overlay, settings: fixture.settings) {
            database in
            let opened = try await database.withConnection { _ in
                let image = overlay.freeze().image
                log.begin()
                return image
            }
            try await CrashRun(context: fixture.context).run([fixture.batch], on: database) { point, _ in
                marks.withLock { $0.append((log.count, point)) }
            }
            return opened
        }
        return Recording(
            log: log, marks: marks.withLock { $0 }, states: PowerCuts(log, from: opened))
    }

    /// Calls `body` with each state that differs from those before.
    /// - Parameter wanted: which states, in order.
    func forEach(
        _ recording: Recording, of wanted: [PowerCuts.Cut], _ body: (CrashCut) async throws -> Void
    ) async throws {
        var digests = ImageDigests()
        var tried: Set<ImageDigests.Digest> = []
        try await recording.states.forEach(of: wanted) { state, image in
            guard tried.insert(digests.digest(image)).inserted else { return }
            try await body(cut(state, recording, image))
        }
    }

    private func cut(_ state: PowerCuts.Cut, _ recording: Recording, _ image: Image) -> CrashCut {
        // What was written between two marks belongs to the second; what follows the last, to the end of the run.
        let mark = recording.marks.first { state.done <= $0.count } ?? recording.marks.last
        let isKill = state.missing == .nothing
        let isDone = isKill && mark.map { $0.count <= state.done } ?? false
        return CrashCut(
            image: image, cause: isDone ? .kill : isKill ? .killDuring : .powerCut,
            point: mark?.point ?? CrashPoint(.setup, in: fixture.batch), pages: fixture.pages)
    }
}
