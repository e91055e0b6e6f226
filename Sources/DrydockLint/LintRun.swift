import DrydockReplay
import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// A walk over the statements of a migration set. It shows each of them, each migration and the end to the rules, with
/// the schema that it meets and the record of what came before.
struct LintRun: Sendable {
    let request: LintRequest
    private(set) var set: MigrationSet
    /// The identifiers of the migrations that are linted.
    private(set) var selection: Set<String>
    /// Whether the linted migrations reach users together: a table that they create has no rows in any of them.
    let isOneSet: Bool

    private(set) var sink: LintFindings
    /// The number of migrations and statements that were linted.
    private(set) var linted = LintSummary(migrations: 0, statements: 0)
    /// Why later migrations were not linted.
    private(set) var obstacle: String?
    /// The files that were not linted for that reason.
    private(set) var unlinted: [String] = []
    private(set) var record = LintRecord()
    /// Whether the walk has come to the first migration that is linted.
    private var hasBegun = false
    private var brokenViews = BrokenViews()
    /// The migrations in code, in order: the schema after them is a guess.
    private var code: [CodeMigration] = []
    /// The lineage at the start of a migration, while no table is created or dropped.
    private var freshLineage: (tables: [String: Table].Keys, lineage: TableLineage)?

    init(request: LintRequest, set: MigrationSet, selection: Set<String>, isOneSet: Bool) {
        self.request = request
        self.set = set
        self.selection = selection
        self.isOneSet = isOneSet
        sink = LintFindings(severities: request.severities)
    }

    /// Goes on where an earlier walk was, over migrations that begin with the same ones.
    init(_ earlier: LintRun, set: MigrationSet, selection: Set<String>) {
        self = earlier
        self.set = set
        self.selection = selection
    }

    /// - Parameters:
    ///   - start: where an earlier walk was, of which this one is the continuation.
    ///   - visit: called before each migration.
    mutating func lint(
        on connection: any Connection, from start: LintCheckpoint? = nil,
        visit: (Int, LintRun, LintReplay) throws -> Void = { _, _, _ in }
    ) throws {
        var replay =
            try start.map { try LintReplay(set: set, connection: connection, from: $0) }
            ?? LintReplay(set: set, connection: connection)
        for number in (start?.position ?? 0)..<set.migrations.count {
            try visit(number, self, replay)
            guard let end = try pass(number, &replay) else { continue }
            stop(end.reason, at: end.number)
            return reportCode()
        }
        noteBrokenViews(replay, true)
        lintEnd(replay)
        reportCode()
        sink.addUnusedIgnores(of: set.migrations.filter(isLinted))
    }

    /// Runs the migrations up to a statement, and that one.
    ///
    /// Statements of its own migration that are refused, such as one that is being typed, are passed over.
    /// - Returns: nil if an earlier migration does not run.
    mutating func context(
        of place: Int, in number: Int, on connection: any Connection, from start: LintCheckpoint?,
        visit: (Int, LintRun, LintReplay) throws -> Void
    ) throws -> LintContext? {
        var replay =
            try start.map { try LintReplay(set: set, connection: connection, from: $0) }
            ?? LintReplay(set: set, connection: connection)
        for index in (start?.position ?? 0)..<number {
            try visit(index, self, replay)
            guard try pass(index, &replay) == nil else { return nil }
        }
        try visit(number, self, replay)
        let migration = set.migrations[number]
        try replay.begin(migration)
        var before: [LintContext.Object] = []
        for (index, statement) in migration.statements[...place].enumerated() {
            if index == place { before = try replay.objects() }
            let action = statement.action.resolved(replay.temporaries)
            guard case .done = try replay.run(statement, action) else { continue }
            record.note(
                action, by: .init(migration: migration, statement: statement, isLinted: isLinted(migration)))
        }
        let after = try replay.objects()
        if connection.isInTransaction { try connection.execute("ROLLBACK") }
        return LintContext(
            migration: migration, statement: migration.statements[place], before: before, after: after,
            record: record)
    }

    /// Why a walk cannot go on, and the first migration that is not read for that reason.
    private struct WalkEnd {
        var reason: String
        var number: Int
    }

    /// Lints a migration, or only runs it.
    /// - Returns: nil if the walk goes on.
    private mutating func pass(_ number: Int, _ replay: inout LintReplay) throws -> WalkEnd? {
        try Task.checkCancellation()
        let migration = set.migrations[number]
        let isLinted = isLinted(migration)
        if !isOneSet || isLinted && !hasBegun {
            record.occupied = Set(replay.schema.tables.keys).union(
                replay.schema.virtualTables.filter(\.value.holdsText).keys)
        }
        hasBegun = hasBegun || isLinted
        if migration.isCode {
            code.append(CodeMigration(migration, isLinted: isLinted))
            return nil
        }
        if let obstacle = obstacle(migration) { return WalkEnd(reason: obstacle, number: number) }
        noteBrokenViews(replay, isLinted)
        if isLinted { lintStatically(migration, replay.schema) }
        guard try !lint(migration, &replay, isLinted) else { return nil }
        let hint =
            set.base == nil && number == 0 ? "; 'base' in drydock.yml names what exists before" : ""
        return WalkEnd(
            reason: "\(migration.identifier) does not run on an empty database" + hint, number: number + 1)
    }

    private func isLinted(_ migration: Migration) -> Bool { selection.contains(migration.identifier) }

    // MARK: - Migrations that are not read

    private func obstacle(_ migration: Migration) -> String? {
        if let fault = migration.fault { return fault.message }
        guard let ending = StaticChecks.refusedStatement(in: migration) else { return nil }
        return "\(migration.path) ends its runner's transaction with \(ending.text)"
    }

    private mutating func stop(_ reason: String, at number: Int) {
        obstacle = reason
        let rest = set.migrations[number...]
        // The checks that need only the file are still made.
        for migration in rest where isLinted(migration) { lintStatically(migration, nil) }
        for migration in rest where migration.isCode {
            code.append(CodeMigration(migration, isLinted: isLinted(migration)))
        }
        unlinted = rest.filter { isLinted($0) && !$0.isCode }.map(\.path)
        let count = unlinted.count
        guard count > 0 else { return }
        sink.notChecked.append(NotChecked(.migrationFailed, .notLinted(migrations: count, because: reason)))
    }

    /// Reports migrations in code that were not read, and statements that name what only that code can have created.
    private mutating func reportCode() {
        guard !selection.isEmpty else { return }
        sink.notChecked += code.notChecked
        // Where nothing at all was linted, only that is reported.
        guard linted.statements > 0 else {
            obstacle = obstacle ?? code.first.map { "\($0.migration.path) is not SQL" }
            return
        }
        for entry in code {
            if let finding = entry.finding { sink.add(finding, to: entry.migration) }
        }
    }

    private mutating func lintStatically(_ migration: Migration, _ schema: Schema?) {
        for finding in StaticChecks.findings(for: migration, of: set.format, before: schema) {
            sink.add(finding, to: migration)
        }
    }

    // MARK: - A migration

    /// - Returns: False when the schema after the migration cannot be known.
    private mutating func lint(
        _ migration: Migration, _ replay: inout LintReplay, _ isLinted: Bool
    ) throws -> Bool {
        let start = replay.schema
        let occupiedAtStart = record.occupied
        var progress = Progress(start: start, lineage: lineage(at: start), isLinted: isLinted)
        if isLinted { linted.migrations += 1 }
        try replay.begin(migration)
        for index in migration.statements.indices {
            guard try run(index, of: migration, &replay, &progress) else { return false }
        }
        try replay.end(migration)
        // The refused statement only changes rows: the schema is known.
        guard isLinted else { return true }
        let whole = LintMigration(
            migration: migration, start: start, end: replay.schema, occupied: occupiedAtStart,
            lineage: progress.lineage,
            rebuilds: LintMigration.rebuilds(migration, start, replay.schema, progress.lineage),
            deletes: record.deletes, connection: replay.connection,
            formatHasDown: set.migrations.contains { $0.down != nil },
            foreignKeysAreOn: set.policy.foreignKeys || set.policy.isRunByEngine)
        sink.add(to: migration, behind: code.last) { $0.check(whole) }
        return true
    }

    private mutating func lineage(at start: Schema) -> TableLineage {
        if let freshLineage, freshLineage.tables == start.tables.keys { return freshLineage.lineage }
        let lineage = TableLineage(tables: start.tables.keys)
        freshLineage = (start.tables.keys, lineage)
        return lineage
    }

    // MARK: - A statement

    /// What is known of a migration before one of its statements.
    private struct Progress {
        let start: Schema
        var lineage: TableLineage
        let isLinted: Bool
        /// The statements that changed rows of a table, by its number in the lineage.
        var changes: [Int: [Int]] = [:]
        var hasFailed = false
    }

    /// - Returns: False when the schema after the statement cannot be known.
    private mutating func run(
        _ index: Int, of migration: Migration, _ replay: inout LintReplay, _ progress: inout Progress
    ) throws -> Bool {
        let statement = migration.statements[index]
        let action = statement.action.resolved(replay.temporaries)
        let before = replay.schema
        let outcome = try replay.run(statement, action)
        switch outcome {
        case .done:
            guard progress.isLinted else { break }
            let step = LintStep(
                migration: migration, format: set.format, statement: statement, index: index,
                action: action, start: progress.start, before: before, after: replay.schema,
                occupied: record.occupied, lineage: progress.lineage, changes: progress.changes,
                deletes: record.deletes, copies: record.copies, connection: replay.connection,
                minimum: request.minimumSQLite)
            linted.statements += 1
            sink.add(to: migration, behind: code.last) { $0.check(step) }
        case .refused(let error), .lost(let error):
            if blameCode(for: error, statement, progress) { return true }
            let start = progress.start
            let refused = RefusedStatement(
                connection: replay.connection, migration: migration, index: index, error: error,
                schema: before, lineage: progress.lineage,
                earlierColumns: { start.table($0)?.columns.map(\.name) ?? [] })
            guard try report(refused, statement, &progress) else {
                try replay.end(migration)
                return false
            }
            if case .lost = outcome {
                if replay.connection.isInTransaction { try replay.connection.execute("ROLLBACK") }
                return false
            }
        }
        record.note(
            action,
            by: .init(migration: migration, statement: statement, isLinted: progress.isLinted))
        if let id = action.changedTable.flatMap({ progress.lineage[$0]?.id }) {
            progress.changes[id, default: []].append(index)
        }
        progress.lineage.apply(action, at: index)
        return true
    }

    /// Returns whether an earlier migration in code may have created what a refused statement names.
    private mutating func blameCode(
        for error: EngineError, _ statement: SQLStatement, _ progress: Progress
    ) -> Bool {
        guard !code.isEmpty, error.isOfUnknownName else { return false }
        if progress.isLinted { code[code.count - 1].unknown.append((statement, error)) }
        code[code.count - 1].isMissed = true
        return true
    }

    /// Reports the first refused statement of a migration.
    /// - Returns: False where it changes what only a base can have: a tool that keeps the newest schema has no SQL that
    ///   creates the oldest, so nothing is reported.
    private mutating func report(
        _ refused: RefusedStatement, _ statement: SQLStatement, _ progress: inout Progress
    ) throws -> Bool {
        let failure = LintFailure(
            refused: refused, statement: statement, set: set, minimum: request.minimumSQLite)
        if failure.isOfBase, !set.expected.isEmpty { return false }
        if progress.isLinted, !progress.hasFailed { sink.add(try failure.finding()) }
        progress.hasFailed = true
        return true
    }

    // MARK: - The end

    /// Records, where the linted migrations begin or end, which views and triggers the others broke.
    private mutating func noteBrokenViews(_ replay: LintReplay, _ isLinted: Bool) {
        guard sink.checks(.viewBroken) else { return }
        brokenViews.note(
            replay.schema, on: replay.connection, without: set.format.ownTables, isLinted: isLinted)
    }

    private mutating func lintEnd(_ replay: LintReplay) {
        sink.settle(replay.schema)
        let catalog =
            sink.checks(.viewBroken)
            ? ViewCompilesRule.catalog(
                of: replay.schema, on: replay.connection, without: set.format.ownTables) : nil
        let end = LintEnd(
            schema: replay.schema, connection: replay.connection, record: record,
            foreignKeysAreOn: set.policy.foreignKeys || set.policy.isRunByEngine,
            historyTables: set.format.ownTables, catalog: catalog, linted: set.migrations.filter(isLinted),
            brokenElsewhere: brokenViews.elsewhere, findings: sink.findings,
            minimum: request.minimumSQLite)
        if sink.checks(.viewBroken) {
            sink.notChecked += ViewCompilesRule.unchecked(
                in: replay.schema, catalog, on: replay.connection
            ).map { NotChecked(.viewBroken, $0) }
        }
        sink.add(to: nil, behind: code.last) { $0.check(end) }
    }
}
