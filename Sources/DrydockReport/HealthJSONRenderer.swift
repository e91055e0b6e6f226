import Drydock

/// Turns a health report into JSON, in the envelope of every report; sizes in bytes, shares from 0 to 1.
package struct HealthJSONRenderer: HealthReportRenderer {
    package let name = "json"

    package init() {}

    package func render(_ report: HealthReport, _ options: RenderOptions) -> String {
        jsonText(Envelope(report))
    }
}

private struct Envelope: Encodable {
    var tool = "drydock"
    var formatVersion = 1
    var command = "health"
    var verdict: String
    var seconds, finishedAt: Double
    var findings: [JSONFinding]
    var databases: [JSONDatabase]
    var notChecked: [JSONNotChecked]

    init(_ report: HealthReport) {
        verdict = report.isHealthy && !report.hasTrouble ? "passed" : "failed"
        seconds = (report.seconds * 1e6).rounded() / 1e6
        finishedAt = (report.finishedAt * 1000).rounded() / 1000
        findings = report.databases.flatMap { health in
            health.findings.map { JSONFinding($0, health.path) }
        }
        databases = report.databases.map(JSONDatabase.init)
        notChecked = report.databases.flatMap { health in
            health.notReached.map {
                JSONNotChecked(rule: $0.check, reason: $0.reason, database: health.path, table: $0.table)
            }
        }
    }
}

private struct JSONFinding: Encodable {
    var rule, severity, message, help, database: String
    var table, object: String?
    var evidence: JSONEvidence?

    init(_ finding: HealthFinding, _ path: String) {
        (rule, severity, database) = (finding.check, finding.severity.rawValue, path)
        (message, help) = (finding.message, finding.help)
        (table, object) = (finding.table, finding.object)
        evidence = finding.evidence.map(JSONEvidence.init)
    }
}

private struct JSONEvidence: Encodable {
    var rowCount: Int?
    var rows: [[String: String]]?
    var details: [String]?

    init(_ evidence: Evidence) {
        rowCount = evidence.rowCount
        let keys = evidence.rows.map { row in
            Dictionary(row.key.map { ($0.column, $0.value.literal) }) { first, _ in first }
        }
        rows = keys.isEmpty ? nil : keys
        details = evidence.details.isEmpty ? nil : evidence.details
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
        (path, trouble, known, checked) = (health.path, health.trouble, health.knownCount, health.checked)
        seconds = (health.seconds * 1e6).rounded() / 1e6
        measures = Dictionary(health.measures.map { ($0.name, $0.value) }) { $1 }
    }
}

private struct JSONNotChecked: Encodable {
    var rule, reason, database: String
    var table: String?
}
