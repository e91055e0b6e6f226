import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import DrydockVerify
import OverlayVFS

/// A replay from a state on, up to a migration, so that it can be repeated on other rows: with everything that verify
/// says of it, and one of the checks that run only if requested.
struct ReplayFixture: RepeatableReplay {
    let check: ShrinkCheck
    let snapshot: Snapshot
    /// The finding that is to be made small.
    let finding: Finding
    private(set) var context: ReplayContext
    private(set) var fresh: FreshInstall

    init(
        _ check: ShrinkCheck, _ caught: (context: ReplayContext, fresh: FreshInstall),
        _ snapshot: Snapshot, upTo last: Migration?, _ finding: Finding
    ) {
        (self.check, self.snapshot, self.finding) = (check, snapshot, finding)
        context = caught.context.narrowed(to: check)
        if let index = last.flatMap({ caught.context.set.index(of: $0.identifier) }) {
            context.targetCount = min(context.targetCount, index + 1)
        }
        // An install that is known to be missing is not compared with.
        fresh = check.comparesWithFreshInstall ? caught.fresh : FreshInstall()
    }

    package func findings(from image: Image, _ watchdog: Watchdog) async throws -> [Finding] {
        var replay = SnapshotReplay(
            context: context, snapshot: snapshot, fresh: fresh, watchdog: watchdog, onEvent: { _ in })
        try await replay.run(on: Overlay(image))
        var report = Report(.verify(VerifySummary()))
        ReportAssembly(context: context, fresh: fresh, isPart: false).add([replay.result], to: &report)
        return report.findings.filter {
            $0.concernedMigration == finding.concernedMigration
        }
    }

    /// Returns the fixture with some migrations as they are given, and without others.
    func with(
        _ migrations: [Migration], without gone: Set<String>, _ watchdog: Watchdog
    ) async throws -> ReplayFixture {
        var fixture = self
        let new = Dictionary(
            migrations.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        fixture.context.targetCount -= context.targets.count { gone.contains($0.identifier) }
        fixture.context.set.migrations = context.set.migrations.compactMap { old in
            gone.contains(old.identifier) ? nil : new[old.identifier] ?? old
        }
        if check.comparesWithFreshInstall {
            fixture.fresh = try await FreshInstall.make(fixture.context, until: watchdog.deadline)
        }
        return fixture
    }
}

extension StepFixture {
    /// The replay that stands for the step; nil where the step gives the finding.
    var replay: ReplayFixture? { whole as? ReplayFixture }
}

extension Finding {
    /// The migration that it is about; what is seen only at the end of a replay names the last one.
    var concernedMigration: String? {
        [.integrityFailure, .notIdempotent].contains(rule) ? nil : migration
    }
}
