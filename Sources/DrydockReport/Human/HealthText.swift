import Drydock
import SQLiteSchema

/// What `drydock health` prints: what is wrong with each database, and what to do.
struct HealthText {
    let health: HealthSummary
    let report: Report
    let options: RenderOptions

    private var paint: Paint { options.paint }

    var text: String {
        var text = databases
        if let accepted = health.accepted {
            text +=
                "\(text.isEmpty ? "" : "\n")\(counted(accepted.count, "finding")) \(accepted.count == 1 ? "is" : "are") known in \(VisibleText.line(accepted.path))\n"
        }
        return text
    }

    private var databases: String {
        let fleet = HealthFleetText(report: report, options: options)
        if health.databases.count > Report.databaseLimit, !options.isVerbose { return fleet.text }
        let findings = report.findingsByDatabase, gaps = report.gapsByDatabase
        let text = health.databases.map {
            section($0, findings[$0.path] ?? [], gaps[$0.path] ?? [])
        }.filter { !$0.isEmpty }.joined(separator: "\n")
        return text + fleet.totals(follows: !text.isEmpty)
    }

    private func section(
        _ health: DatabaseHealth, _ findings: [Finding], _ gaps: [NotChecked]
    ) -> String {
        if let trouble = health.trouble { return "\(paint.red("?")) \(trouble)\n" }
        var text = head(health, findings) + "\n"
        let shown = findings.filter { finding in
            finding.severity == .error || finding.severity == .warning
                || options.isVerbose && finding.severity == .note
        }
        for finding in shown { text += HealthFindingText(options: options).block(finding) }
        if options.isVerbose {
            for measure in health.measures {
                text += "  \(paint.dim(measure.name)) \(Self.value(measure))\n"
            }
            text += "  \(paint.dim("checked:")) \(health.checked.map(\.rawValue).joined(separator: ", "))\n"
        }
        return options.isQuiet && shown.isEmpty && gaps.isEmpty
            ? "" : text + HealthGapsText(paint: paint).text(findings, gaps)
    }

    private func head(_ health: DatabaseHealth, _ findings: [Finding]) -> String {
        let worst = findings.map(\.severity).max() ?? .note
        let verdict =
            switch worst {
            case .error: paint.red("✗")
            case .warning: paint.yellow("!")
            case .note: paint.green("✓")
            }
        var facts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = findings.count { $0.severity == severity }
            return count == 0 ? nil : counted(count, severity.rawValue)
        }
        if facts.isEmpty { facts = ["healthy"] }
        if health.knownCount > 0 { facts.append("\(health.knownCount) known") }
        let bytes = health.measures.first { $0.name == "size_bytes" }.map {
            StatisticsRenderer.size(Int($0.value))
        }
        let rest = [bytes, counted(health.checked.count, "check"), Self.healthDuration(health.seconds)]
            .compactMap(\.self)
        return "\(verdict) \(paint.bold(VisibleText.line(health.path)))  \(facts.joined(separator: ", "))  "
            + paint.dim(rest.joined(separator: ", "))
    }

    private static func healthDuration(_ seconds: Double) -> String {
        seconds < 1 ? "\(Int((seconds * 1000).rounded(.up))) ms" : "\((seconds * 100).rounded() / 100) s"
    }

    private static func value(_ measure: HealthMeasure) -> String {
        switch measure.unit {
        case .bytes: StatisticsRenderer.size(Int(measure.value))
        case .ratio where measure.value.magnitude >= 10 && measure.value.magnitude < 1e15:
            "\(StatisticsRenderer.grouped(Int(measure.value.rounded()))) times"
        case .ratio: "\((measure.value * 1000).rounded() / 10) %"
        case .rows, .frames: "\(StatisticsRenderer.grouped(Int(measure.value))) \(measure.unit.rawValue)"
        }
    }
}
