import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS

/// Starts a tool on a state, as its user's next launch does.
struct CrashRestart: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog
    /// The migrations that were pending before the crash, up to the last that was under way.
    let pending: [Int]

    /// What a start leads to.
    enum Ending: Sendable {
        case reached(Image, pages: Set<UInt32>)
        case failed(Failure, Image)
        /// The tool runs nothing on such a database.
        case refused
    }

    /// Why a start fails.
    struct Failure: Sendable {
        var message: String
        var redactedMessage: String?

        init(_ error: any Error) {
            let cause = (error as? BatchFailure)?.error ?? error
            guard let failure = cause as? StatementFailure else {
                message = (cause as? EngineError)?.message ?? String(describing: cause)
                return
            }
            message = failure.error.message
            redactedMessage = failure.mayQuoteValues ? failure.error.messageWithoutValues : nil
        }
    }

    /// - Parameter way: what a person writes before the start.
    func run(on image: Image, after way: [Bookkeeping] = []) async throws -> Ending {
        let overlay = try Overlay(image)
        let (set, pending, count) = (context.set, pending, (pending.last ?? -1) + 1)
        let outcome = try await context.engine.useWhole(overlay, settings: context.settings(watchdog)) {
            database in
            try await database.withConnection { connection -> Ending? in
                _ = overlay.freeze()
                for entry in way { try entry.write(on: connection) }
                let history = try set.format.history(connection, of: set) ?? AppliedHistory([])
                let plan = ReplayPlan(history: history, set: set, targetCount: count)
                if plan.isRefused { return .refused }
                let wanted = Set(pending)
                var run = ToolRun(connection: connection, set: set)
                (run.commitsTogether, run.marksStart) = (true, true)
                do {
                    try run.prepare()
                    for batch in set.batches(of: plan.pending.filter(wanted.contains)) {
                        try run.run(batch.map { set.migrations[$0] }) { _ in }
                    }
                } catch let failure as BatchFailure {
                    try connection.checkpoint()
                    return .failed(Failure(failure), overlay.freeze().image)
                }
                try connection.checkpoint()
                return nil
            }
        }
        if watchdog.isTripped { throw EngineError.interrupted }
        if let outcome { return outcome }
        let (end, footprint) = overlay.freeze()
        return .reached(end, pages: Set(footprint.pages))
    }

    /// Starts the tool again and again, as users do, until it succeeds, or fails on the state on which it failed before.
    func runToTheEnd(on image: Image) async throws -> Ending {
        var ending = try await run(on: image)
        for _ in 0..<Self.starts {
            guard case .failed(_, let left) = ending else { return ending }
            ending = try await run(on: left)
        }
        return ending
    }

    /// How often a failed start is repeated: a statement that fails keeps those behind it from ever running, and those
    /// before it have run.
    private static let starts = 2
}
