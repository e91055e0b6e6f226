import Drydock

/// The series of several databases together. Their number does not depend on how many databases there are.
extension PrometheusRenderer {
    func fleet(_ summary: HealthSummary, _ totals: HealthTotals, _ report: Report) -> String {
        let findings = report.findingsByDatabase
        var text = metric(
            "fleet_databases", "Databases by state; each has one.",
            HealthTotals.State.allCases.map {
                Sample(labels: [("state", $0.rawValue)], value: Double(totals.counts[$0] ?? 0))
            })
        text += metric(
            "fleet_findings", "Findings of all databases that are not accepted in the baseline.",
            Finding.Severity.allCases.map { severity in
                Sample(
                    labels: [("severity", severity.rawValue)],
                    value: Double(report.findings.count { $0.severity == severity }))
            })
        text += checks(summary, findings)
        text += measures(summary)
        text += metric(
            "fleet_duration_seconds", "How long the run took.", [Sample(labels: [], value: report.seconds)])
        // One database that is never reached must not hide behind the others.
        let isWhole = summary.databases.allSatisfy { Self.wasReached($0, findings[$0.path] ?? []) }
        return text
            + metric(
                "fleet_last_success_timestamp_seconds",
                "When every database was last read without trouble, and everything vital was reached.",
                isWhole ? [Sample(labels: [], value: summary.finishedAt.rounded())] : [])
    }

    /// Returns in how many databases each check was made, and in how many it found something.
    private func checks(_ summary: HealthSummary, _ findings: [String: [Finding]]) -> String {
        var reached: [Rule: Int] = [:]
        var found: [Rule: [Finding.Severity: Int]] = [:]
        for health in summary.databases {
            let worst = Dictionary(grouping: findings[health.path] ?? [], by: \.rule)
                .compactMapValues { $0.map(\.severity).max() }
            for check in health.checked {
                reached[check, default: 0] += 1
                if let severity = worst[check] { found[check, default: [:]][severity, default: 0] += 1 }
            }
        }
        let names = reached.keys.sorted { $0.rawValue < $1.rawValue }
        return metric(
            "fleet_check_databases", "Databases in which the check was made.",
            names.map { Sample(labels: [("check", $0.rawValue)], value: Double(reached[$0] ?? 0)) })
            + metric(
                "fleet_check_findings", "Databases by the worst finding of the check in them.",
                names.flatMap { check in
                    Finding.Severity.allCases.map { severity in
                        Sample(
                            labels: [("check", check.rawValue), ("severity", severity.rawValue)],
                            value: Double(found[check]?[severity] ?? 0))
                    }
                })
    }

    /// The figures whose sum means something: databases share a disk.
    private static let summed: Set<String> = ["size_bytes", "freelist_bytes"]

    /// Returns percentiles of each figure.
    private func measures(_ summary: HealthSummary) -> String {
        var names: [String] = []
        var measures: [String: (first: HealthMeasure, values: [Double])] = [:]
        for measure in summary.databases.flatMap(\.measures) {
            if measures[measure.name] == nil { names.append(measure.name) }
            measures[measure.name, default: (measure, [])].values.append(measure.value)
        }
        return names.map { name in
            guard let (measure, values) = measures[name], let spread = Spread(values) else { return "" }
            let quantiles = [
                ("0", spread.least), ("0.5", spread.median), ("0.9", spread.percentile90),
                ("0.99", spread.percentile99), ("1", spread.most),
            ]
            let text = metric(
                "fleet_" + name, measure.help,
                quantiles.map { Sample(labels: [("quantile", $0.0)], value: $0.1) })
            guard Self.summed.contains(name) else { return text }
            return text
                + metric("fleet_\(name)_sum", measure.help, [Sample(labels: [], value: spread.sum)])
        }.joined()
    }
}
