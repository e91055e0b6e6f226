import Drydock
import Foundation
import GRDBEngine
import TestTools
import Testing

@testable import DrydockTestSupport

/// The harness is tested by sabotage: the sample passes, and every known-bad mutation of it is caught by the right rule
/// on every snapshot that replays the migration.
@Suite struct SabotageTests {
    static let all = Result { try MutantFactory.all(of: SampleApp.shared.get()) }

    static func mutants() throws -> [Mutant] { MutantFactory.few(of: try all.get().fit) }

    @Test func theSamplePasses() async throws {
        var request = VerifyRequest()
        request.migrations.folder = SampleApp.migrationsFolder
        request.snapshots.folder = SampleApp.snapshotsFolder
        request.jobs = 2
        let before = try snapshotBytes()
        let report = try await Verifier(engine: GRDBDriver()).run(request)
        report.expectNothing()
        #expect(report.rules(.note).isEmpty)
        let sample = try SampleApp.shared.get()
        #expect(report.replays.count == sample.snapshots.count)
        #expect(report.replays.map(\.to) == sample.snapshots.map { _ in sample.migrations.last?.identifier })
        #expect(report.replays.allSatisfy { $0.steps.isEmpty || $0.rowsCompared > 100 })
        #expect(try snapshotBytes() == before)
    }

    private func snapshotBytes() throws -> [String: Data] {
        let folder = SampleApp.snapshotsFolder
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) {
            $0[$1] = FileManager.default.contents(atPath: "\(folder)/\($1)")
        }
    }

    @Test func thereAreEnoughMutants() throws {
        let mutants = try Self.all.get().fit
        #expect(mutants.count > 800)
        #expect(Set(mutants.map(\.testDescription)).count == mutants.count)
        // Each migration that a snapshot replays, and each rule that a migration can break.
        #expect(Set(mutants.map(\.version)) == Set(try SampleApp.shared.get().eves.keys))
        let others: Set<Rule> = [
            .foreignKeyViolation, .schemaMismatch, .snapshotUnreadable, .snapshotVersionUnknown,
            .unknownMigration, .migrationOutOfOrder, .migrationEdited, .migrationRemoved, .snapshotEdited,
            .snapshotRemoved, .migrationInCode, .rollbackFailed, .rollbackMismatch, .timeLimit,
            .nothingVerified, .engineDivergence, .migrationVaries, .headerMarkChanged, .fileLeftOut,
            .migrationEmpty, .referenceMoved, .planRefused, .vacuumFailed, .schemaDiffers,
            .migrationPending, .crashStuck, .crashLoses, .crashDiverges, .libraryDivergence,
        ]
        // Lint reports its rules without a replay.
        let ofLint = Set(Rule.ofLint).subtracting([.viewBroken, .transactionEnded, .pragmaIgnored])
        #expect(
            Set(mutants.map(\.rule)).union(others).union(ofLint)
                == Set(Rule.allCases.filter { !$0.isOfHealthAlone }))
        // Few mutants affect nothing, and these are known.
        let idle = try Self.all.get().idle
        let unknown = idle.map(\.testDescription).filter { name in
            !["delete a row: account", "v5 delete a row that is referenced: account"].contains {
                name.hasSuffix($0)
            }
                && !(name.hasPrefix("v5") && name.contains(": draft"))
                && !name.contains(": draft.in_reply_to")
        }
        #expect(unknown.isEmpty)
    }

    /// Begins just before the migration, so that no earlier step is replayed hundreds of times.
    @Test(arguments: try mutants()) func mutantIsCaught(_ mutant: Mutant) async throws {
        let sample = try SampleApp.shared.get()
        let snapshots = sample.eves[mutant.version] ?? []
        let folder = try TemporaryFolder()
        for migration in sample.migrations where migration.version <= mutant.version {
            let sql = migration.version == mutant.version ? mutant.sql : migration.sql
            try folder.write("Migrations/\(migration.identifier).sql", sql)
        }
        let report = try await folder.verify { $0.snapshots.paths = snapshots }
        #expect(report.replays.count == snapshots.count)
        for snapshot in snapshots {
            let isHit = try PlainDatabase(snapshot).firstRow(mutant.target) { $0.integer(0) } ?? 0 > 0
            let said = report.findings.filter { $0.snapshot == snapshot || $0.snapshot == nil }
            let isCaught = said.contains { $0.rule == mutant.rule && $0.severity == mutant.severity }
            let told = Comment(rawValue: "\(snapshot)\n" + said.map(\.line).joined(separator: "\n"))
            #expect(isCaught == isHit, told)
        }
    }

    /// Complete replays of the unchanged snapshots, with one mutant of each migration.
    @Test(
        arguments: MutantFactory.few(
            of: try all.get().fit.filter { $0.fault == "delete a row" && $0.what == "email" }))
    func mutantIsCaughtInAWholeReplay(_ mutant: Mutant) async throws {
        let sample = try SampleApp.shared.get()
        let folder = try TemporaryFolder()
        for migration in sample.migrations {
            try folder.write(
                "Migrations/\(migration.identifier).sql",
                migration.version == mutant.version ? mutant.sql : migration.sql)
        }
        let report = try await folder.verify { $0.snapshots.paths = [SampleApp.snapshotsFolder] }
        for snapshot in sample.snapshots {
            let rules = report.findings.filter { $0.snapshot == snapshot.path && $0.severity == .error }.map(
                \.rule)
            #expect(rules == (snapshot.version < mutant.version ? [mutant.rule] : []), "\(snapshot.name)")
        }
        #expect(!report.hasPassed)
    }
}
