import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState

/// What the replays of many databases share: the migrations as they were read, their fresh install, and what was found out
/// about schemas. It is made when the first replay needs it. Rows are never shared.
///
/// It is for requests that differ in nothing but the database, and for databases whose histories decide alike which tool
/// the migrations are for (``ReplayShares``).
package actor ReplayShare {
    package struct Made: Sendable {
        let loaded: LoadedMigrations
        /// What the lock says of the migrations.
        package let locked: LockVerdict
        /// Nil where there is nothing to run.
        package var context: ReplayContext?
        var fresh: FreshInstall?
        /// The comparisons that were made, by schema and version.
        fileprivate let drifts = FactCache<Int, Drift>()

        package var set: MigrationSet { loaded.set }
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
    package func schema(_ connection: any Connection) throws -> SchemaCache.Reading {
        try (context?.schemas ?? SchemaCache()).read(connection, historyTables: set.format.ownTables)
    }

    /// Compares a schema with a fresh install of the version that the history says.
    package func drift(_ reading: SchemaCache.Reading, _ history: AppliedHistory) -> Drift {
        let known = Set(history.identifiers)
        let count = set.migrations.count { known.contains($0.identifier) }
        guard count == known.count, history.code.isEmpty,
            set.migrations.prefix(count).allSatisfy({ known.contains($0.identifier) })
        else {
            return .notChecked(.undecided("no fresh install has exactly the migrations that it has applied"))
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
