import DrydockFindings
import DrydockMigrations
import DatabaseEngine

extension SnapshotReplay {
    /// Reads from the database which migrations are pending; nil when that is not recorded, or its tool would run none.
    mutating func makePlan(_ database: any OpenDatabase) async throws -> ReplayPlan? {
        let set = context.set
        // Without a history, a snapshot is taken for the state that, by the project's settings, existed before the
        // first migration.
        let history =
            try await database.withConnection { try set.history($0) }
            ?? set.base.map { _ in AppliedHistory([]) }
        guard let history else {
            add(ReplayPlan.unknownVersion(of: snapshot, set))
            return nil
        }
        let plan = ReplayPlan(history: history, set: set, targetCount: context.targetCount)
        result.summary.start = try await database.withConnection { try plan.start(on: $0) }
        result.summary.from = plan.from
        result.summary.to = plan.from
        result.isUpToDate = plan.pending.isEmpty
        result.applied = Set(history.identifiers)
        for finding in plan.findings(for: snapshot) { add(finding) }
        return plan.isRefused ? nil : plan
    }

    /// Notes whether the snapshot has what a fresh install lacks.
    mutating func lookForExpectedName(_ database: any OpenDatabase) async throws {
        guard let name = fresh.failure?.expectedName else { return }
        result.hasExpectedName = try await database.withConnection { connection in
            let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE"
            return try connection.firstRow(sql, [SQLValue(name)], { _ in }) != nil
        }
    }
}
