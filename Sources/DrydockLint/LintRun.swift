import DrydockReplay
import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// One pass over the migrations that collects the faults.
struct LintRun: Sendable {
    let request: LintRequest
    let set: MigrationSet
    /// The identifiers of the migrations that are linted.
    let selection: Set<String>
    /// Whether the linted migrations reach users together: a table that they create has no rows in any of them.
    let isOneSet: Bool

    var findings: [Finding] = []
    private(set) var notChecked: [NotChecked] = []
    /// Possible fixes: the number of a finding, and its edits.
    var proposals: [(finding: Int, path: String, edits: [SQLEdit])] = []
    var used: Set<Declaration> = []
    private var origins: [[String]: LintEnd.Origin] = [:]
    private var occupied: Set<String> = []
    /// The statements that have deleted rows of a table so far, in any migration.
    private var deletes: [String: [SQLStatement]] = [:]
    /// Findings that a later migration may fix.
    private var pending: [(finding: Int, stands: @Sendable (Schema) -> Bool)] = []
    /// The number of migrations and statements that were linted.
    private(set) var linted = LintSummary(migrations: 0, statements: 0)
    /// Why later migrations were not linted.
    private(set) var obstacle: String?
    /// The migrations in code, in order: the schema after them is a guess.
    private var code: [CodeMigration] = []
    /// The lineage at the start of a migration, while no table is created or dropped.
    private var freshLineage: (tables: [String: Table].Keys, lineage: TableLineage)?
    /// Views and triggers that do not compile because of a migration that is not linted.
    private var brokenElsewhere: Set<Fault.ID> = []
    /// Views and triggers that did not compile when a run of migrations without linting began.
    private var brokenBefore: Set<Fault.ID> = []
    private var isAmongLinted = false
    private let rules: [(rule: any LintRule, severity: Finding.Severity?)]

    init(request: LintRequest, set: MigrationSet, selection: Set<String>, isOneSet: Bool) {
        self.request = request
        self.set = set
        self.selection = selection
        self.isOneSet = isOneSet
        rules = LintRules.all.compactMap { rule in
            guard let own = request.severities[rule.rule] else {
                return rule.severity == nil ? nil : (rule, nil)
            }
            return own == .off ? nil : (rule, own.severity)
        }
    }

    mutating func lint(on connection: any Connection) throws {
        var replay = try LintReplay(set: set, connection: connection)
        var hasBegun = false
        for (number, migration) in set.migrations.enumerated() {
            try Task.checkCancellation()
            let isLinted = selection.contains(migration.identifier)
            if !isOneSet || isLinted && !hasBegun {
                occupied = Set(replay.schema.tables.keys).union(
                    replay.schema.virtualTables.filter(\.value.holdsText).keys)
            }
            hasBegun = hasBegun || isLinted
            if migration.isCode {
                code.append(CodeMigration(migration, isLinted: isLinted))
                continue
            }
            if let obstacle = obstacle(migration) {
                stop(obstacle, at: number)
                return lintCode()
            }
            noteBroken(replay, isLinted)
            if isLinted { lintStatically(migration, replay.schema) }
            guard try lint(migration, &replay, isLinted) else {
                stop(
                    "\(migration.identifier) does not run on an empty database"
                        + (set.base == nil && number == 0
                            ? "; 'base' in drydock.yml names what is there before" : ""),
                    at: number + 1)
                return lintCode()
            }
        }
        noteBroken(replay, true)
        try lintEnd(replay)
        lintCode()
        lintIgnores()
    }

    private func obstacle(_ migration: Migration) -> String? {
        if let fault = migration.fault { return fault.message }
        guard let ending = StaticChecks.refusedStatement(in: migration) else { return nil }
        return "\(migration.path) ends its runner's transaction with \(ending.text)"
    }

    private mutating func stop(_ reason: String, at number: Int) {
        obstacle = reason
        for migration in set.migrations[number...] where selection.contains(migration.identifier) {
            // The checks that need only the file are still made.
            lintStatically(migration, nil)
        }
        let rest = set.migrations[number...].count { selection.contains($0.identifier) && !$0.isCode }
        for migration in set.migrations[number...] where migration.isCode {
            code.append(CodeMigration(migration, isLinted: selection.contains(migration.identifier)))
        }
        if rest > 0 {
            notChecked.append(
                NotChecked(.migrationFailed, .notLinted(migrations: rest, because: reason)))
        }
    }

    // MARK: - Migrations in code

    /// Reports migrations in code that were not read, and statements that name what only that code can have created.
    private mutating func lintCode() {
        guard !selection.isEmpty else { return }
        notChecked += code.notChecked
        // Where nothing at all was linted, only that is reported.
        guard linted.statements > 0 else {
            obstacle = obstacle ?? code.first.map { "\($0.migration.path) is not SQL" }
            return
        }
        let own = request.severities[.migrationInCode]
        for entry in code where own != .off {
            guard var finding = entry.finding,
                !isIgnored(.migrationInCode, entry.migration, nil as SQLStatement?)
            else { continue }
            finding.severity = own?.severity ?? finding.severity
            findings.append(finding)
        }
    }

    // MARK: - A migration

    private mutating func lintStatically(_ migration: Migration, _ schema: Schema?) {
        for finding in StaticChecks.findings(for: migration, of: set.format, before: schema) {
            var finding = finding
            switch request.severities[finding.rule] {
            case .off: continue
            case let own?: finding.severity = own.severity ?? finding.severity
            case nil: break
            }
            if !isIgnored(finding.rule, migration, finding.place) { findings.append(finding) }
        }
    }

    /// - Returns: false when the schema after the migration cannot be known.
    private mutating func lint(
        _ migration: Migration, _ replay: inout LintReplay, _ isLinted: Bool
    ) throws -> Bool {
        let start = replay.schema
        let occupiedAtStart = occupied
        if freshLineage?.tables != start.tables.keys {
            freshLineage = (start.tables.keys, TableLineage(tables: start.tables.keys))
        }
        var lineage = freshLineage?.lineage ?? TableLineage(tables: [])
        var changes: [Int: [Int]] = [:]
        var hasFailed = false
        if isLinted { linted.migrations += 1 }
        try replay.begin(migration)
        for (index, statement) in migration.statements.enumerated() {
            let action = statement.action.resolved(replay.temporaries)
            let before = replay.schema
            let outcome = try replay.run(statement, action)
            switch outcome {
            case .done: break
            case .refused(let error), .lost(let error):
                if !code.isEmpty, error.isOfUnknownName {
                    if isLinted { code[code.count - 1].unknown.append((statement, error)) }
                    code[code.count - 1].isMissed = true
                    continue
                }
                // A tool that keeps the newest schema has no SQL that creates the oldest.
                let refused = RefusedStatement(
                    connection: replay.connection, migration: migration, index: index, error: error,
                    schema: before, lineage: lineage,
                    earlierColumns: { start.table($0)?.columns.map(\.name) ?? [] })
                let failure = LintFailure(
                    refused: refused, statement: statement, set: set, minimum: request.minimumSQLite)
                let isMissing = failure.isOfBase && !set.expected.isEmpty
                if isLinted, !hasFailed, !isMissing {
                    findings.append(try failure.finding())
                }
                hasFailed = true
                if isMissing {
                    try replay.end(migration)
                    return false
                }
                if case .lost = outcome {
                    if replay.connection.isInTransaction { try replay.connection.execute("ROLLBACK") }
                    return false
                }
            }
            if isLinted, case .done = outcome {
                let step = LintStep(
                    migration: migration, format: set.format, statement: statement, index: index,
                    action: action,
                    start: start,
                    before: before, after: replay.schema, occupied: occupied,
                    lineage: lineage, changes: changes, deletes: deletes,
                    connection: replay.connection, minimum: request.minimumSQLite)
                linted.statements += 1
                for (rule, severity) in rules {
                    for fault in rule.check(step) { add(fault, of: rule, severity, migration) }
                }
            }
            note(action, statement, migration)
            if let id = action.changedTable.flatMap({ lineage[$0]?.id }) {
                changes[id, default: []].append(index)
            }
            lineage.apply(action, at: index)
        }
        try replay.end(migration)
        // The refused statement only changes rows: the schema is known.
        guard isLinted else { return true }
        let whole = LintMigration(
            migration: migration, start: start, end: replay.schema, occupied: occupiedAtStart,
            lineage: lineage, rebuilds: LintMigration.rebuilds(migration, start, replay.schema, lineage),
            deletes: deletes, connection: replay.connection,
            formatHasDown: set.migrations.contains { $0.down != nil },
            foreignKeysAreOn: set.policy.foreignKeys || set.policy.isRunByEngine)
        for (rule, severity) in rules {
            for fault in rule.check(whole) { add(fault, of: rule, severity, migration) }
        }
        return true
    }

    // MARK: - Tables and columns

    private mutating func note(
        _ action: StatementAction, _ statement: SQLStatement, _ migration: Migration
    ) {
        let origin = LintEnd.Origin(
            migration: migration, statement: statement, isLinted: selection.contains(migration.identifier))
        switch action {
        case .createTable(let name, _, let asSelect):
            if name.isMain {
                origins[["table", name.folded]] = origin
                forgetColumns(of: name.folded, movedTo: nil)
            }
            guard asSelect else { return }
            let sources = occupied.filter { statement.mentions($0) && $0 != name.folded }
            if !sources.isEmpty { occupied.insert(name.folded) }
        case .createIndex(let name, _): origins[["index", name.folded]] = origin
        case .createView(let name, _): origins[["view", name.folded]] = origin
        case .createTrigger(let name, _, _): origins[["trigger", name.folded]] = origin
        case .insert(let name, _, let copy?):
            // Rows that were copied to a temporary table may be copied back.
            let sources = copy.tables.map(\.foldedASCII)
            if sources.contains(where: occupied.contains) { occupied.insert(name.folded) }
        case .addColumn(let name, let column) where name.isMain:
            origins[["column", name.folded, column.foldedASCII]] = origin
        case .delete(let name) where name.isMain: deletes[name.folded, default: []].append(statement)
        case .dropTable(let name) where name.isMain:
            occupied.remove(name.folded)
            forgetColumns(of: name.folded, movedTo: nil)
        case .renameTable(let name, let to) where name.isMain:
            let new = to.foldedASCII
            if occupied.remove(name.folded) != nil { occupied.insert(new) }
            forgetColumns(of: name.folded, movedTo: new)
            origins[["table", new]] = origins.removeValue(forKey: ["table", name.folded])
        default: break
        }
    }

    /// Removes what is known of the columns that ALTER added to a table, or moves it to the table's new name.
    private mutating func forgetColumns(of table: String, movedTo new: String?) {
        for key in origins.keys where key.count == 3 && key[1] == table {
            let origin = origins.removeValue(forKey: key)
            if let new { origins[["column", new, key[2]]] = origin }
        }
    }

    /// Records, where the linted migrations begin or end, which views and triggers the others broke.
    private mutating func noteBroken(_ replay: LintReplay, _ isLinted: Bool) {
        guard isLinted != isAmongLinted, rules.contains(where: { $0.rule.rule == .viewBroken }) else {
            return
        }
        isAmongLinted = isLinted
        let broken = ViewCompilesRule.broken(
            in: replay.schema, on: replay.connection, without: set.format.ownTables)
        let now = Set(broken.map(\.id))
        if isLinted {
            brokenElsewhere = brokenElsewhere.intersection(now).union(now.subtracting(brokenBefore))
        } else {
            brokenBefore = now
        }
    }

    private mutating func lintEnd(_ replay: LintReplay) throws {
        for (index, stands) in pending where !stands(replay.schema) {
            findings[index].severity = findings[index].severity == .error ? .warning : .note
            findings[index].advice = "A later migration fixes it. " + findings[index].advice
        }
        let policy = set.policy
        let end = LintEnd(
            schema: replay.schema, connection: replay.connection, origins: origins,
            foreignKeysAreOn: policy.foreignKeys || policy.isRunByEngine,
            historyTables: set.format.ownTables,
            linted: set.migrations.filter { selection.contains($0.identifier) },
            brokenElsewhere: brokenElsewhere, findings: findings, minimum: request.minimumSQLite)
        if rules.contains(where: { $0.rule.rule == .viewBroken }) {
            notChecked += ViewCompilesRule.unchecked(
                in: replay.schema, on: replay.connection, without: set.format.ownTables
            ).map { NotChecked(.viewBroken, $0) }
        }
        for (rule, severity) in rules {
            for fault in rule.check(end) {
                guard let migration = fault.migration else { continue }
                add(fault, of: rule, severity, migration)
            }
        }
    }

    // MARK: - Findings

    private mutating func add(
        _ fault: LintFault, of rule: any LintRule, _ severity: Finding.Severity?, _ migration: Migration
    ) {
        var place = Finding.Place(file: migration.path)
        if let statement = fault.statement {
            let offset = fault.token.map { $0.range.lowerBound - statement.range.lowerBound }
            place = Finding.Place(statement, offset: offset)
        }
        guard !isIgnored(rule.rule, migration, fault.statement) else { return }
        var (weight, help) = (fault.severity ?? rule.severity ?? .warning, fault.help)
        if let last = code.last, rule.speaksOfMissing, weight == .error {
            weight = .warning
            help = "Unless \(last.migration.path) makes it. " + help
        }
        findings.append(
            Finding(
                rule.rule, severity ?? weight, fault.message, help: help, migration: migration.identifier,
                place: place, table: fault.table,
                column: fault.column))
        if let stands = fault.stands, severity == nil { pending.append((findings.count - 1, stands)) }
        guard !fault.edits.isEmpty, let source = fault.statement?.source else { return }
        proposals.append((findings.count - 1, source.name, fault.edits))
    }
}
