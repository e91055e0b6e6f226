import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import DrydockState
import SQLiteSchema
import Synchronization

/// Runs a step on rows that the constraints allow and that few would expect, beside the ordinary ones.
///
/// SQLite may do only so much with them. What is more is tried with one table's rows at a time, then with fewer rows.
struct EdgeTrial {
    var fixture: StepFixture
    let source: ProbeSource
    let schema: Schema
    /// The schemas that the step and later ones lead to.
    let later: [Schema]

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
        /// Whether rows were tried in parts, or fewer of them.
        var isReduced = false
        /// The tables whose rows were not tried to the end.
        var untried: Set<String> = []
    }

    /// Returns what only such rows show.
    /// - Parameter known: what ordinary rows show.
    /// - Parameter runs: how often a step may still be run in search of the fewest rows.
    /// - Parameter retries: how often rows may still be tried in parts, or fewer of them.
    func outcome(
        except known: Set<FindingIdentity>, _ runs: inout Int, _ retries: inout Int
    ) async throws -> Outcome {
        var outcome = Outcome()
        var seen = known
        var parts = [Part(tables: tables)]
        var idle: [Set<Int>?] = []
        while let part = parts.popLast(), !part.tables.isEmpty {
            guard let attempt = try await attempt(part) else {
                let smaller = part.smaller.prefix(retries)
                retries -= smaller.count
                outcome.isReduced = true
                outcome.untried.formUnion(
                    smaller.reduce(into: part.tables) { $0.subtract($1.tables) })
                parts += smaller.reversed()
                continue
            }
            outcome.without += attempt.without
            outcome.isCut = outcome.isCut || attempt.isCut
            if attempt.isStopped { outcome.untried.formUnion(part.tables) }
            for trial in attempt.trials {
                outcome.findings += try await warnings(of: trial, &seen, outcome.findings.count, &runs)
            }
            idle.append(attempt.trials.last?.found.idle)
        }
        outcome.isReduced = outcome.isReduced || !outcome.untried.isEmpty
        outcome.idle = idle.first.flatMap { first in
            idle.dropFirst().reduce(first) { known, next in next.flatMap { known?.intersection($0) } }
        }
        return outcome
    }

    // MARK: - What is tried at once

    /// The rows that are tried at once: some of those of some tables.
    private struct Part {
        var tables: Set<String>
        /// One in so many rows is made.
        var share = 1

        /// What is tried in its place if it takes too long.
        var smaller: [Part] {
            if tables.count > 1 { return tables.sorted().map { Part(tables: [$0]) } }
            return share < 8 ? [Part(tables: tables, share: share * 2)] : []
        }
    }

    private struct Attempt {
        /// What the step gave on a state, and on another one without the rows that stop it.
        var trials: [Tried] = []
        var without: [GeneratedRows.EmptyTable] = []
        var isCut = false
        /// Whether the search for the rows that do not stop the step took too long.
        var isStopped = false
    }

    /// - Returns: nil where it takes too long.
    private func attempt(_ part: Part) async throws -> Attempt? {
        var attempt = Attempt()
        let tried = try await limited { try await $0.run(part) }
        guard let (made, first) = tried else { return nil }
        if let limit = source.options.edgeRowLimit, made.rows.count > limit { return nil }
        attempt.without = made.empty
        guard let first else { return attempt }
        attempt.trials.append(first)
        // Rows that stop the step hide what it does to the others.
        guard first.found.findings.contains(where: { $0.rule == .migrationFailed }) else { return attempt }
        guard let second = try await limited({ try await $0.run(surviving: made.rows) }) else {
            attempt.isStopped = true
            return attempt
        }
        if let second { attempt.trials.append(second) } else { attempt.isCut = true }
        return attempt
    }

    /// - Returns: nil where it takes too long.
    private func limited<Result>(_ body: (EdgeTrial) async throws -> Result) async throws -> Result? {
        var trial = self
        let work = WorkLimit(steps: workLimit)
        trial.fixture.work = work
        do {
            let result = try await body(trial)
            // Not every caller of SQLite reports that it was interrupted.
            return work.hasStopped ? nil : result
        } catch let error as EngineError where error.isInterrupt && work.hasStopped {
            return nil
        }
    }

    /// How much SQLite may do for one part: a second or two, and longer where the whole run may take longer. What never
    /// ends is stopped in any case: no user's row made it so.
    private var workLimit: Int {
        let (options, standard) = (source.options, 100_000_000)
        return options.edgeInstructionLimit ?? fixture.context.timeShare.map { standard * $0 }
            ?? max(standard, options.instructionLimit)
    }

    private typealias Tried = (state: DatabaseState, found: StepFixture.Trial)

    /// Runs the step on unusual rows.
    private func run(_ part: Part) async throws -> (made: GeneratedRows, tried: Tried?) {
        var request = RowRequest(schema: schema, tables: part.tables)
        request.later = later
        request.statements = source.statements
        (request.rowCount, request.seed) = (source.options.rowCount, source.options.seed)
        request.edgeShare = part.share
        let made = try await rows(request)
        guard !made.rows.isEmpty, let state = try await state(with: made.rows) else { return (made, nil) }
        return (made, (state, try await fixture.trial(from: state, explains: true)))
    }

    /// Runs the step on those rows with which it comes to its end; nil where none are found.
    private func run(surviving rows: [GeneratedRow]) async throws -> Tried? {
        var attempts = 0
        let surviving = try await surviving(rows, &attempts)
        guard !surviving.isEmpty, let state = try await state(with: surviving) else { return nil }
        return (state, try await fixture.trial(from: state, explains: true))
    }

    /// The tables that get such rows: those that the step touches, with those that refer to them. What a command reads is
    /// not known: all tables, unless they are many.
    private var tables: Set<String> {
        let touched = StepTables(fixture, in: schema, needsRows: true)
        guard fixture.context.command != nil else { return touched.withChildren.subtracting(tablesOfTool) }
        let all = Set(schema.tables.keys).union(schema.virtualTables.keys)
        let isAny = all.count <= Self.tableLimit || touched.named.isEmpty
        return (isAny ? all : touched.withChildren).subtracting(tablesOfTool)
    }

    /// The folded names of the tables in which the project's tool records what it applied.
    private var tablesOfTool: Set<String> {
        fixture.context.command?.format.tablesOfTool
            ?? Set(fixture.context.set.format.sharedTables.map(\.foldedASCII))
    }

    private func rows(_ request: RowRequest) async throws -> GeneratedRows {
        let (generator, log, enforces) = (source.generator, RowLog(), enforcesForeignKeys)
        _ = try await fixture.state(over: fixture.before) { connection in
            if enforces { try connection.execute("PRAGMA foreign_keys = ON") }
            let rows = try generator.insertEdgeRows(request, on: connection)
            log.rows.withLock { $0 = rows }
            return false
        }
        return log.rows.withLock { $0 }
    }

    /// Returns the state before the step with more rows, and as if the last rows of each table had been deleted.
    private func state(with rows: [GeneratedRow]) async throws -> DatabaseState? {
        let (enforces, marks, own) = (enforcesForeignKeys, AutoincrementMarks(schema: schema), tablesOfTool)
        return try await fixture.state(over: fixture.before) { connection in
            try Self.insert(rows, enforcingForeignKeys: enforces, on: connection)
            try marks.raise(except: own, on: connection)
            return true
        }
    }

    /// Whether a project enforces foreign keys is not known where its own command migrates: most do.
    private var enforcesForeignKeys: Bool { fixture.context.command != nil }

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

    /// Returns the findings of a trial that are new, as warnings with the fewest rows that show them.
    /// - Parameter count: how many there are of other trials.
    private func warnings(
        of trial: Tried, _ seen: inout Set<FindingIdentity>,
        _ count: Int, _ runs: inout Int
    ) async throws -> [Finding] {
        var result: [Finding] = []
        for var finding in trial.found.findings
        where finding.severity > .note && seen.insert(FindingIdentity(finding)).inserted {
            if count + result.count < Self.searchLimit {
                var fixture = fixture
                fixture.work = WorkLimit(steps: 3 * workLimit)
                let search = CounterexampleSearch(fixture: fixture, schema: schema, start: trial.state)
                finding.counterexample = try await search.counterexample(of: finding, &runs)
            }
            finding.severity = .warning
            finding.tags = [.probe]
            result.append(finding)
        }
        return result
    }

    /// Returns rows with which the step does not fail: those of both halves that survive together.
    private func surviving(_ rows: [GeneratedRow], _ runs: inout Int) async throws -> [GeneratedRow] {
        guard !rows.isEmpty, runs < (fixture.context.command == nil ? Self.runLimit : Self.commandRunLimit)
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
        return try await fixture.outcome(from: fixture.before) {
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
    package var statement: String {
        let names = columns.map(quotedName).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return columns.isEmpty
            ? "INSERT INTO \(quotedName(table)) DEFAULT VALUES"
            : "INSERT INTO \(quotedName(table)) (\(names)) VALUES (\(marks))"
    }
}
