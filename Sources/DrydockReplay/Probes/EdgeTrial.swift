import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema
import Synchronization

/// Runs a step on rows that the constraints allow and that few would expect, beside the ordinary ones.
struct EdgeTrial {
    let scene: StepScene
    let source: ProbeSource
    let schema: Schema
    /// The schemas that the step and later ones lead to.
    let later: [Schema]

    /// How much SQLite may do with these rows; a second or two.
    static let workLimit = 100_000_000
    /// How often the step is run in search of the rows that it survives.
    private static let runLimit = 48
    private static let commandRunLimit = 16
    /// The largest number of tables that all get rows.
    private static let tableLimit = 60
    /// For how many findings the fewest rows are searched.
    private static let searchLimit = 4

    struct Outcome: Sendable {
        /// Warnings, with the fewest rows that show them.
        var findings: [Finding] = []
        /// The tables that got no such row.
        var without: [GeneratedRows.EmptyTable] = []
        /// Whether the step failed, and no rows were found with which it comes to an end.
        var isCut = false
        /// The statements that chose rows and found none of those either, by index; nil where that is not known.
        var idle: Set<Int>?
    }

    /// Returns what only such rows show.
    /// - Parameter known: what ordinary rows show.
    /// - Parameter runs: how often a step may still be run in search of the fewest rows.
    func outcome(except known: Set<FindingIdentity>, _ runs: inout Int) async throws -> Outcome {
        var outcome = Outcome()
        let tables = tables
        guard !tables.isEmpty else { return outcome }
        var request = RowRequest(schema: schema, tables: tables)
        request.later = later
        request.statements = source.statements
        (request.rowCount, request.seed) = (source.options.rowCount, source.options.seed)
        let made = try await rows(request)
        let generated = made.rows
        outcome.without = made.empty
        guard !generated.isEmpty, let state = try await state(with: generated) else { return outcome }
        (outcome.findings, outcome.idle) = try await new(from: state, known, limit: Self.searchLimit, &runs)
        // Rows that stop the step hide what it does to the others.
        guard outcome.findings.contains(where: { $0.rule == .migrationFailed }) else { return outcome }
        var attempts = 0
        let surviving = try await surviving(generated, &attempts)
        guard !surviving.isEmpty, let state = try await self.state(with: surviving) else {
            outcome.isCut = true
            return outcome
        }
        let seen = known.union(outcome.findings.map(FindingIdentity.init))
        let others = try await new(from: state, seen, limit: Self.searchLimit - 1, &runs)
        outcome.findings += others.findings
        outcome.idle = others.idle
        return outcome
    }

    /// The tables that get such rows: those that the step touches, with those that refer to them. What a command reads is
    /// not known: all tables, unless they are many.
    private var tables: Set<String> {
        let touched = StepTables(scene, in: schema, needsRows: true)
        guard let command = scene.context.command else { return touched.withChildren }
        let all = Set(schema.tables.keys).union(schema.virtualTables.keys)
        let isAny = all.count <= Self.tableLimit || touched.named.isEmpty
        return (isAny ? all : touched.withChildren)
            .subtracting(command.format.tablesOfTool)
    }

    private func rows(_ request: RowRequest) async throws -> GeneratedRows {
        let (generator, log, enforces) = (source.generator, RowLog(), enforcesForeignKeys)
        _ = try await scene.state(over: scene.before) { connection in
            if enforces { try connection.execute("PRAGMA foreign_keys = ON") }
            let rows = try generator.insertEdgeRows(request, on: connection)
            log.rows.withLock { $0 = rows }
            return false
        }
        return log.rows.withLock { $0 }
    }

    private func state(with rows: [GeneratedRow]) async throws -> DatabaseState? {
        let enforces = enforcesForeignKeys
        return try await scene.state(over: scene.before) { connection in
            try Self.insert(rows, enforcingForeignKeys: enforces, on: connection)
            return true
        }
    }

    /// Whether a project enforces foreign keys is not known where its own command migrates: most do.
    private var enforcesForeignKeys: Bool { scene.context.command != nil }

    private static func insert(
        _ rows: [GeneratedRow], enforcingForeignKeys: Bool, on connection: any Connection
    ) throws {
        if enforcingForeignKeys { try connection.execute("PRAGMA foreign_keys = ON") }
        try connection.execute("BEGIN")
        var statements: [String: any PreparedStatement] = [:]
        for row in rows {
            do {
                let text = row.statement
                let statement = try statements[text] ?? connection.prepare(text)
                statements[text] = statement
                try statement.reset(binding: row.values)
                while try statement.step() {}
            } catch let error as EngineError where !error.isInterrupt {
                // A row that needs one that was left out is left out with it.
            }
        }
        try connection.execute("COMMIT")
    }

    private func new(
        from state: DatabaseState, _ known: Set<FindingIdentity>, limit: Int, _ runs: inout Int
    ) async throws -> (findings: [Finding], idle: Set<Int>?) {
        var seen = known
        var result: [Finding] = []
        let trial = try await scene.trial(from: state, explains: true)
        for var finding in trial.findings
        where finding.severity > .note && seen.insert(FindingIdentity(finding)).inserted {
            if result.count < limit {
                let search = CounterexampleSearch(scene: scene, schema: schema, start: state)
                finding.counterexample = try await search.counterexample(of: finding, &runs)
            }
            finding.severity = .warning
            finding.tags = [.probe]
            result.append(finding)
        }
        return (result, trial.idle)
    }

    /// Returns rows with which the step does not fail: those of both halves that survive together.
    private func surviving(_ rows: [GeneratedRow], _ runs: inout Int) async throws -> [GeneratedRow] {
        guard !rows.isEmpty, runs < (scene.context.command == nil ? Self.runLimit : Self.commandRunLimit)
        else {
            return []
        }
        runs += 1
        if try await survives(rows) { return rows }
        guard rows.count > 1 else { return [] }
        let first = try await surviving(Array(rows.prefix(rows.count / 2)), &runs)
        let second = try await surviving(Array(rows.dropFirst(rows.count / 2)), &runs)
        guard !first.isEmpty, !second.isEmpty else { return first + second }
        runs += 1
        return try await survives(first + second) ? first + second : first
    }

    private func survives(_ rows: [GeneratedRow]) async throws -> Bool {
        let enforces = enforcesForeignKeys
        return try await scene.outcome(from: scene.before) {
            try Self.insert(rows, enforcingForeignKeys: enforces, on: $0)
        }.failure == nil
    }
}

/// Takes rows out of a connection's closure.
private final class RowLog: Sendable {
    let rows = Mutex(GeneratedRows())
}

extension GeneratedRow {
    /// The INSERT, with a parameter for each value.
    var statement: String {
        let names = columns.map(quotedName).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return columns.isEmpty
            ? "INSERT INTO \(quotedName(table)) DEFAULT VALUES"
            : "INSERT INTO \(quotedName(table)) (\(names)) VALUES (\(marks))"
    }
}
