import Drydock

/// One line for a monitoring system: status, what is wrong, performance data
/// (https://www.monitoring-plugins.org/doc/guidelines.html#PLUGOUTPUT).
package struct NagiosRenderer: HealthReportRenderer {
    package let name = "nagios"

    package init() {}

    /// What the exit status says.
    package enum Status: Int32, Sendable {
        case ok = 0
        case warning, critical, unknown

        package var text: String { "\(self)".uppercased() }
    }

    /// The worst of all databases; one that could not be asked is worse than a warning, and no more.
    package static func status(of report: HealthReport) -> Status {
        if report.findings.contains(where: { $0.severity == .error }) { return .critical }
        if report.hasTrouble { return .unknown }
        return report.isHealthy ? .ok : .warning
    }

    package func render(_ report: HealthReport, _ options: RenderOptions) -> String {
        let status = Self.status(of: report).text
        let data = performance(report)
        return "DRYDOCK \(status) - \(plain(summary(report)))" + (data.isEmpty ? "" : " | \(data)") + "\n"
    }

    private func summary(_ report: HealthReport) -> String {
        let isOne = report.databases.count == 1
        let worst = report.findings.map(\.severity).max() ?? .note
        var sentences = report.databases.flatMap { health -> [String] in
            let name = isOne ? "" : "\(fileName(health.path)): "
            if let trouble = health.trouble { return [trouble] }
            return health.findings.filter { $0.severity > .note && $0.severity == worst }.map {
                name + $0.message
            }
        }
        let missed = report.databases.reduce(0) { $0 + $1.notReached.count }
        let more = report.findings.count { $0.severity == .warning } * (worst == .error ? 1 : 0)
        if sentences.count > 3 {
            sentences = sentences.prefix(3) + ["and \(sentences.count - 3) more"]
        }
        if sentences.isEmpty {
            let checks = report.databases.reduce(0) { $0 + $1.checked.count }
            sentences = [
                "\(counted(report.databases.count, "database")) healthy in \(counted(checks, "check"))"
            ]
        }
        if more > 0 { sentences.append(counted(more, "warning")) }
        if missed > 0 { sentences.append("\(missed) not reached") }
        return sentences.joined(separator: "; ")
    }

    /// One line, without the bar that begins performance data.
    private func plain(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar in
                scalar == "|" ? "/" : scalar.value < 32 || scalar.value == 127 ? " " : Character(scalar)
            })
    }

    /// `'label'=value[UOM];[warn];[crit];[min];[max]`
    private func performance(_ report: HealthReport) -> String {
        let isOne = report.databases.count == 1
        var data = report.databases.flatMap { health in
            health.measures.map { measure in
                let label = (isOne ? "" : fileName(health.path) + "_") + measure.name
                let (value, unit) = figure(measure)
                let (warning, critical) = (
                    measure.threshold?.warning?.text ?? "", measure.threshold?.critical?.text ?? ""
                )
                return "\(quoted(label))=\(value)\(unit);\(warning);\(critical);0;"
            }
        }
        data.append("time=\((report.seconds * 1000).rounded() / 1000)s;;;0;")
        return data.joined(separator: " ")
    }

    private func figure(_ measure: HealthMeasure) -> (String, String) {
        switch measure.unit {
        case .bytes: ("\(Int(measure.value))", "B")
        case .ratio: ("\((measure.value * 10000).rounded() / 100)", "%")
        case .rows, .frames: ("\(Int(measure.value))", "")
        }
    }

    private func quoted(_ label: String) -> String {
        let isPlain = label.utf8.allSatisfy { byte in
            byte == 95 || byte == 45 || byte == 46 || (48...57).contains(byte) || (65...90).contains(byte)
                || (97...122).contains(byte)
        }
        // "two single quotes" stand for one; the equals sign is not allowed.
        return isPlain ? label : "'" + plain(label).replacing("'", with: "''").replacing("=", with: "_") + "'"
    }

    private func fileName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
