import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import DrydockState
import DrydockVerify
import OverlayVFS
import SQLiteSchema
import Synchronization

/// Makes the database and the migration of a finding as small as it can.
///
/// Rows are taken from a sample of the database, which grows until it shows the finding, and then go by delta debugging; so
/// do, after them, indexes, tables, statements and columns. What is left of values is replaced.
struct Shrinker {
    private var fixture: StepFixture
    private let finding: Finding
    private let schema: Schema
    private let identity: FindingIdentity
    /// Why the finding is there, which stays the same.
    private var cause: FindingCause?
    private let onStage: @Sendable (ShrinkStage) -> Void
    /// How often the step was run.
    private var runs = 0

    private var statements: [SQLStatement]
    /// The step with only these statements.
    private var reduced: StepFixture
    private var definitions: [String] = []
    private var goneColumns: [(table: String, column: String)] = []
    private var rows: [GeneratedRow] = []
    private var allowsOrphans = false
    /// Whether the search for the fewest rows came to its end.
    private var rowsAreFewest = false
    /// Rows that give the finding for another cause.
    private var substitute: Substitute?

    private struct Substitute {
        var definitions: [TrialDatabase.Definition]
        var rows: [GeneratedRow]
        var allowsOrphans: Bool
        var cause: FindingCause
    }

    /// How many larger samples are tried for the same cause, once one has shown another.
    private static let substituteSamples = 3

    /// How often the step is run for the rows.
    private static let rowRuns = 1000

    init(_ fixture: StepFixture, _ finding: Finding, _ onStage: @escaping @Sendable (ShrinkStage) -> Void) {
        (self.fixture, self.finding, self.onStage) = (fixture, finding, onStage)
        var reader = SchemaReader()
        schema = reader.schema(of: fixture.before.catalog)
        identity = FindingIdentity(finding)
        statements = fixture.allStatements
        reduced = fixture
    }

    /// Whether the finding is about the whole schema.
    private var comparesSchemas: Bool { finding.rule == .schemaMismatch }

    private var isStopped: Bool { fixture.watchdog.isTripped }

    struct Outcome: Sendable {
        /// The finding as the small database shows it, with its rows.
        var finding: Finding
        var state: DatabaseState
        var rowCount: Int
        var tables: [String]
        /// The migrations with the statements that are needed; those that need none are not among them.
        var migrations: [Migration]
        var statementCount: Int
        /// The columns that have values of the database, as "table.column".
        var keptColumns: [String]
        var runs: Int
        /// Whether the cause is that of the snapshot's finding.
        var isSameCause: Bool
        /// The statements that make the schema, without the tool's tables.
        var schema: [String]
        /// Whether the script was run and makes the rows of the database.
        var isScriptExact: Bool
    }

    /// - Parameters:
    ///   - keepsValues: whether values stay that need not be short.
    ///   - limit: the largest number of rows of a sample.
    /// - Returns: nil where no sample shows the finding.
    mutating func run(keepsValues: Bool, upTo limit: Int = RowSample.limit) async throws -> Outcome? {
        let state = fixture.before
        let touched =
            fixture.whole == nil
            ? StepTables(fixture, in: schema) : StepTables(fixture.allStatements, in: schema)
        let database = TrialDatabase(fixture: fixture, schema: schema, state: state)
        let all = Set(schema.tables.keys).union(schema.virtualTables.keys)
        do {
            cause = try await fixture.cause(of: finding, from: state)
        } catch  where isStopped {
            return nil
        }
        // What verify says of a replay may be about a table that no statement names.
        let attempts =
            [touched.withNeededParents(finding.table), touched.family] + (fixture.whole == nil ? [] : [all])
        for tables in attempts {
            // Any other object that is missing would differ from a fresh install as well.
            let known: [TrialDatabase.Definition]
            do {
                known = try await database.definitions(
                    of: comparesSchemas || tables == all ? nil : touched.withParents(tables))
                guard try await find(rowsOf: tables, known, limit, database) else { continue }
            } catch  where isStopped {
                break
            }
            return try await reduce(known, database, keepsValues)
        }
        guard let other = substitute else { return nil }
        (definitions, rows) = (other.definitions.map(\.sql), other.rows)
        (allowsOrphans, cause) = (other.allowsOrphans, other.cause)
        do {
            try await dropRows(database)
        } catch  where isStopped {
            // They stay as they are.
        }
        return try await reduce(other.definitions, database, keepsValues)
    }

    /// Makes all that is there small, once rows show the finding.
    private mutating func reduce(
        _ known: [TrialDatabase.Definition], _ database: TrialDatabase, _ keepsValues: Bool
    ) async throws -> Outcome? {
        let original = Set(
            rows.filter { fixture.before.catalog.table($0.table)?.keepsRows ?? false }.flatMap(\.values))
        do {
            if !comparesSchemas { try await dropDefinitions(known, database) }
            if try await dropStatements(database), !comparesSchemas {
                // Tables that only these statements named.
                try await dropDefinitions(known.filter { definitions.contains($0.sql) }, database)
            }
            if !comparesSchemas, try await dropColumns(database) {
                // Rows and tables that only these columns referred to.
                try await dropRows(database)
                try await dropDefinitions(known.filter { definitions.contains($0.sql) }, database)
            }
            if !keepsValues { try await replaceValues(database) }
        } catch  where isStopped {
            // What was left out by then stays out.
        }
        let kept = SharedValues.kept(of: original, in: rows)
        // The result is made whole, however little time was left.
        let isSmallest = rowsAreFewest && !isStopped
        reduced.watchdog = Watchdog(timeout: nil)
        return try await outcome(kept, isSmallest)
    }

    // MARK: - Rows

    private mutating func find(
        rowsOf tables: Set<String>, _ known: [TrialDatabase.Definition], _ limit: Int,
        _ database: TrialDatabase
    ) async throws -> Bool {
        definitions = known.map(\.sql)
        guard let bare = try await database.bare(definitions) else { return false }
        let trial = trial(bare, reduced)
        var sample = RowSample(
            tables, of: fixture.before, schema, fixture.inspector, finding, own: database.recordingTables)
        sample.limit = limit
        var count = 0
        var tried = -1
        var others = 0
        while others <= Self.substituteSamples, let candidates = try await sample.rows(count), !isStopped {
            onStage(.sampling(rows: candidates.count))
            count = max(2, count * 4)
            guard candidates.count > tried else {
                if count > limit { return false }
                continue
            }
            tried = candidates.count
            allowsOrphans = try await trial.hasOrphans(candidates)
            runs += 1
            let shown = try await trial.shown(candidates, allowsOrphans)
            guard let first = shown.first else { continue }
            guard shown.contains(where: { $0.cause == cause }) else {
                others += 1
                substitute =
                    substitute
                    ?? Substitute(
                        definitions: known, rows: candidates, allowsOrphans: allowsOrphans, cause: first.cause
                    )
                continue
            }
            (rows, substitute) = (candidates, nil)
            try await dropRows(trial)
            return true
        }
        return false
    }

    private mutating func dropRows(_ database: TrialDatabase) async throws {
        guard let bare = try await database.bare(definitions, then: edits(goneColumns, definitions)) else {
            return
        }
        try await dropRows(trial(bare, reduced))
    }

    private mutating func dropRows(_ trial: CounterexampleTrial) async throws {
        onStage(.dropping("rows", of: rows.count))
        let allowsOrphans = allowsOrphans
        let links = RowLinks(schema, focus: finding.table, allowsOrphans: allowsOrphans)
        var reduction = RowReduction(rows, limit: Self.rowRuns, links: links) {
            try await trial.showsInTime($0, allowsOrphans)
        }
        if try await reduction.run() { rows = reduction.rows }
        rowsAreFewest = reduction.isFinished
        runs += reduction.runs
    }

    private func trial(_ bare: DatabaseState, _ fixture: StepFixture) -> CounterexampleTrial {
        var fixture = fixture
        // No other rule can give the finding; GRDB's own check refuses by the keys.
        fixture.rules = [finding.rule, .foreignKeyViolation]
        return CounterexampleTrial(
            fixture: fixture, origin: fixture.before, bare: bare, identity: identity,
            severity: finding.severity,
            cause: cause)
    }

    /// Whether the finding shows with the schema and the rows as given.
    private mutating func shows(
        _ definitions: [String], _ gone: [(table: String, column: String)], _ rows: [GeneratedRow],
        _ database: TrialDatabase
    ) async throws -> Bool {
        guard !isStopped else { return false }
        do {
            let edits = self.edits(gone, definitions)
            guard let bare = try await database.bare(definitions, then: edits) else { return false }
            runs += 1
            return try await trial(bare, reduced).showsInTime(rows, allowsOrphans)
        } catch  where isStopped {
            return false
        }
    }

    // MARK: - The schema and the statements

    private mutating func dropDefinitions(
        _ known: [TrialDatabase.Definition], _ database: TrialDatabase
    ) async throws {
        let own = known.filter(\.isHistory).map(\.sql)
        let others = known.filter { !$0.isHistory }.map(\.sql)
        onStage(.dropping("tables, indexes and triggers", of: others.count))
        // Triggers and indexes come last, and go first.
        let left = try await fewest(of: others.reversed()) {
            try await shows(own + $0.reversed(), goneColumns, rows, database)
        }
        definitions = own + left.reversed()
    }

    /// Columns that neither the step nor a constraint names go, by ALTER TABLE DROP COLUMN, which refuses the others.
    /// - Returns: whether any do.
    private mutating func dropColumns(_ database: TrialDatabase) async throws -> Bool {
        // A declaration that names what is not there is another finding.
        let declared = fixture.migrations.flatMap { fixture.context.declarations[$0.identifier] ?? [] }.map {
            SQLSource(name: "declaration", $0.text)
        }
        let used = Set(
            statements.flatMap { statement in
                statement.tokens.compactMap { $0.name(in: statement.source)?.foldedASCII }
            } + declared.flatMap { source in source.tokens().compactMap { $0.name(in: source)?.foldedASCII } }
        )
        var candidates: [(table: String, column: String)] = []
        for name in Set(rows.map(\.table)).sorted() {
            guard let table = fixture.before.catalog.table(name) else { continue }
            candidates += table.columns.map { (table.name, $0.name) }.filter {
                !used.contains($0.1.foldedASCII)
            }
        }
        onStage(.dropping("columns", of: candidates.count))
        var gone: [(table: String, column: String)] = []
        for (table, column) in candidates {
            let next = gone + [(table, column)]
            let fewer = rows.map { $0.without(column, of: table) }
            guard try await shows(definitions, next, fewer, database) else { continue }
            (gone, rows) = (next, fewer)
            goneColumns = next
        }
        return !gone.isEmpty
    }

    /// Returns what drops columns of the tables that are defined.
    private func edits(_ gone: [(table: String, column: String)], _ definitions: [String]) -> [String] {
        let defined = Set(definitions)
        return gone.filter {
            fixture.before.catalog.table($0.table).map { defined.contains($0.text) } ?? false
        }
        .map { "ALTER TABLE \(quotedName($0.table)) DROP COLUMN \(quotedName($0.column))" }
    }

    /// - Returns: whether any went.
    private mutating func dropStatements(_ database: TrialDatabase) async throws -> Bool {
        guard let bare = try await database.bare(definitions) else { return false }
        onStage(.dropping("statements", of: statements.count))
        let left = try await fewest(of: statements) { fewer in
            guard !isStopped, let fixture = try await fixture.with(fewer, for: finding) else { return false }
            runs += 1
            return (try? await explained(bare, fixture)) != nil
        }
        guard left.count < statements.count, let fixture = try await fixture.with(left, for: finding) else {
            return false
        }
        (statements, reduced) = (left, fixture)
        return true
    }

    /// Returns the finding, where its cause is the same.
    private func explained(_ bare: DatabaseState, _ fixture: StepFixture) async throws -> Finding? {
        do {
            return try await trial(bare, fixture).shown(rows, allowsOrphans).first { $0.cause == cause }?
                .finding
        } catch  where isStopped {
            return nil
        }
    }

    // MARK: - Values

    private mutating func replaceValues(_ database: TrialDatabase) async throws {
        guard let bare = try await database.bare(definitions, then: edits(goneColumns, definitions)) else {
            return
        }
        onStage(.replacing(values: rows.reduce(0) { $0 + $1.values.count }))
        let (trial, allowsOrphans) = (trial(bare, reduced), allowsOrphans)
        var values = SharedValues(rows, fixture.before.catalog.encoding) {
            try await trial.showsInTime($0, allowsOrphans)
        }
        try await values.replace()
        rows = values.rows
    }

    // MARK: - The result

    private mutating func outcome(_ kept: [String], _ isSmallest: Bool) async throws -> Outcome? {
        let database = TrialDatabase(fixture: reduced, schema: schema, state: fixture.before)
        guard let bare = try await database.bare(definitions, then: edits(goneColumns, definitions)),
            let state = try await dropRefused(trial(bare, reduced)),
            var found = try await explained(bare, reduced)
        else { return nil }
        let names = Set(rows.map(\.table)).sorted()
        let example = SmallExample(fixture: reduced, bare: bare, rows: rows, state: state)
        let script = try await example.script(of: found)
        found.counterexample = script.counterexample(tried: runs, isSmallest: isSmallest)
        return Outcome(
            finding: found, state: state, rowCount: rows.count, tables: names, migrations: reduced.migrations,
            statementCount: statements.count, keptColumns: kept, runs: runs, isSameCause: substitute == nil,
            schema: script.schema, isScriptExact: script.isExact)
    }

    /// Takes out rows that are there already when their turn comes, as those that a trigger wrote.
    /// - Returns: the database, which is the same without them.
    private mutating func dropRefused(_ trial: CounterexampleTrial) async throws -> DatabaseState? {
        let refused = RefusedRows()
        let state = try await trial.state(rows, allowsOrphans) { refused.add($0) }
        let places = refused.places
        rows = rows.indices.filter { !places.contains($0) }.map { rows[$0] }
        return state
    }

    /// Takes the places of rows out of a connection's closure.
    private final class RefusedRows: Sendable {
        private let all = Mutex<Set<Int>>([])
        var places: Set<Int> { all.withLock { $0 } }
        func add(_ place: Int) { all.withLock { _ = $0.insert(place) } }
    }
}

extension CounterexampleTrial {
    /// Whether the step gives the finding on these rows; not once the time is over.
    fileprivate func showsInTime(_ rows: [GeneratedRow], _ allowsOrphans: Bool) async throws -> Bool {
        guard !fixture.watchdog.isTripped else { return false }
        do {
            return try await shows(rows, allowsOrphans: allowsOrphans)
        } catch  where fixture.watchdog.isTripped {
            return false
        }
    }
}

extension GeneratedRow {
    fileprivate func without(_ column: String, of table: String) -> GeneratedRow {
        guard self.table == table, let place = columns.firstIndex(of: column) else { return self }
        var row = self
        row.columns.remove(at: place)
        row.values.remove(at: place)
        return row
    }
}
