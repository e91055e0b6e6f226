import Drydock

struct JSONFinding: Encodable {
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

struct JSONCounterexample: Encodable {
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

struct JSONEdit: Encodable {
    var file: String
    var line, linePosition: Int
    var replace, with: String

    init(_ edit: Finding.Edit) {
        (file, line, linePosition) = (edit.file, edit.line, edit.linePosition)
        (replace, with) = (edit.replaced, edit.replacement)
    }
}

struct JSONEvidence: Encodable {
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
