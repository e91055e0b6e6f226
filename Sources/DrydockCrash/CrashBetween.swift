import DrydockMigrations
import DrydockReplay
import OverlayVFS

/// A kill between two migrations, of which the later one may rely on what the earlier one left on its connection.
struct CrashBetween: Sendable {
    let fixture: CrashFixture
    /// The identifier of the earlier migration.
    let earlier: String
    /// Where the later ones led on the connection of the earlier one.
    let end: CrashEnd
    let restart: CrashRestart
    /// Nil where nothing is pending behind the later ones.
    var sequel: CrashSequel?

    /// A day, in milliseconds: what depends on the time differs by then.
    private static let later: Int64 = 86_400_000

    mutating func check(_ outcome: inout CrashCheck.Outcome) async throws {
        let (before, batch, context) = (fixture.before, fixture.batch, fixture.context)
        let ending = try await restart.runToTheEnd(on: before)
        let result = try await end.result(of: ending, [])
        var unstable: Set<StateComparison.Part> = []
        if case .reached(let image, let pages, _) = ending, case .differs(let parts, _) = result {
            // What differs between two runs on a new connection proves nothing.
            let time = EngineComparison.Conditions.now().time + Self.later
            if case .reached(let other, let more, _) = try await restart.run(on: before, at: time) {
                let again = try await CrashEnd(image, pages, context, end.inspector)
                unstable = try await again.differences(from: other, more).intersection(parts)
            }
        }
        var reports = CrashReports(batch: batch, context)
        let cut = CrashCut(
            image: before, cause: .between(earlier: earlier), point: CrashPoint(.whole(0), of: batch[0]),
            pages: [])
        reports.note(result, at: cut)
        if case .differs(let parts, let image) = result, !parts.isSubset(of: unstable),
            let failure = try await sequel?.failure(on: image)
        {
            reports.note(.stuck(failure), at: cut)
        }
        outcome.findings += reports.findings(without: unstable)
        if !unstable.isEmpty { outcome.notChecked.append(CrashReports.unstable(unstable, batch)) }
    }
}
