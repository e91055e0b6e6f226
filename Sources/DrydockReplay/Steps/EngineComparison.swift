import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import Foundation
import OverlayVFS
import SQLiteSchema

/// Runs a batch of migrations once more, on another engine from the same state, and compares the result with that of
/// the first engine: outcome, schema, rows and history.
///
/// All runs see the same time and the same random numbers (``Conditions``). Even so, two runs of one engine can differ;
/// where two runs of the first engine differ, nothing is compared.
package struct EngineComparison: Sendable {
    /// The time and the random numbers that a run sees.
    package struct Conditions: Sendable {
        /// Milliseconds since 1970.
        package let time: Int64
        package let seed: UInt64

        package static func now() -> Conditions {
            let time = Date().timeIntervalSince1970 * 1000
            return Conditions(time: Int64(time), seed: .random(in: .min ... .max))
        }

        package func begin(on overlay: Overlay, _ random: RandomSource?) {
            overlay.stopClock(at: time)
            random?.reseed(seed)
        }
    }

    package let context: ReplayContext
    package let other: any Engine
    package let watchdog: Watchdog
    /// The moment of the first run.
    package let conditions: Conditions

    package struct Outcome: Sendable {
        package var finding: Finding?
        package var notChecked: NotChecked?
    }

    package func run(
        _ batch: [Migration], from before: Image, _ first: BatchRun.Outcome
    ) async throws -> Outcome {
        if let reason = notCompared(first) { return Outcome(notChecked: reason) }
        let settings = context.settings(watchdog)
        let second = try await context.repeated(batch, on: other, before, settings, conditions, watchdog)
        if let reason = notCompared(second) { return Outcome(notChecked: reason) }
        guard var difference = try await difference(first, second) else { return Outcome() }
        var outcome = Outcome()
        if difference.failures == nil {
            let again = try await context.repeated(
                batch, on: context.engine, before, settings, conditions, watchdog)
            if let reason = notCompared(again) { return Outcome(notChecked: reason) }
            let own = try await self.difference(first, again)
            let unstable = own?.failures == nil ? own?.parts.intersection(difference.parts) ?? [] : []
            if !unstable.isEmpty {
                difference.parts.subtract(unstable)
                outcome.notChecked = NotChecked(
                    .engineDivergence,
                    .unstable(
                        migration: difference.migration.identifier, parts: Self.list(unstable)))
            }
            guard !difference.parts.isEmpty else { return outcome }
        }
        outcome.finding = finding(difference, help: try await explanation(batch, before, first, difference))
        return outcome
    }

    /// Returns that a run was stopped by what says nothing about the engines, if it was.
    private func notCompared(_ run: BatchRun.Outcome) -> NotChecked? {
        guard let cause = run.obstacle, let migration = run.failure?.migration else { return nil }
        return NotChecked(
            .engineDivergence, .overLimit("\(migration.identifier) was not compared to its end: \(cause)"))
    }

    // MARK: - The difference

    private struct Difference {
        var migration: Migration
        /// Why each engine refused the step, unless both did for the same reason; nil for one that did not.
        var failures: (first: Failure?, second: Failure?)?
        /// What differs afterwards, in words.
        var parts: Set<String> = []
    }

    private func difference(_ first: BatchRun.Outcome, _ second: BatchRun.Outcome) async throws -> Difference?
    {
        var pages: Set<UInt32> = []
        for (one, two) in zip(first.reached, second.reached) {
            pages.formUnion(one.footprint.pages)
            pages.formUnion(two.footprint.pages)
            guard try !StateComparison.areEqual(one.image, two.image, pages) else { continue }
            // History tables are compared like any others.
            var inspector = context.inspector(watchdog)
            inspector.historyTables = []
            let found = try await StateComparison(inspector: inspector).parts(one.image, two.image)
            let objects = found.filter { !$0.isData }
            let parts = Set((objects.isEmpty ? found : objects).map(\.description))
            if !parts.isEmpty { return Difference(migration: one.step, parts: parts) }
        }
        let failures = (first: first.failure.map(Failure.init), second: second.failure.map(Failure.init))
        guard failures.first?.code != failures.second?.code || first.reached.count != second.reached.count,
            let migration = first.failure?.migration ?? second.failure?.migration
        else { return nil }
        return Difference(migration: migration, failures: failures)
    }

    // MARK: - Messages

    private struct Failure {
        /// Nil if the failure is not SQLite's.
        var code: Int32?
        var sentence: Sentence

        init(_ failure: (migration: Migration, error: any Error)) {
            code =
                MigrationFailure(migration: failure.migration, error: failure.error).engineError?.extendedCode
            sentence = Sentence(of: failure.error)
        }
    }

    private func finding(_ difference: Difference, help: String) -> Finding {
        let name = difference.migration.identifier
        let (one, two) = (context.engine.name, other.name)
        let sentence: Sentence =
            switch difference.failures {
            case (let first?, let second?)?:
                "\(name) fails on \(one): \(first.sentence); on \(two): \(second.sentence)"
            case (let first?, nil)?: "\(name) passes on \(two) and fails on \(one): \(first.sentence)"
            case (nil, let second?)?: "\(name) passes on \(one) and fails on \(two): \(second.sentence)"
            default: "after \(name), \(two) and \(one) differ in \(Self.list(difference.parts))"
            }
        return Finding(
            .engineDivergence, sentence, help: help, migration: name,
            place: .init(file: difference.migration.path))
    }

    /// Returns the setting that causes the difference, where one does.
    private func explanation(
        _ batch: [Migration], _ before: Image, _ first: BatchRun.Outcome, _ difference: Difference
    ) async throws -> String {
        var settings = context.settings(watchdog)
        if settings.doubleQuotedStrings == nil {
            settings.doubleQuotedStrings = false
            let strict = try await context.repeated(batch, on: other, before, settings, conditions, watchdog)
            if try await self.difference(first, strict) == nil {
                return
                    "\(other.name) reads \"text\" in double quotes as a string if no column has that name, as its library was built, and "
                    + "\(context.engine.name) does not. Write strings as 'text'."
            }
        }
        let message = [difference.failures?.first, difference.failures?.second].compactMap {
            $0?.sentence.text
        }
        .first
        let kinds: [(String, SQLiteMessage)] = [
            ("function", .noSuchFunction), ("collation sequence", .noSuchCollation),
        ]
        for (kind, missing) in kinds {
            guard let name = message.flatMap({ missing.rest(of: $0) }) else { continue }
            return
                "Only one of the engines has the \(kind) \(name). Do without it, or register it wherever the "
                + "database is migrated."
        }
        return ""
    }

    package static func list(_ parts: Set<String>) -> String {
        let sorted = parts.sorted()
        let rest = sorted.count - 5
        return sorted.prefix(5).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}

extension ReplayContext {
    /// Runs a batch of migrations once more from a state, at the moment of the first run.
    package func repeated(
        _ batch: [Migration], on engine: any Engine, _ before: Image, _ settings: ConnectionSettings,
        _ conditions: EngineComparison.Conditions, _ watchdog: Watchdog
    ) async throws -> BatchRun.Outcome {
        let (overlay, random) = (try Overlay(before), RandomSource())
        var settings = settings
        settings.random = random
        conditions.begin(on: overlay, random)
        return try await engine.use(overlay, settings: settings) { database in
            var outcome = try await BatchRun(set: set, database: database, overlay: overlay).run(batch)
            if let (_, error) = outcome.failure, watchdog.isTripped { throw error }
            outcome.obstacle = outcome.failure.flatMap { WriteObstacle(overlay).cause(of: $0.error) }
            return outcome
        }
    }
}
