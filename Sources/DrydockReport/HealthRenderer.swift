import Drydock

/// Turns a health report into text. A renderer is one file, registered in ``HealthRenderers/all``.
package protocol HealthReportRenderer: Sendable {
    /// The name that `--format` and `--report` take.
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

/// What a person reads: what is wrong with each database, why it matters, and what to do.
package struct HealthHumanRenderer: HealthReportRenderer {
    package let name = "human"

    package init() {}

    package func render(_ report: HealthReport, _ options: RenderOptions) -> String {
        var text = report.databases.map { section($0, options) }.joined(separator: "\n")
        if let accepted = report.accepted {
            text +=
                "\n\(counted(accepted.count, "finding")) \(accepted.count == 1 ? "is" : "are") known in \(accepted.path)\n"
        }
        return text
    }

    private func section(_ it: DatabaseHealth, _ options: RenderOptions) -> String {
        let paint = Paint(options.usesColor)
        if let trouble = it.trouble { return "\(paint.red("?")) \(trouble)\n" }
        var text = head(it, paint) + "\n"
        let shown = it.findings.filter { finding in
            finding.severity == .error || finding.severity == .warning
                || options.isVerbose && finding.severity == .note
        }
        for finding in shown { text += block(finding, options, paint) }
        if options.isVerbose {
            for measure in it.measures {
                text += "  \(paint.dim(measure.name)) \(Self.value(measure))\n"
            }
            text += "  \(paint.dim("checked:")) \(it.checked.joined(separator: ", "))\n"
        }
        return options.isQuiet && shown.isEmpty && it.notReached.isEmpty ? "" : text + notReached(it, paint)
    }

    private func head(_ it: DatabaseHealth, _ paint: Paint) -> String {
        let worst = it.findings.map(\.severity).max() ?? .note
        let verdict =
            switch worst {
            case .error: paint.red("✗")
            case .warning: paint.yellow("!")
            case .note: paint.green("✓")
            }
        var facts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = it.findings.count { $0.severity == severity }
            return count == 0 ? nil : counted(count, severity.rawValue)
        }
        if facts.isEmpty { facts = ["healthy"] }
        if it.knownCount > 0 { facts.append("\(it.knownCount) known") }
        let bytes = it.measures.first { $0.name == "size_bytes" }.map {
            StatisticsRenderer.size(Int($0.value))
        }
        let rest = [bytes, counted(it.checked.count, "check"), Self.duration(it.seconds)].compactMap(\.self)
        return "\(verdict) \(paint.bold(it.path))  \(facts.joined(separator: ", "))  "
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

    private func notReached(_ it: DatabaseHealth, _ paint: Paint) -> String {
        var text = ""
        let groups = Dictionary(grouping: it.notReached) { [$0.check, $0.reason] }
        for (key, entries) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let tables = entries.compactMap(\.table)
            let names = tables.prefix(3).joined(separator: ", ") + (tables.count > 3 ? ", …" : "")
            let which = tables.isEmpty ? "" : " of \(counted(tables.count, "table")) (\(names))"
            text += "  \(paint.yellow("not reached:")) \(key[0])\(which): \(key[1])\n"
        }
        return text
    }

    static func duration(_ seconds: Double) -> String {
        seconds < 1 ? "\(Int((seconds * 1000).rounded(.up))) ms" : "\((seconds * 100).rounded() / 100) s"
    }

    static func value(_ measure: HealthMeasure) -> String {
        switch measure.unit {
        case .bytes: StatisticsRenderer.size(Int(measure.value))
        case .ratio: "\((measure.value * 1000).rounded() / 10) %"
        case .rows, .frames: "\(StatisticsRenderer.grouped(Int(measure.value))) \(measure.unit.rawValue)"
        }
    }
}
