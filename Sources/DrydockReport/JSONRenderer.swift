import Drydock

/// Renders the JSON contract, `formatVersion` 1. Fields are only ever added to a version.
package struct JSONRenderer: ReportRenderer {
    package let name = "json"

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        jsonText(Envelope(report, options))
    }
}

private struct Envelope: Encodable {
    var tool = "drydock"
    var formatVersion = 1
    var command: String
    var verdict: String
    var seconds: Double
    var migrationFormat: String?
    var findings: [JSONFinding]
    /// For a verification.
    var replays: [JSONReplay]?
    /// For a lint: how much was read.
    var linted: JSONLinted?
    /// For `lint --fix`.
    var fixed: [JSONFix]?
    var notChecked: [JSONNotChecked]
    var lock: JSONLock?
    /// For a migration of a live database.
    var migration: JSONMigration?
    /// For a health check.
    var databases: [JSONDatabase]?
    var finishedAt: Double?

    init(_ report: Report, _ options: RenderOptions) {
        command = report.command
        verdict = report.hasPassed ? "passed" : "failed"
        seconds = rounded(report.seconds)
        migrationFormat = report.migrationFormat
        findings = report.findings.map { JSONFinding($0, options) }
        notChecked = report.notChecked.map {
            JSONNotChecked(
                rule: $0.rule.rawValue, reason: $0.reason, snapshot: $0.snapshot, database: $0.database,
                table: $0.table)
        }
        switch report.body {
        case .verify(let verify): replays = verify.replays.map(JSONReplay.init)
        case .lint(let lint):
            linted = JSONLinted(migrations: lint.migrations, statements: lint.statements)
            fixed = lint.fixed.map { $0.map(JSONFix.init) }
            for index in findings.indices {
                findings[index].linePosition = report.findings[index].place?.column
            }
        case .lock(let summary):
            lock = JSONLock(summary)
            // An empty list, as the first versions wrote it.
            replays = []
        case .migrate(let migrate):
            migration = JSONMigration(migrate)
            replays = migrate.replays.map(JSONReplay.init)
        case .health(let health):
            databases = health.databases.map(JSONDatabase.init)
            finishedAt = (health.finishedAt * 1000).rounded() / 1000
            for index in findings.indices { findings[index].evidence?.leavesOutKey = true }
        }
    }
}

private struct JSONLinted: Encodable {
    var migrations, statements: Int
}

private struct JSONFix: Encodable {
    var rule, message, file: String
    var migration: String?
    var line, linePosition: Int?
    /// The line after the fix.
    var lineText: String?

    init(_ fix: LintFix) {
        rule = fix.rule.rawValue
        message = fix.message
        migration = fix.migration
        file = fix.place.file
        line = fix.place.line
        linePosition = fix.place.column
        lineText = fix.place.lineText
    }
}

private struct JSONFinding: Encodable {
    var rule, severity, message, help: String
    var snapshot, database, migration, statement, table, column, object, file: String?
    var line: Int?
    /// The character in the line, from 1; `column` is a column of a table.
    var linePosition: Int?
    var tags: [String]?
    var edits: [JSONEdit]?
    var evidence: JSONEvidence?

    init(_ finding: Finding, _ options: RenderOptions) {
        rule = finding.rule.rawValue
        severity = finding.severity.rawValue
        message = finding.message(options)
        help = finding.help
        snapshot = finding.snapshot
        (database, object) = (finding.database, finding.object)
        migration = finding.migration
        statement = options.redacts && finding.place?.quotesData == true ? nil : finding.place?.statement
        table = finding.table
        column = finding.column
        file = finding.place?.file
        line = finding.place?.line
        tags = finding.tags.isEmpty ? nil : finding.tags.map(\.rawValue)
        edits = finding.edits.isEmpty ? nil : finding.edits.map(JSONEdit.init)
        evidence = finding.evidence.map { JSONEvidence($0, options) }
    }
}

private struct JSONEdit: Encodable {
    var file: String
    var line, linePosition: Int
    var replace, with: String

    init(_ edit: Finding.Edit) {
        (file, line, linePosition) = (edit.file, edit.line, edit.linePosition)
        (replace, with) = (edit.replaced, edit.replacement)
    }
}

private struct JSONEvidence: Encodable {
    struct Row: Encodable {
        var key: [String: String]
        var before, after: Sample?
        var values: [String: Sample]?
    }

    /// Whether a row is its key, as in the report of `drydock health`.
    var leavesOutKey = false

    struct Sample: Encodable {
        var storageClass: String
        /// An SQL literal, shortened; missing if values are redacted.
        var value: String?
        var bytes: Int?

        init(_ sample: Evidence.Sample, _ options: RenderOptions) {
            storageClass = sample.storageClass
            value = options.redacts ? nil : sample.literal
            bytes = sample.byteCount
        }
    }

    var rowCount: Int?
    var rows: [Row]?
    var details: [String]?

    init(_ evidence: Evidence, _ options: RenderOptions) {
        rowCount = evidence.rowCount
        rows =
            evidence.rows.isEmpty
            ? nil
            : evidence.rows.map { row in
                Row(
                    key: Dictionary(
                        row.key.map { ($0.column, $0.value.literal) }, uniquingKeysWith: { first, _ in first }
                    ),
                    before: row.before.map { Sample($0, options) },
                    after: row.after.map { Sample($0, options) },
                    values: row.values.map { cells in
                        Dictionary(
                            cells.map { ($0.column, Sample($0.value, options)) },
                            uniquingKeysWith: { first, _ in first })
                    })
            }
        details = evidence.details.isEmpty ? nil : evidence.details
    }

    private enum CodingKeys: String, CodingKey { case rowCount, rows, details }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(rowCount, forKey: .rowCount)
        if leavesOutKey {
            try container.encodeIfPresent(rows?.map(\.key), forKey: .rows)
        } else {
            try container.encodeIfPresent(rows, forKey: .rows)
        }
        try container.encodeIfPresent(details, forKey: .details)
    }
}

private struct JSONDatabase: Encodable {
    var path: String
    var trouble: String?
    var seconds: Double
    var known: Int
    var checked: [String]
    var measures: [String: Double]

    init(_ health: DatabaseHealth) {
        (path, trouble, known) = (health.path, health.trouble, health.knownCount)
        checked = health.checked.map(\.rawValue)
        seconds = rounded(health.seconds)
        measures = Dictionary(health.measures.map { ($0.name, $0.value) }) { $1 }
    }
}

private struct JSONReplay: Encodable {
    struct Step: Encodable {
        var migration: String
        var seconds: Double
        var pagesWritten, bytesWritten: Int
        var statementSeconds: [Double]
    }

    var snapshot: String
    var from, to: String?
    /// The start if no migration of the folder was applied: `empty`, `base` or `unknown`.
    var start: String?
    var pending, rowsCompared, tablesUntouched: Int
    var baseline: String
    var tablesChecked: Int?
    var seconds: Double
    var steps: [Step]

    init(_ replay: ReplaySummary) {
        snapshot = replay.snapshot
        from = replay.from
        start = replay.from == nil ? replay.start.rawValue : nil
        to = replay.to
        pending = replay.pendingCount
        rowsCompared = replay.rowsCompared
        tablesUntouched = replay.tablesUntouched
        baseline = replay.baseline.rawValue
        tablesChecked = replay.tablesChecked
        seconds = rounded(replay.seconds)
        steps = replay.steps.map {
            Step(
                migration: $0.migration, seconds: rounded($0.seconds), pagesWritten: $0.pagesWritten,
                bytesWritten: $0.bytesWritten, statementSeconds: $0.statementSeconds.map(rounded))
        }
    }

    private enum CodingKeys: String, CodingKey {
        case snapshot, from, to, start, pending, rowsCompared, tablesUntouched, baseline, tablesChecked,
            seconds,
            steps
    }

    /// Encodes `from` and `to` even if they are null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(snapshot, forKey: .snapshot)
        try container.encode(from, forKey: .from)
        try container.encode(to, forKey: .to)
        try container.encodeIfPresent(start, forKey: .start)
        try container.encode(pending, forKey: .pending)
        try container.encode(rowsCompared, forKey: .rowsCompared)
        try container.encode(tablesUntouched, forKey: .tablesUntouched)
        try container.encode(baseline, forKey: .baseline)
        try container.encode(tablesChecked, forKey: .tablesChecked)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(steps, forKey: .steps)
    }
}

private struct JSONLock: Encodable {
    var path: String
    var check: Bool
    var migrations, snapshots: Int
    var added, replaced, unchanged, removed, unlocked: [String]

    init(_ lock: LockSummary) {
        path = lock.path
        check = lock.isCheck
        migrations = lock.migrationCount
        snapshots = lock.snapshotCount
        added = lock.added
        replaced = lock.replaced
        unchanged = lock.unchanged
        removed = lock.removed
        unlocked = lock.unlocked
    }
}

private struct JSONMigration: Encodable {
    struct Need: Encodable {
        var folder, purpose: String
        var bytes: Int
        var freeBytes: Int?
    }

    var database, outcome: String
    var pending: [String]
    var bytesBefore, bytesAfter, rehearsals: Int
    var needs: [Need]
    var lockSeconds: Double?
    var backup: String?
    var notes: [String]

    init(_ migrate: MigrateSummary) {
        (database, outcome, pending) = (migrate.database, migrate.outcome.rawValue, migrate.pending)
        (bytesBefore, bytesAfter) = (migrate.bytesBefore, migrate.bytesAfter)
        (rehearsals, backup, notes) = (migrate.rehearsals, migrate.backup, migrate.notes)
        lockSeconds = migrate.lockSeconds.map(rounded)
        needs = migrate.needs.map {
            Need(folder: $0.folder, purpose: $0.purpose, bytes: $0.bytes, freeBytes: $0.free)
        }
    }
}

private struct JSONNotChecked: Encodable {
    var rule, reason: String
    var snapshot, database, table: String?
}

/// Rounds to microseconds, the resolution of the times.
private func rounded(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }
