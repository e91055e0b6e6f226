import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import Synchronization

/// Runs migrations again and again, and each time lets one growth of a file fail for lack of space, or one lock because
/// another program has it.
struct CrashFaults: Sendable {
    let fixture: CrashFixture

    private static let kinds: Set<FaultPlan.Operation> = [.growth, .lock]

    /// The growths and locks of a run.
    struct Operations: Sendable {
        var count: Int
        /// How many there had been when a statement, or a part of the tool's own work, was done.
        var ends: [Int]

        /// Returns some of them: the first and the last of each statement, as long as there is room, and then others evenly
        /// spread.
        func chosen(_ wanted: Int) -> [Int] {
            var bounds: Set<Int> = []
            var start = 0
            for end in ends + [count] where end > start {
                bounds.formUnion([start, end - 1])
                start = end
            }
            let sorted = bounds.sorted()
            var chosen = Set(EvenSelection(of: sorted.count, wanted).map { sorted[$0] })
            for number in EvenSelection(of: count, wanted) where chosen.count < wanted {
                chosen.insert(number)
            }
            return chosen.sorted()
        }
    }

    func operations() async throws -> Operations {
        let plan = FaultPlan(failing: .max, of: Self.kinds, with: .refused, isArmed: false)
        let ends = Mutex<[Int]>([])
        _ = try await run(plan) { ends.withLock { $0.append(plan.count) } }
        return Operations(count: plan.count, ends: ends.withLock { $0 })
    }

    /// Returns how many of the faults are tried: what they write together has a limit, whatever the user's.
    static func tried(of count: Int, limit: Int) -> Int {
        min(count, limit, max(16, workLimit / max(1, count)))
    }

    /// As many growths and locks as a few seconds allow.
    private static let workLimit = 200_000

    /// Runs with the given growth or lock failing.
    /// - Returns: the state that is left; nil if nothing failed.
    func cut(_ number: Int) async throws -> CrashCut? {
        let plan = FaultPlan(failing: number, of: Self.kinds, with: .refused, isArmed: false)
        let (image, pages, point) = try await run(plan)
        guard let hit = plan.hit, let point else { return nil }
        return CrashCut(
            image: image, cause: hit == .lock ? .busy : .diskFull, point: point,
            pages: fixture.pages.union(pages))
    }

    /// - Returns: the state that is left, the pages that were written, and what failed.
    private func run(
        _ plan: FaultPlan, called: @escaping @Sendable () -> Void = {}
    ) async throws -> (Image, Set<UInt32>, CrashPoint?) {
        let overlay = try Overlay.$faultLog.withValue(nil) {
            try Overlay.$faults.withValue(plan) { try Overlay(fixture.before) }
        }
        var settings = fixture.settings
        // The other program keeps its lock for longer than the tool waits.
        settings.busyTimeout = .zero
        settings.followsTransactions = false
        let struck = Mutex<CrashPoint?>(nil)
        let point = try await fixture.context.engine.useWhole(overlay, settings: settings) { database in
            try await database.withConnection { _ in
                _ = overlay.freeze()
                plan.arm()
            }
            var point: CrashPoint?
            do {
                try await CrashRun(context: fixture.context).run([fixture.batch], on: database) { now, _ in
                    called()
                    if plan.hit != nil { struck.withLock { $0 = $0 ?? now } }
                }
            } catch let stop as CrashRun.Stop {
                point = stop.point
            }
            plan.disarm()
            return point
        }
        if fixture.watchdog.isTripped { throw EngineError.interrupted }
        let (image, footprint) = overlay.freeze()
        return (image, Set(footprint.pages), struck.withLock { $0 } ?? point)
    }
}
