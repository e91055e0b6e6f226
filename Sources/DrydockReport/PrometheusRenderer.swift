import Drydock
import SQLiteSchema

/// Renders text for Prometheus, as the node exporter's textfile collector reads it: base units, HELP and TYPE for each
/// metric (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
package struct PrometheusRenderer: ReportRenderer {
    package let name = "prometheus"

    package init() {}

    /// How many databases have series of their own; of more than that, only the worst.
    package static let databaseLimit = 100
    package static let worstLimit = 20

    struct Sample {
        var labels: [(String, String)]
        var value: Double
    }

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        guard case .health(let summary) = report.body else { return "" }
        let totals = report.healthTotals ?? HealthTotals()
        let shared = totals.databases > 1 ? fleet(summary, totals, report) : ""
        guard totals.databases > Self.databaseLimit else {
            return databases(summary.databases, summary, report) + shared
        }
        let worst = Set(totals.cases.prefix(Self.worstLimit).map(\.path))
        return databases(summary.databases.filter { worst.contains($0.path) }, summary, report) + shared
    }

    private func databases(
        _ databases: [DatabaseHealth], _ summary: HealthSummary, _ report: Report
    ) -> String {
        let (findings, gaps) = (report.findingsByDatabase, report.gapsByDatabase)
        var text = ""
        text += metric(
            "up", "Whether the database could be read.",
            databases.map { Sample(labels: label($0), value: $0.trouble == nil ? 1 : 0) })
        text += metric(
            "findings", "Findings that are not accepted in the baseline.",
            databases.flatMap { health in
                Finding.Severity.allCases.map { severity in
                    Sample(
                        labels: label(health) + [("severity", severity.rawValue)],
                        value: Double(findings[health.path]?.count { $0.severity == severity } ?? 0))
                }
            })
        text += metric(
            "check_status",
            "0 for nothing found, 1 note, 2 warning, 3 error, by check; checks that were not reached are missing.",
            databases.flatMap { health in
                health.checked.map { check in
                    let worst = findings[health.path]?.filter { $0.rule == check }.map(\.severity).max()
                    return Sample(
                        labels: label(health) + [("check", check.rawValue)], value: Self.rank(worst))
                }
            })
        text += metric(
            "checks_not_reached", "Checks, or tables of a check, that were not reached.",
            databases.map { Sample(labels: label($0), value: Double(gaps[$0.path]?.count ?? 0)) })
        var names: [String] = []
        var measures: [String: (help: String, samples: [Sample])] = [:]
        for health in databases {
            for measure in health.measures {
                if measures[measure.name] == nil { names.append(measure.name) }
                measures[measure.name, default: (measure.help, [])].samples.append(
                    Sample(labels: label(health), value: measure.value))
            }
        }
        for name in names {
            if let measure = measures[name] { text += metric(name, measure.help, measure.samples) }
        }
        text += metric(
            "duration_seconds", "How long the check took.",
            databases.map { Sample(labels: label($0), value: $0.seconds) })
        return text
            + metric(
                "last_success_timestamp_seconds",
                "When the database was last read without trouble, and everything vital was reached.",
                databases.filter { Self.wasReached($0, findings[$0.path] ?? []) }.map {
                    Sample(labels: label($0), value: summary.finishedAt.rounded())
                })
    }

    /// Whether the database could be asked, and everything vital was reached.
    static func wasReached(_ health: DatabaseHealth, _ findings: [Finding]) -> Bool {
        health.trouble == nil
            && !findings.contains { $0.tags.contains(.ofRun) || $0.tags.contains(.notChecked) }
    }

    private static func rank(_ severity: Finding.Severity?) -> Double {
        switch severity {
        case nil: 0
        case .note: 1
        case .warning: 2
        case .error: 3
        }
    }

    private func label(_ health: DatabaseHealth) -> [(String, String)] { [("database", health.path)] }

    func metric(_ name: String, _ help: String, _ samples: [Sample]) -> String {
        guard !samples.isEmpty else { return "" }
        let full = "drydock_sqlite_\(name)"
        var text = "# HELP \(full) \(help)\n# TYPE \(full) gauge\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
            text += "\(full)\(labels.isEmpty ? "" : "{\(labels)}") \(number(sample.value))\n"
        }
        return text
    }

    private func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }

    private func escaped(_ text: String) -> String {
        VisibleText.lines(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
            "\n", with: "\\n")
    }
}
