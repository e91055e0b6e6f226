import Drydock

extension JSONRenderer {
    /// Returns an update of `drydock health --follow` as one line: the report of `drydock health`, and what has happened
    /// since the line before.
    package func line(_ update: HealthUpdate, _ options: RenderOptions) -> String {
        guard let health = update.report.health else { return "" }
        let body = JSONFollowed(update: JSONUpdate(update), health: JSONHealth(health))
        return jsonText(JSONEnvelope(update.report, options, body), isIndented: false)
    }
}

private struct JSONFollowed: Encodable {
    var update: JSONUpdate
    var health: JSONHealth

    private enum CodingKeys: String, CodingKey { case update }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(update, forKey: .update)
        try health.encode(to: encoder)
    }
}

private struct JSONUpdate: Encodable {
    struct Table: Encodable {
        var name: String
        var bytes, growth: Int
    }

    struct Reader: Encodable {
        var process, framesBehind: Int
    }

    struct Event: Encodable {
        var time: Double
        var event: String
        var rule, severity, message, table, object: String?

        init(_ event: HealthUpdate.Event) {
            time = JSONUpdate.rounded(event.time)
            switch event.kind {
            case .new(let finding): self.event = "new"; fill(finding)
            case .gone(let finding): self.event = "gone"; fill(finding)
            case .removed: self.event = "removed"
            case .returned: self.event = "returned"
            case .replaced: self.event = "replaced"
            }
        }

        private mutating func fill(_ finding: Finding) {
            (rule, severity, message) = (finding.rule.rawValue, finding.severity.rawValue, finding.message)
            (table, object) = (finding.table, finding.object)
        }
    }

    var path: String
    var time, checkedAt: Double
    var exists: Bool
    var size, growth: Int
    var logSize, logFrames, logFramesNotCheckpointed: Int?
    var oldestReader: Reader?
    var writer: Int?
    var commitsPerSecond: Double?
    var tableCount: Int
    var tables: [Table]
    var events: [Event]

    init(_ update: HealthUpdate) {
        (path, exists) = (update.path, update.exists)
        (time, checkedAt) = (Self.rounded(update.time), Self.rounded(update.checkedAt))
        (size, growth, logSize) = (update.size, update.growth, update.logSize)
        (logFrames, logFramesNotCheckpointed) = (update.frames, update.framesNotMoved)
        oldestReader = update.oldestReader.map {
            Reader(process: Int($0.process), framesBehind: $0.framesBehind)
        }
        writer = update.writer.map(Int.init)
        commitsPerSecond = update.commitsPerSecond.map { ($0 * 100).rounded() / 100 }
        tableCount = update.tableCount
        tables = update.tables.map { Table(name: $0.name, bytes: $0.bytes, growth: $0.growth) }
        events = update.events.map(Event.init)
    }

    private static func rounded(_ time: Double) -> Double { (time * 1000).rounded() / 1000 }
}
