import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS

/// Starts a tool on a state, as its user's next launch does.
struct CrashRestart: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog
    /// The migrations that were pending before the crash, up to the last that was under way.
    let pending: [Int]

    /// What a start leads to.
    enum Ending: Sendable {
        /// The end, and the states that commits left on the way.
        case reached(Image, pages: Set<UInt32>, [CrashCut])
        case failed(Failure, Image)
        /// The tool runs nothing on such a database.
        case refused
    }

    /// Why a start fails.
    struct Failure: Sendable {
        var sentence: Sentence
        /// The migration that fails; nil where the tool does not come to one.
        var migration: String?
        /// What a person ran before that start.
        var command: String?

        init(_ error: any Error) {
            let stop = error as? CrashRun.Stop
            migration = stop?.point?.migration.identifier
            let cause = stop?.error ?? error
            sentence = Sentence(of: cause)
        }
    }

    /// - Parameters:
    ///   - way: what a person writes before the start.
    ///   - time: what its clock shows, in milliseconds since 1970; nil for the present.
    /// - Throws: ``EngineError`` where SQLite cannot read the state.
    func run(on image: Image, after way: [Bookkeeping] = [], at time: Int64? = nil) async throws -> Ending {
        let overlay = try Overlay(image)
        if let time { overlay.stopClock(at: time) }
        let states = CommitStates(overlay)
        let (set, count) = (context.set, (pending.last ?? -1) + 1)
        let outcome = try await context.engine.useWhole(overlay, settings: context.settings(watchdog)) {
            database -> Ending? in
            let plan = try await database.withConnection { connection in
                _ = overlay.freeze()
                for entry in way { try entry.write(on: connection) }
                let history = try set.history(connection) ?? AppliedHistory([])
                return ReplayPlan(history: history, set: set, targetCount: count)
            }
            if plan.isRefused { return .refused }
            let wanted = Set(pending)
            let batches = set.batches(of: plan.pending.filter(wanted.contains)).map { batch in
                batch.map { set.migrations[$0] }
            }
            do {
                try await CrashRun(context: context).run(batches, on: database) { try states.note($0, $1) }
            } catch let stop as CrashRun.Stop {
                try await database.withConnection { try $0.checkpoint() }
                return .failed(Failure(stop), overlay.freeze().image)
            }
            try await database.withConnection { try $0.checkpoint() }
            return nil
        }
        if watchdog.isTripped { throw EngineError.interrupted }
        if let outcome { return outcome }
        let (end, footprint) = overlay.freeze()
        let (cuts, pages) = states.all
        return .reached(end, pages: pages.union(footprint.pages), cuts)
    }

    /// Starts the tool again and again, as users do, until it succeeds, or fails on the state on which it failed before.
    func runToTheEnd(on image: Image) async throws -> Ending {
        var (ending, state) = (Ending.refused, image)
        for _ in 0...Self.starts {
            do {
                ending = try await run(on: state)
            } catch let error as EngineError where error.isCorruption && !watchdog.isTripped {
                // Such as a schema that was edited twice (PRAGMA writable_schema).
                return .failed(Failure(error), state)
            }
            guard case .failed(_, let left) = ending else { return ending }
            state = left
        }
        return ending
    }

    /// How often a failed start is repeated: a statement that fails keeps those behind it from ever running, and those
    /// before it have run.
    private static let starts = 2
}
