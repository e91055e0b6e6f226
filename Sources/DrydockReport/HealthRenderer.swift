import Drydock
import SQLiteSchema

/// Turns a health report into text. A renderer is one file, registered in ``HealthRenderers/all``.
package protocol HealthReportRenderer: Sendable {
    /// The name for `--format` and `--report`.
    var name: String { get }
    func render(_ report: HealthReport, _ options: RenderOptions) -> String
}

package enum HealthRenderers {
    package static let all: [any HealthReportRenderer] = [
        HealthHumanRenderer(), HealthJSONRenderer(), NagiosRenderer(), PrometheusRenderer(),
    ]

    package static var names: [String] { all.map(\.name) }

    package static func named(_ name: String) -> (any HealthReportRenderer)? { all.first { $0.name == name } }
}

/// Renders for people: what is wrong with each database, why it matters, and what to do.
package struct HealthHumanRenderer: HealthReportRenderer {
    package let name = "human"

    package init() {}

    package func render(_ report: HealthReport, _ options: RenderOptions) -> String {
        var text = report.databases.map { section($0, options) }.filter { !$0.isEmpty }.joined(
            separator: "\n")
        if let accepted = report.accepted {
            text +=
                "\n\(counted(accepted.count, "finding")) \(accepted.count == 1 ? "is" : "are") known in \(VisibleText.line(accepted.path))\n"
        }
        return text
    }

    private func section(_ health: DatabaseHealth, _ options: RenderOptions) -> String {
        let health = health.visible
        let paint = Paint(options.usesColor)
        if let trouble = health.trouble { return "\(paint.red("?")) \(trouble)\n" }
        var text = head(health, paint) + "\n"
        let shown = health.findings.filter { finding in
            finding.severity == .error || finding.severity == .warning
                || options.isVerbose && finding.severity == .note
        }
        for finding in shown { text += block(finding, options, paint) }
        if options.isVerbose {
            for measure in health.measures {
                text += "  \(paint.dim(measure.name)) \(Self.value(measure))\n"
            }
            text += "  \(paint.dim("checked:")) \(health.checked.joined(separator: ", "))\n"
        }
        return options.isQuiet && shown.isEmpty && health.notReached.isEmpty
            ? "" : text + notReached(health, paint)
    }

    private func head(_ health: DatabaseHealth, _ paint: Paint) -> String {
        let worst = health.findings.map(\.severity).max() ?? .note
        let verdict =
            switch worst {
            case .error: paint.red("✗")
            case .warning: paint.yellow("!")
            case .note: paint.green("✓")
            }
        var facts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = health.findings.count { $0.severity == severity }
            return count == 0 ? nil : counted(count, severity.rawValue)
        }
        if facts.isEmpty { facts = ["healthy"] }
        if health.knownCount > 0 { facts.append("\(health.knownCount) known") }
        let bytes = health.measures.first { $0.name == "size_bytes" }.map {
            StatisticsRenderer.size(Int($0.value))
        }
        let rest = [bytes, counted(health.checked.count, "check"), Self.duration(health.seconds)]
            .compactMap(\.self)
        return "\(verdict) \(paint.bold(health.path))  \(facts.joined(separator: ", "))  "
            + paint.dim(rest.joined(separator: ", "))
    }

    private func block(_ finding: HealthFinding, _ options: RenderOptions, _ paint: Paint) -> String {
        let label = "\(finding.severity.rawValue)[\(finding.check)]"
        let painted =
            switch finding.severity {
            case .error: paint.red(label)
            case .warning: paint.yellow(label)
            case .note: paint.cyan(label)
            }
        var text = "  \(painted) \(paint.bold(finding.message))\n"
        if let evidence = finding.evidence {
            let rows = evidence.rows.map { row in
                row.key.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ")
            }
            let limit = options.isVerbose ? .max : Evidence.rowLimit
            let lines = rows + evidence.details.prefix(limit)
            for line in lines { text += "      \(line)\n" }
            if let count = evidence.rowCount, !lines.isEmpty, count > lines.count {
                text += paint.dim("      … and \(count - lines.count) more") + "\n"
            }
        }
        let lines = finding.help.split(separator: "\n", omittingEmptySubsequences: false)
        return text + "    \(paint.dim("help:")) " + lines.joined(separator: "\n          ") + "\n"
    }

    private func notReached(_ health: DatabaseHealth, _ paint: Paint) -> String {
        var text = ""
        let reported = Set(health.findings.filter(\.isGap).map(\.check))
        let rest = health.notReached.filter { !reported.contains($0.check) || $0.cause == .wholeFile }
        let whole = Dictionary(grouping: rest.filter { $0.table == nil }) { $0.reason }
        for (reason, entries) in whole.sorted(by: { $0.key < $1.key }) {
            text += line(Self.cut(entries.map(\.check).sorted(), "check"), reason, paint)
        }
        let parts = Dictionary(grouping: rest.filter { $0.table != nil }) { [$0.check, $0.reason] }
        for (key, entries) in parts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let tables = entries.compactMap(\.table)
            let names = tables.prefix(3).joined(separator: ", ") + (tables.count > 3 ? ", …" : "")
            text += line("\(key[0]) of \(counted(tables.count, "table")) (\(names))", key[1], paint)
        }
        return text
    }

    private func line(_ what: String, _ reason: String, _ paint: Paint) -> String {
        "  \(paint.yellow("not reached:")) \(what): \(reason)\n"
    }

    /// Returns the names, or the number of names and the first three.
    private static func cut(_ names: [String], _ noun: String) -> String {
        guard names.count > 4 else { return names.joined(separator: ", ") }
        return "\(counted(names.count, noun)) (\(names.prefix(3).joined(separator: ", ")), …)"
    }

    static func duration(_ seconds: Double) -> String {
        seconds < 1 ? "\(Int((seconds * 1000).rounded(.up))) ms" : "\((seconds * 100).rounded() / 100) s"
    }

    static func value(_ measure: HealthMeasure) -> String {
        switch measure.unit {
        case .bytes: StatisticsRenderer.size(Int(measure.value))
        case .ratio where measure.value.magnitude >= 10 && measure.value.magnitude < 1e15:
            "\(StatisticsRenderer.grouped(Int(measure.value.rounded()))) times"
        case .ratio: "\((measure.value * 1000).rounded() / 10) %"
        case .rows, .frames: "\(StatisticsRenderer.grouped(Int(measure.value))) \(measure.unit.rawValue)"
        }
    }
}
