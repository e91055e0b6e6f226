import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A run of a batch of migrations in a process that has another SQLite library, on an overlay as every replay is: nothing
/// that it writes comes to the disk except the states that it leaves for the parent, which compares them.
struct RepeatedRun: Sendable {
    private let batch: RepeatedBatch
    private let folder: String
    private let engine: any Engine

    /// - Throws: ``EngineError`` if there is no such engine.
    init(_ batch: RepeatedBatch, _ folder: String, _ engines: [any Engine]) throws {
        guard let engine = engines.first(where: { $0.name == batch.engine }) else {
            throw EngineError(.error, "there is no engine '\(batch.engine)'")
        }
        (self.batch, self.folder, self.engine) = (batch, folder, engine)
    }

    /// - Throws: ``EngineError``, ``OverlayError``.
    func outcome() async throws -> RepeatedBatch.Outcome {
        SQLiteLibrary.limitMemory(to: batch.memory)
        Overlay.limitWritten(to: batch.written)
        let base = try Image(base: batch.base, named: batch.name)
        let before = try Image(transferred: "\(folder)/\(batch.state)", since: base)
        let overlay = try Overlay(before)
        let random = RandomSource()
        overlay.stopClock(at: batch.time)
        random.reseed(batch.seed)
        let watchdog = Watchdog(timeout: batch.seconds.map { .seconds($0) })
        let settings = settings(random, watchdog)
        let migrations = batch.migrations.map(\.migration)
        let database: any OpenDatabase
        do {
            database = try await engine.openWhole(overlay, settings: settings)
        } catch let error as EngineError where !error.isInterrupt && !error.isOverLimit {
            return RepeatedBatch.Outcome(unreadable: error.message)
        }
        _ = overlay.freeze()
        let run = BatchRun(set: set(migrations), database: database, overlay: overlay)
        let ran = try await run.run(migrations)
        try? await database.close()
        let result = try await checked(ran, settings)
        var outcome = RepeatedBatch.Outcome()
        var last = before
        let start = try await use(batch.uses.first ?? .init(), at: before, settings)
        var known = Set(start.refused.map(\.fault))
        outcome.computed = start.computed
        for (number, reached) in result.reached.enumerated() {
            let state = "after-\(number)"
            // The library before this one left its own there, which was read by now.
            unlink("\(folder)/\(state)")
            try reached.image.write(to: "\(folder)/\(state)", since: last)
            var entry = RepeatedBatch.Reached(
                migrations: reached.migrations.map(\.identifier), state: state,
                pages: reached.footprint.pages)
            if batch.uses.indices.contains(number + 1) {
                let used = try await use(batch.uses[number + 1], at: reached.image, settings)
                entry.refused = used.refused.filter { !known.contains($0.fault) }
                entry.computed = used.computed
                known.formUnion(used.refused.map(\.fault))
            }
            outcome.reached.append(entry)
            last = reached.image
        }
        outcome.failure = result.failure.map(RepeatedBatch.Failure.init)
        return outcome
    }

    /// Makes the check that GRDB makes before each commit, and ends the run where it refuses a migration.
    private func checked(
        _ outcome: BatchRun.Outcome, _ settings: ConnectionSettings
    ) async throws -> BatchRun.Outcome {
        var outcome = outcome
        for (index, reached) in outcome.reached.enumerated() where reached.owesForeignKeyCheck {
            guard let error = try await brokenKey(in: reached.image, settings) else { continue }
            outcome.failure = (reached.step, error)
            outcome.reached.removeSubrange(index...)
            break
        }
        return outcome
    }

    private func brokenKey(in image: Image, _ settings: ConnectionSettings) async throws -> EngineError? {
        try await engine.use(try Overlay(image), settings: settings) { database in
            try await database.withConnection { connection in
                do {
                    let row: Void? = try connection.firstRow("PRAGMA foreign_key_check") { _ in }
                    return row == nil ? nil : .foreignKeyCheck
                } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                    return error
                }
            }
        }
    }

    private func settings(_ random: RandomSource, _ watchdog: Watchdog) -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.foreignKeys = batch.foreignKeys
        settings.doubleQuotedStrings = batch.doubleQuotedStrings
        (settings.functions, settings.collations) = (batch.functions, batch.collations)
        (settings.standIns, settings.setup, settings.random) = (batch.standIns, batch.setup, random)
        settings.interrupt = { watchdog.isTripped }
        settings.statements = watchdog.statements
        return settings
    }

    private func set(_ migrations: [Migration]) -> MigrationSet {
        MigrationSet(
            folder: "", format: RepeatedFormat(policy: batch.policy, historySetup: batch.historySetup),
            migrations: migrations)
    }

    /// Returns which statements do not compile at a state, and what is computed there.
    private func use(
        _ use: RepeatedBatch.Use, at image: Image, _ settings: ConnectionSettings
    ) async throws -> (refused: [RepeatedBatch.Refusal], computed: [ComputedTable.Values?]) {
        try await engine.use(try Overlay(image), settings: settings) { database in
            try await database.withConnection { connection in
                let refused = try use.statements.compactMap { sql in
                    try UseStatements.refusal(of: sql, on: connection).map {
                        RepeatedBatch.Refusal(statement: sql, message: $0)
                    }
                }
                return (refused, try use.computed.map { try $0.values(on: connection) })
            }
        }
    }
}

/// What is left of a format where migrations are only run: what its tool does around them.
private struct RepeatedFormat: MigrationFormat {
    let name = "repeated"
    let policy: ToolPolicy
    let historySetup: [Bookkeeping]
    let historyTable: String? = nil

    func owns(_ facts: HistoryFacts) -> Bool { false }
    func evidence(in folder: FolderFiles) -> FolderEvidence? { nil }
    func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        MigrationSet(folder: "", format: self)
    }
    func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? { nil }
}
