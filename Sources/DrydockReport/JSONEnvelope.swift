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

private struct JSONNotChecked: Encodable {
    var rule, reason: String
    var snapshot, database, table: String?

    init(_ entry: NotChecked) {
        (rule, reason) = (entry.rule.rawValue, entry.reason)
        (snapshot, database, table) = (entry.snapshot, entry.database, entry.table)
    }
}
