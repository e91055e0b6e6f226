import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine

/// What the replays of many databases share: the migrations as they were read, their fresh install, and what was found out
/// about schemas. It is made when the first replay needs it. Rows are never shared.
///
/// It is for requests that differ in nothing but the database, and for databases whose histories decide alike which tool
/// the migrations are for (``ReplayShares``).
package actor ReplayShare {
    package struct Made: Sendable {
        let loaded: Verifier.Loaded
        package fileprivate(set) var context: ReplayContext?
        fileprivate(set) var fresh: FreshInstall?
        /// What the lock says of the migrations.
        fileprivate(set) var locked = Locked()
        /// The comparisons that were made, by schema and version.
        fileprivate let drifts = FactMemory<Int, Drift>()

        package var set: MigrationSet { loaded.set }
    }

    /// What is checked of a lock without a replay.
    package struct Locked: Sendable {
        package var check: LockCheck?
        package var findings: [Finding] = []
        package var notChecked: [NotChecked] = []
    }

    /// The history that decides whose the migrations are; none where the folder alone does, nil where the first replay
    /// reads it.
    nonisolated let histories: [HistoryFacts]?
    private var making: Task<Made, any Error>?

    init(_ histories: [HistoryFacts]) { self.histories = histories }

    /// Creates the share of repeated replays of one database.
    package init() { histories = nil }

    /// Returns what is made once. Those that wait for it belong to one run, so that all stop when one is cancelled.
    func made(_ make: @escaping @Sendable () async throws -> Made) async throws -> Made {
        let task = making ?? Task { try await make() }
        making = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension Verifier {
    /// Returns what replays of a request need besides a snapshot: that of the share, if there is one.
    package func prepared(
        _ request: VerifyRequest, _ snapshots: [Snapshot]
    ) async throws -> ReplayShare.Made {
        guard let share else { return try await prepare(request, snapshots) }
        return try await share.made { try await prepare(request, snapshots) }
    }

    /// Returns the histories that decide whose the migrations are: that of the share, if there is one.
    func histories(
        of snapshots: [Snapshot], _ choice: FormatChoice, _ settings: ConnectionSettings
    ) async throws -> [HistoryFacts] {
        if let histories = share?.histories { return histories }
        return try await choice.histories(
            of: snapshots, SnapshotOpener(engine: engine, settings: settings))
    }

    func loaded(
        _ request: VerifyRequest, _ snapshots: [Snapshot], _ budget: TimeBudget, _ known: MigrationSet?,
        _ shared: ReplayShare.Made?
    ) async throws -> Loaded {
        if let shared { return shared.loaded }
        return try await load(request, snapshots, budget, known)
    }

    /// Returns what the replays of a run have in common.
    func ready(
        _ request: VerifyRequest, _ loaded: Loaded, _ lock: LockCheck?, _ budget: TimeBudget,
        _ shared: ReplayShare.Made?, _ report: inout Report
    ) async throws -> (ReplayContext, FreshInstall) {
        if let context = shared?.context, let fresh = shared?.fresh { return (context, fresh) }
        let context = self.context(
            try await makeContext(request, loaded.set, lock), running: loaded.command, &report)
        return (context, try await FreshInstall.make(context, until: budget.firstDeadline))
    }

    /// Returns what the lock says, if there is one: as it was read for the first database of those that share it.
    package func locked(
        _ request: VerifyRequest, _ set: MigrationSet, _ shared: ReplayShare.Made?
    ) throws -> ReplayShare.Locked {
        try shared?.locked ?? readLock(request, set)
    }

    private func readLock(_ request: VerifyRequest, _ set: MigrationSet) throws -> ReplayShare.Locked {
        var report = Report(.verify(VerifySummary()))
        var locked = ReplayShare.Locked()
        locked.check = try lockCheck(request, &report)
        locked.findings = try locked.check.map { try lockFindings($0, request, set) } ?? []
        locked.notChecked = report.notChecked
        return locked
    }

    private func prepare(
        _ request: VerifyRequest, _ snapshots: [Snapshot]
    ) async throws -> ReplayShare.Made {
        let budget = TimeBudget(request.timeout)
        var made = ReplayShare.Made(loaded: try await load(request, snapshots, budget, nil))
        made.locked = try readLock(request, made.set)
        guard made.loaded.obstacle == nil, made.loaded.overdue == nil, !made.set.migrations.isEmpty else {
            return made
        }
        let context = try await makeContext(request, made.set, made.locked.check)
        made.context = context
        made.fresh = try await FreshInstall.make(context, until: budget.firstDeadline)
        return made
    }
}

/// How the schema of a database compares with a fresh install of its version.
package enum Drift: Sendable {
    case none
    /// The differences, as findings without a database.
    case found([Finding])
    /// Why it cannot be compared.
    case notChecked(NotChecked.Reason)
}

extension ReplayShare.Made {
    /// Reads a schema, with what other databases with the same one share.
    package func schema(_ connection: any Connection) throws -> SchemaMemory.Reading {
        try (context?.schemas ?? SchemaMemory()).read(connection, historyTables: set.format.ownTables)
    }

    /// Compares a schema with a fresh install of the version that the history says.
    package func drift(_ reading: SchemaMemory.Reading, _ history: AppliedHistory) -> Drift {
        let known = Set(history.identifiers)
        let count = set.migrations.count { known.contains($0.identifier) }
        guard count == known.count, history.code.isEmpty,
            set.migrations.prefix(count).allSatisfy({ known.contains($0.identifier) })
        else {
            return .notChecked(.undecided("no fresh install has just the migrations that it has applied"))
        }
        guard count > 0 else { return .none }
        guard let expected = fresh?.catalogs[count] else {
            return .notChecked(
                .undecided(
                    "there is no fresh install of its version"
                        + (fresh?.failure.map { ": \($0.reason)" } ?? "")))
        }
        return drifts.value(reading.facts, count) { drift(reading.catalog, expected) }
    }

    private func drift(_ catalog: Catalog, _ expected: Catalog) -> Drift {
        let shared = Set(set.format.sharedTables.map(\.foldedASCII))
        let compared = catalog.without(shared.subtracting(expected.tables.keys))
        let findings = SchemaMismatch.findings(migrated: compared, fresh: expected)
        return findings.isEmpty ? .none : .found(findings)
    }
}
