import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Searches for the fewest and simplest rows on which a step still gives a finding.
///
/// The candidates are the rows that the step met, in the tables that it can touch. They are inserted into the schema of
/// that version, and the step is run again: first without whole tables, then without rows, then with fewer and simpler
/// values (https://www.st.cs.uni-saarland.de/papers/tse2002/).
struct CounterexampleSearch {
    let fixture: StepFixture
    let schema: Schema
    /// The state whose rows are tried; that before the step where nil.
    var start: DatabaseState?

    /// How often the step is run for one finding; a run of the project's own command takes a hundred times as long.
    private var runLimit: Int { isOfCommand ? 24 : 60 }
    /// How often steps are run for all findings of a walk.
    static func totalRunLimit(_ context: ReplayContext) -> Int { context.command == nil ? 240 : 48 }
    /// The largest number of rows that the search begins with.
    private static let rowLimit = 400

    /// - Returns: nil where the rows that the step can touch do not show it on their own.
    /// - Parameter runs: how often a step may still be run.
    /// - Throws: CancellationError. What else goes wrong costs only the rows: the finding stands without them.
    func counterexample(of finding: Finding, _ runs: inout Int) async throws -> Counterexample? {
        do {
            return try await search(for: finding, &runs)
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }

    private func search(for finding: Finding, _ runs: inout Int) async throws -> Counterexample? {
        var limit = min(runLimit, runs)
        guard limit > 0 else { return nil }
        let state = start ?? fixture.before
        let database = TrialDatabase(fixture: fixture, schema: schema, state: state)
        let identity = FindingIdentity(finding)
        let touched = touched(by: finding)
        for tables in [touched.withNeededParents(finding.table), touched.family] {
            // The project's code may use any table.
            let needed = isOfCommand ? nil : touched.withParents(tables)
            let definitions = try await database.definitions(of: needed)
            guard let bare = try await database.bare(definitions.map(\.sql)) else { continue }
            let candidates =
                try await marks(of: tables, finding, state) + rows(of: tables, finding, in: database)
            guard candidates.count <= Self.rowLimit else { continue }
            // No other rule can give the finding; GRDB's own check refuses by the keys.
            var fixture = fixture
            fixture.rules = [finding.rule, .foreignKeyViolation]
            let trial = CounterexampleTrial(
                fixture: fixture, origin: state, bare: bare, identity: identity, severity: finding.severity)
            let allowsOrphans = try await trial.hasOrphans(candidates)
            let links = RowLinks(schema, focus: finding.table, allowsOrphans: allowsOrphans)
            var start = candidates
            let guess = EvidenceRows(finding, schema, encoding: state.catalog.encoding).rows(of: candidates)
            if isOfCommand, limit > 1, !guess.isEmpty {
                (limit, runs) = (limit - 1, runs - 1)
                if try await trial.shows(guess, allowsOrphans: allowsOrphans) { start = guess }
            }
            let work = fixture.work
            var reduction = RowReduction(start, limit: limit, links: links) { rows in
                if work?.hasStopped == true { return false }
                do {
                    return try await trial.shows(rows, allowsOrphans: allowsOrphans)
                } catch let error as EngineError where error.isInterrupt && work?.hasStopped == true {
                    return false
                }
            }
            let isShown = try await reduction.run()
            (limit, runs) = (limit - reduction.runs, runs - reduction.runs)
            guard isShown else { continue }
            return try await result(reduction, definitions, tables, database)
        }
        return nil
    }

    private var isOfCommand: Bool { fixture.context.command != nil }

    /// Returns the tables that the step touches; of a command that failed, those that it printed.
    private func touched(by finding: Finding) -> StepTables {
        let known = StepTables(fixture, in: schema)
        guard isOfCommand else { return known }
        let all = StepTables(names: Set(schema.tables.keys), in: schema)
        guard finding.rule == .migrationFailed else { return known.named.isEmpty ? all : known }
        let words = (finding.evidence?.details ?? []).flatMap {
            $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map { String($0).foldedASCII }
        }
        let printed = Set(words).intersection(schema.tables.keys)
        if !printed.isEmpty { return StepTables(names: printed, in: schema) }
        return known.named.isEmpty ? all : known
    }

    private func result(
        _ reduction: RowReduction, _ definitions: [TrialDatabase.Definition], _ tables: Set<String>,
        _ database: TrialDatabase
    ) async throws -> Counterexample {
        let encoding = fixture.before.catalog.encoding
        let own = fixture.context.set.format.ownTables.map(\.foldedASCII)
        // The command asks the history what is to be done.
        let history = isOfCommand ? try await database.historyRows() : []
        var example = Counterexample(
            schema: definitions.filter { isOfCommand || !$0.isHistory }.map(\.sql)
                + history.map { $0.text(encoding) },
            inserts: reduction.rows.map { $0.text(encoding) },
            migration: StepScript(fixture).statements,
            tables: tables.subtracting(own).sorted()
                .compactMap { fixture.before.catalog.table($0)?.name },
            tried: reduction.runs,
            isSmallest: reduction.isFinished && fixture.work?.hasStopped != true)
        example.command = StepScript.commandLine(fixture)
        example.readsQuotedText = try await fixture.readsQuotedText()
        return example
    }

    // MARK: - The rows

    /// Returns the marks of AUTOINCREMENT tables, where the finding is about them.
    private func marks(of tables: Set<String>, _ finding: Finding, _ state: DatabaseState) -> [GeneratedRow] {
        finding.rule == .autoincrementReset ? state.marks(of: tables.sorted()) : []
    }

    /// Returns the rows of tables, parents before children, without those that are derived from others.
    /// - Parameter finding: with one of a full-text index, rows have their numbers, by which it finds them.
    private func rows(
        of tables: Set<String>, _ finding: Finding, in database: TrialDatabase
    ) async throws -> [GeneratedRow] {
        let own = Set(database.recordingTables.map(\.foldedASCII))
        let order = ParentsFirst(schema).order(tables.subtracting(own))
        let (catalog, schema) = (database.state.catalog, schema)
        return try await fixture.inspector.withConnection(to: database.state.image) { connection in
            var rows: [GeneratedRow] = []
            for name in order {
                guard let table = catalog.tables[name], table.keepsRows else { continue }
                let foreign = schema.tables[name]?.columnsWithoutParent(among: tables) ?? []
                var columns = table.storedColumns.map(\.name).filter { !foreign.contains($0.foldedASCII) }
                guard !columns.isEmpty else { continue }
                if finding.rule == .searchIndexStale, let rowid = schema.tables[name]?.hiddenRowid {
                    columns.insert(rowid, at: 0)
                }
                let list = columns.map(quotedName).joined(separator: ", ")
                let found = try? connection.rows(
                    "SELECT \(list) FROM main.\(quotedName(table.name)) LIMIT \(Self.rowLimit)"
                ) { row in
                    GeneratedRow(
                        table: table.name, columns: columns, values: columns.indices.map(row.value))
                }
                rows += found ?? []
            }
            return rows
        }
    }
}

/// Runs a step on given rows alone.
package struct CounterexampleTrial: Sendable {
    package let fixture: StepFixture
    /// The state that the rows are from.
    package let origin: DatabaseState
    /// Its schema without rows.
    package let bare: DatabaseState
    package let identity: FindingIdentity
    package let severity: Finding.Severity
    /// Why the finding must be there; nil where any cause will do.
    package var cause: FindingCause?

    package init(
        fixture: StepFixture, origin: DatabaseState, bare: DatabaseState, identity: FindingIdentity,
        severity: Finding.Severity, cause: FindingCause? = nil
    ) {
        self.fixture = fixture
        self.origin = origin
        self.bare = bare
        self.identity = identity
        self.severity = severity
        self.cause = cause
    }

    /// Whether the step gives the finding on these rows.
    package func shows(_ rows: [GeneratedRow], allowsOrphans: Bool) async throws -> Bool {
        if let cause { return try await shown(rows, allowsOrphans).contains { $0.cause == cause } }
        do {
            guard let state = try await state(rows, allowsOrphans), !breaksRule(state) else { return false }
            return try await !findings(from: state, explains: false).isEmpty
        } catch let error as EngineError where !error.isInterrupt {
            return false
        }
    }

    /// Returns the findings of these rows that may be the one, each with its cause.
    package func shown(
        _ rows: [GeneratedRow], _ allowsOrphans: Bool
    ) async throws -> [(finding: Finding, cause: FindingCause)] {
        do {
            guard let state = try await state(rows, allowsOrphans), !breaksRule(state) else { return [] }
            var shown: [(Finding, FindingCause)] = []
            for finding in try await findings(from: state, explains: true) {
                shown.append((finding, try await fixture.cause(of: finding, from: state)))
            }
            return shown
        } catch let error as EngineError where !error.isInterrupt {
            return []
        }
    }

    private func findings(from state: DatabaseState, explains: Bool) async throws -> [Finding] {
        try await fixture.findings(from: state, explains: explains).filter {
            FindingIdentity($0).matches(identity) && $0.severity >= severity
        }
    }

    /// Whether rows break the rule before the step has run, which those of the snapshot do not: a full-text index that was
    /// never filled, for example. They would show another finding.
    private func breaksRule(_ state: DatabaseState) -> Bool {
        let known = Set(origin.faults.map(\.id))
        return state.faults.contains { $0.id.rule == identity.rule && !known.contains($0.id) }
    }

    /// Whether some of the rows refer to rows that are not there.
    package func hasOrphans(_ rows: [GeneratedRow]) async throws -> Bool {
        try await state(rows, false) == nil
    }

    /// Returns the database with these rows.
    /// - Parameter refused: is called with the index of a row that is there already, as one that a trigger wrote.
    /// - Returns: nil where another row was refused, or refers to one that is not there.
    package func state(
        _ rows: [GeneratedRow], _ allowsOrphans: Bool,
        refused: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> DatabaseState? {
        let encoding = bare.catalog.encoding
        return try await fixture.state(over: bare) { connection in
            let enforces = try connection.firstRow("PRAGMA foreign_keys") { $0.integer(0) != 0 } ?? false
            try connection.execute("PRAGMA foreign_keys = OFF")
            defer { if enforces { try? connection.execute("PRAGMA foreign_keys = ON") } }
            for (index, row) in rows.enumerated() {
                do {
                    try connection.execute(row.text(encoding))
                } catch let error as EngineError where !error.isInterrupt {
                    guard error.code == .constraint else { return false }
                    refused(index)
                }
            }
            if allowsOrphans { return true }
            return try connection.firstRow("PRAGMA foreign_key_check") { _ in } == nil
        }
    }
}

extension Table {
    /// The folded names of the columns that refer to a table which is left out, and may be NULL instead.
    package func columnsWithoutParent(among tables: Set<String>) -> Set<String> {
        Set(
            foreignKeys.filter { !tables.contains($0.parent.foldedASCII) && !needsParent($0) }
                .flatMap(\.columns).filter { name in column(name).map { !isNotNull($0) } ?? false }
                .map(\.foldedASCII))
    }
}
