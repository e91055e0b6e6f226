import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds out whether a trigger is the cause of what a statement did to rows: the step is run again on a fork, without the
/// triggers that the statement fires.
struct TriggerCause: Sendable {
    let fork: StepFork

    /// - Throws: ``EngineError`` where the run was stopped.
    func explaining(_ findings: [StepFinding]) async throws -> [StepFinding] {
        let hasTriggers =
            fork.before.catalog.objects.values.contains { $0.kind == .trigger }
            || fork.migration.statements.contains {
                if case .createTrigger = $0.action { true } else { false }
            }
        guard hasTriggers else { return findings }
        var findings = findings
        let suspects = findings.indices.filter { findings[$0].probe?.isOfRow == true }
        for (culprit, places) in Dictionary(grouping: suspects, by: { findings[$0].culprit }) {
            guard let culprit else { continue }
            try await explain(&findings, at: places, culprit)
        }
        return findings
    }

    /// Runs the step up to a statement, and that one without its triggers.
    private func explain(_ findings: inout [StepFinding], at places: [Int], _ culprit: Int) async throws {
        let (fork, catalog, probes) = (fork, fork.before.catalog, places.compactMap { findings[$0].probe })
        let statement = fork.migration.statements[culprit]
        let end = TableLineage(catalog, statements: fork.migration.statements)
        let found: (triggers: FiredTriggers, isCause: [Bool], lineage: TableLineage)?
        do {
            found = try await fork.withConnection { connection in
                var lineage = TableLineage(catalog)
                var traces = probes.map {
                    Trace($0, from: lineage, through: fork.migration.statements, to: end)
                }
                func look(_ index: Int) {
                    lineage.apply(fork.migration.statements[index], at: index)
                    let point = StatementPoint(
                        connection: connection, lineage: lineage, action: lineage.actions[index],
                        index: index, beforeSchema: StepFork.beforeSchema, historyTables: [])
                    for trace in traces.indices { traces[trace].look(point) }
                }
                try fork.run(upTo: culprit, on: connection, ran: look)
                guard let triggers = try FiredTriggers(statement, on: connection) else { return nil }
                try triggers.drop(on: connection)
                try MigrationRun.run(statement, at: culprit, on: connection)
                look(culprit)
                return (triggers, traces.map { $0.culprit != culprit }, lineage)
            }
        } catch let error as EngineError where error.isInterrupt {
            throw error
        } catch {
            // The cause is only helpful; the findings stand without it.
            return
        }
        guard let found else { return }
        let place = fork.migration.mention(culprit)
        for (index, isCause) in zip(places, found.isCause) where isCause {
            guard let table = findings[index].finding.table else { continue }
            let names = Set(
                [table.foldedASCII, found.lineage.currentName(of: table)].compactMap(\.self))
            findings[index].add(
                cause: found.triggers.cause(place, on: names), help: found.triggers.help(place, on: names))
        }
    }
}

/// Explains a statement that fails only because of a trigger that it fires.
struct TriggerExplainer: FailureExplainer {
    func explanation(of fixture: FailureFixture) throws -> FailureExplanation? {
        let connection = fixture.connection
        guard let statement = fixture.statement,
            let triggers = try FiredTriggers(statement, on: connection)
        else { return nil }
        try connection.execute("SAVEPOINT drydock_triggers")
        defer { try? connection.execute("ROLLBACK TO drydock_triggers; RELEASE drydock_triggers") }
        try triggers.drop(on: connection)
        do {
            try connection.execute(statement.executedText)
        } catch let error as EngineError where error.isStatementError {
            return nil
        }
        let place = fixture.migration.mention(fixture.index)
        let cause = triggers.cause(place, on: [])
        var explanation = FailureExplanation(
            detail: "; \(cause), and does not fail without", help: triggers.help(place, on: []))
        explanation.reason = cause
        return explanation
    }
}

extension StepFinding {
    /// Adds the cause, and what to do about it before anything else.
    package mutating func add(cause: String, help: Help) {
        isExplained = true
        finding.sentence += ": \(cause)"
        finding.add(reason: cause)
        finding.advice = help + "\n" + finding.advice
    }
}
