import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// What to search for after each statement.
enum CulpritProbe: Sendable {
    /// A row that is gone or, with the position of a column pair, a value of it that changed.
    case row(TableMatch, TableDifference.Locator?, column: Int?)
    /// Rows that a table has more than before.
    case added(TableMatch)
    /// A fault of which the state has more than the baseline.
    case fault(any StateRule, Fault.ID, baseline: Int)

    var isOfRow: Bool { if case .fault = self { false } else { true } }
}

/// Finds the statement that caused a finding: runs the migration again on a fork, and searches for the fault after each
/// statement. It costs nothing when there are no findings.
struct CulpritSearch: Sendable {
    let migration: Migration
    let before: DatabaseState
    let engine: any Engine
    let inspector: StateInspector

    /// A closure that goes row by row runs so many statements that searching after each would take minutes.
    private static let statementLimit = 2_000

    /// Returns the findings with the statements that caused them, where one did.
    func placing(_ findings: [StepFinding]) async throws -> [StepFinding] {
        let probes = findings.enumerated().compactMap { index, finding in finding.probe.map { (index, $0) } }
        guard !probes.isEmpty, migration.statements.count <= Self.statementLimit else { return findings }
        let statements = try await search(probes.map(\.1))
        var findings = findings
        for ((index, _), statement) in zip(probes, statements) {
            guard let statement else { continue }
            findings[index].finding.place = .init(migration.statements[statement])
            findings[index].culprit = statement
        }
        return findings
    }

    private func search(_ probes: [CulpritProbe]) async throws -> [Int?] {
        // Nothing else can have changed a row.
        if migration.statements.count == 1, probes.allSatisfy(\.isOfRow) { return probes.map { _ in 0 } }
        let fork = StepFork(migration: migration, before: before, engine: engine, inspector: inspector)
        let (migration, catalog) = (migration, before.catalog)
        let historyTables = inspector.historyTables
        let end = TableLineage(catalog, statements: migration.statements)
        do {
            return try await fork.withConnection { connection in
                var lineage = TableLineage(catalog)
                var traces = probes.map { Trace($0, from: lineage, through: migration.statements, to: end) }
                try fork.run(on: connection) { index in
                    lineage.apply(migration.statements[index], at: index)
                    let point = StatementPoint(
                        connection: connection, lineage: lineage, action: lineage.actions[index],
                        index: index, beforeSchema: StepFork.beforeSchema, historyTables: historyTables)
                    for trace in traces.indices { traces[trace].look(point) }
                }
                return traces.map(\.culprit)
            }
        } catch let error as EngineError where error.isInterrupt {
            throw error
        } catch {
            // The place of a finding is only helpful; the finding stands without it.
            return probes.map { _ in nil }
        }
    }
}

/// A migration after one of its statements.
struct StatementPoint {
    let connection: any Connection
    let lineage: TableLineage
    let action: StatementAction
    let index: Int
    let beforeSchema: String
    let historyTables: [String]
}

/// What a probe searches for, statement by statement.
enum Trace {
    case row(RowTrace)
    case count(RowCountTrace)
    case fault(FaultTrace)

    init(
        _ probe: CulpritProbe, from start: TableLineage, through statements: [SQLStatement],
        to end: TableLineage
    ) {
        switch probe {
        case .row(let match, let row, let column):
            self = .row(RowTrace(match, row, column, from: start, through: statements, to: end))
        case .added(let match): self = .count(RowCountTrace(match, from: start, to: end))
        case .fault(let rule, let id, let baseline):
            self = .fault(FaultTrace(rule: rule, id: id, baseline: baseline))
        }
    }

    var culprit: Int? {
        switch self {
        case .row(let trace): trace.culprit
        case .count(let trace): trace.culprit
        case .fault(let trace): trace.brokenBy
        }
    }

    mutating func look(_ point: StatementPoint) {
        switch self {
        case .row(var trace):
            trace.look(point)
            self = .row(trace)
        case .count(var trace):
            trace.look(point)
            self = .count(trace)
        case .fault(var trace):
            trace.look(point)
            self = .fault(trace)
        }
    }
}
