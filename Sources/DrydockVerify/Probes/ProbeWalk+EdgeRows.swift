import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import SQLiteSchema

/// The rows that few would expect, on which each step runs once more.
extension ProbeWalk {
    private var remedy: String {
        context.timeShare == nil ? "" : "; --timeout 1h, or none, gives it more time"
    }

    /// Whether a migration is to be run on unusual rows. A run of the project's own command takes long: it is not run
    /// where there is no table yet, nor more often than there is time. That a migration touches no ordinary row says
    /// nothing: its condition may be one that only unusual rows meet.
    private mutating func isWorthEdgeRows(_ fixture: StepFixture, _ migration: Migration) -> Bool {
        guard let command = context.command else { return true }
        let tables = Set(fixture.before.catalog.tables.keys).subtracting(command.format.tablesOfTool)
        guard !tables.isEmpty else { return false }
        let isLate = parent.watchdog.deadline.map { $0 - .now < context.timeLimit / 2 } ?? false
        guard context.timeShare == nil || commandRuns > 0 && !isLate else {
            withoutEdgeRows.append(migration.identifier)
            return false
        }
        commandRuns -= 1
        return true
    }

    /// Notes the migrations that were not run on unusual rows.
    mutating func noteLeftOut() {
        guard let first = withoutEdgeRows.first else { return }
        let count = counted(withoutEdgeRows.count, "migration")
        record.notChecked(
            .migrationFailed,
            .undecided(
                "\(count) from \(first) on did not run on unusual rows: each set of rows needs another run of the project's command"
                    + remedy
            ))
    }

    /// Runs a migration once more, on rows that few would expect.
    /// - Returns: the statements that found none of them, by index; nil where that is not known.
    mutating func tryEdgeRows(_ migration: Migration, _ before: DatabaseState) async throws -> Set<Int>? {
        guard var fixture = fixtures[migration.identifier], isWorthEdgeRows(fixture, migration) else {
            return nil
        }
        let seconds = record.result.summary.steps.last?.seconds ?? 0
        let usual = Duration.seconds(5) + .seconds(10 * seconds)
        fixture.commandLimit = usual * (context.timeShare ?? 60)
        let known = Set(record.steps.findingsOfLastStep.map(FindingIdentity.init))
        let index = context.set.index(of: migration.identifier) ?? 0
        do {
            var schema = reader.schema(of: before.catalog)
            if context.command == nil {
                let touched = StepTables(fixture, in: schema, needsRows: true)
                guard !touched.named.isEmpty else { return nil }
                if let excerpt = StepExcerpt(touched, of: schema) {
                    fixture = try await excerpt.excerpt(of: fixture)
                    schema = reader.schema(of: fixture.before.catalog)
                }
            }
            let trial = EdgeTrial(
                fixture: fixture, source: parent.source, schema: schema, later: later.after(index))
            let outcome = try await trial.outcome(except: known, &runs, &edgeRetries)
            take(outcome, migration)
            return outcome.idle
        } catch is CommandFailure where !parent.watchdog.isTripped {
            // It was ended, and the ordinary rows were checked.
            record.notChecked(
                .migrationFailed,
                .undecided(
                    "\(migration.identifier) was not tried with every set of unusual rows, since the project's command takes "
                        + "too long\(remedy)"))
            return nil
        }
    }

    /// Notes the rows that were not tried, or not together.
    private mutating func noteReduction(_ outcome: EdgeTrial.Outcome, _ migration: Migration) {
        guard outcome.isReduced else { return }
        let tables = outcome.untried.sorted().map { name in
            fixtures[migration.identifier]?.before.catalog.tables[name]?.name ?? name
        }
        let fact =
            tables.isEmpty
            ? "was tried with fewer unusual rows, or with those of one table at a time, since all together take too long"
            : "was not tried with every set of unusual rows of \(listed(tables)), since that takes too long"
        record.notChecked(
            .migrationFailed,
            .undecided("\(migration.identifier) \(fact)\(remedy)"))
    }

    private mutating func take(_ outcome: EdgeTrial.Outcome, _ migration: Migration) {
        for finding in outcome.findings { record.add(finding) }
        for table in outcome.without where empty[table.table.foldedASCII] == nil {
            let folded = table.table.foldedASCII
            guard ordinaryOnly.insert(folded).inserted else { continue }
            record.notChecked(
                .rowsLost,
                .noUnusualRows(table: table.table, before: migration.identifier, because: table.reason))
        }
        noteReduction(outcome, migration)
        guard outcome.isCut else { return }
        record.notChecked(
            .rowsLost,
            .undecided(
                "\(migration.identifier) fails with every set of unusual rows that was tried, so what else it does to such "
                    + "rows was not checked"))
    }
}
