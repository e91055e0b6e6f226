import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS

/// A kill between two migrations, of which the later one may rely on what the earlier one left on its connection.
struct CrashBetween: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog
    let batch: [Migration]
    let before: Image
    /// The identifier of the earlier migration.
    let earlier: String
    /// Where the later ones led on the connection of the earlier one.
    let end: CrashEnd
    let restart: CrashRestart

    /// A day, in milliseconds: what depends on the time differs by then.
    private static let later: Int64 = 86_400_000

    func findings() async throws -> [Finding] {
        let cut = CrashCut(
            image: before, cause: .between(earlier: earlier), moment: CrashMoment(.whole(0), of: batch[0]),
            pages: [])
        var reports = CrashReports(batch: batch, format: context.set.format)
        var unstable: Set<StateComparison.Part> = []
        switch try await restart.runToTheEnd(on: before) {
        case .failed(let failure, _): reports.note(.stuck(failure), at: cut)
        case .refused: return []
        case .reached(let image, let pages, _):
            let parts = try await end.differences(from: image, pages)
            guard !parts.isEmpty else { return [] }
            // What two runs on a new connection do not make alike says nothing.
            let time = EngineComparison.Moment.now().time + Self.later
            if case .reached(let other, let more, _) = try await restart.run(on: before, at: time) {
                let again = try await CrashEnd(image, pages, context, end.inspector)
                unstable = try await again.differences(from: other, pages.union(more))
            }
            reports.note(.differs(parts.subtracting(unstable)), at: cut)
        }
        return reports.findings(without: unstable)
    }
}
