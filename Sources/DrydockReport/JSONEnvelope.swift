import Drydock

/// A document of the JSON contract: what every command's has, and a body that is the command's own.
struct JSONEnvelope<Body: Encodable>: Encodable {
    private var head: Head
    private let body: Body

    init(_ report: Report, _ options: RenderOptions, _ body: Body) {
        head = Head(report, options)
        self.body = body
    }

    /// The document of a command that only shows what is there, or could not do what it should.
    init(
        command: String, hasFailed: Bool = false, failure: Finding? = nil, part: ReportPart? = nil,
        options: RenderOptions = RenderOptions(), _ body: Body
    ) {
        head = Head(command: command, hasFailed: hasFailed, failure: failure, options)
        head.part = part
        self.body = body
    }

    func encode(to encoder: any Encoder) throws {
        try head.encode(to: encoder)
        try body.encode(to: encoder)
    }
}

private struct Head: Encodable {
    var tool = "drydock"
    var formatVersion = 1
    var command: String
    var verdict: String
    var seconds: Double?
    var migrationFormat: String?
    /// How the migrations were run, where the folder does not say it; `replays` are those of the first.
    var readings: [ReportReading]?
    /// The folder of migrations that a search found; missing where one was named.
    var foundMigrations: String?
    var findings: [JSONFinding] = []
    var notChecked: [JSONNotChecked] = []
    var part: ReportPart?

    init(command: String, hasFailed: Bool, failure: Finding?, _ options: RenderOptions) {
        self.command = command
        verdict = hasFailed ? "failed" : "passed"
        findings = failure.map { [JSONFinding($0, options)] } ?? []
    }

    init(_ report: Report, _ options: RenderOptions) {
        command = report.command
        verdict = report.hasPassed ? "passed" : "failed"
        seconds = rounded(report.seconds)
        migrationFormat = report.migrationFormat
        readings = report.readings.isEmpty ? nil : report.readings
        foundMigrations = report.foundMigrations
        let groups = report.findingGroups
        findings = groups.map { JSONFinding($0, options) }
        notChecked = report.notChecked.map(JSONNotChecked.init)
        part = report.part
        switch report.body {
        case .lint:
            for index in findings.indices {
                findings[index].linePosition = groups[index].findings[0].place?.column
            }
        case .health:
            for index in findings.indices { findings[index].evidence?.leavesOutKey = true }
        case .verify, .lock, .migrate, .rollOut, .diff, .vacuum, .vacuums: break
        }
    }
}

private struct JSONFinding: Encodable {
    var rule, severity, message, help: String
    var snapshot, database, migration, statement, table, column, object, file: String?
    /// Every snapshot in which it is found; `snapshot` is the first.
    var snapshots: [String]?
    var line: Int?
    /// The character in the line, from 1; `column` is a column of a table.
    var linePosition: Int?
    var tags: [String]?
    var edits: [JSONEdit]?
    var evidence: JSONEvidence?
    var counterexample: JSONCounterexample?

    init(_ group: FindingGroup, _ options: RenderOptions) {
        self.init(group.findings[0], options)
        snapshots = group.snapshots.isEmpty ? nil : group.snapshots
        guard group.findings.count > 1 else { return }
        let counts = group.findings.compactMap { finding in
            finding.snapshot.flatMap { path in finding.evidence?.rowCount.map { (path, $0) } }
        }
        if !counts.isEmpty {
            evidence?.rowCounts = Dictionary(counts, uniquingKeysWith: { first, _ in first })
        }
    }

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
        counterexample = finding.counterexample.map(JSONCounterexample.init)
    }
}

private struct JSONCounterexample: Encodable {
    var schema, inserts, migration: [String]
    /// What is run before and after to show it; missing where the rows of the tables do.
    var checks: [String]?
    var sequels: [Counterexample.Sequel]?
    /// The line for a shell, where the project's own command migrates.
    var command: String?
    var tried: Int
    /// Whether the search tried everything that is smaller.
    var isSmallest: Bool

    init(_ example: Counterexample) {
        (schema, inserts, migration) = (example.schema, example.inserts, example.migration)
        checks = example.checks.isEmpty ? nil : example.checks
        sequels = example.sequels.isEmpty ? nil : example.sequels
        command = example.command
        (tried, isSmallest) = (example.tried, example.isSmallest)
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
    /// The counts of several snapshots; `rowCount` and `rows` are those of the first.
    var rowCounts: [String: Int]?
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
        let isHidden = options.redacts && evidence.areDetailsData == true
        details = evidence.details.isEmpty || isHidden ? nil : evidence.details
    }

    private enum CodingKeys: String, CodingKey { case rowCount, rowCounts, rows, details }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(rowCount, forKey: .rowCount)
        try container.encodeIfPresent(rowCounts, forKey: .rowCounts)
        if leavesOutKey {
            try container.encodeIfPresent(rows?.map(\.key), forKey: .rows)
        } else {
            try container.encodeIfPresent(rows, forKey: .rows)
        }
        try container.encodeIfPresent(details, forKey: .details)
    }
}

private struct JSONNotChecked: Encodable {
    var rule, reason: String
    var snapshot, database, table: String?

    init(_ entry: NotChecked) {
        (rule, reason) = (entry.rule.rawValue, entry.reason)
        (snapshot, database, table) = (entry.snapshot, entry.database, entry.table)
    }
}
