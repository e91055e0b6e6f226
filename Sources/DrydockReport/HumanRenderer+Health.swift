import Drydock
import SQLiteSchema

/// What `drydock health` prints: what is wrong with each database, and what to do.
extension HumanRenderer {
    func text(_ health: HealthSummary, _ report: Report, _ options: RenderOptions) -> String {
        var text = databases(health, report, options)
        if let accepted = health.accepted {
            text +=
                "\(text.isEmpty ? "" : "\n")\(counted(accepted.count, "finding")) \(accepted.count == 1 ? "is" : "are") known in \(VisibleText.line(accepted.path))\n"
        }
        return text
    }

    private func databases(_ health: HealthSummary, _ report: Report, _ options: RenderOptions) -> String {
        if health.databases.count > Self.sectionLimit, !options.isVerbose { return fleet(report, options) }
        let findings = report.findingsByDatabase, gaps = report.gapsByDatabase
        let text = health.databases.map {
            section($0, findings[$0.path] ?? [], gaps[$0.path] ?? [], options)
        }.filter { !$0.isEmpty }.joined(separator: "\n")
        return text + totals(report, options, follows: !text.isEmpty)
    }

    private func section(
        _ health: DatabaseHealth, _ findings: [Finding], _ gaps: [NotChecked], _ options: RenderOptions
    ) -> String {
        let paint = Paint(options.usesColor)
        if let trouble = health.trouble { return "\(paint.red("?")) \(trouble)\n" }
        var text = head(health, findings, paint) + "\n"
        let shown = findings.filter { finding in
            finding.severity == .error || finding.severity == .warning
                || options.isVerbose && finding.severity == .note
        }
        for finding in shown { text += healthBlock(finding, options, paint) }
        if options.isVerbose {
            for measure in health.measures {
                text += "  \(paint.dim(measure.name)) \(Self.value(measure))\n"
            }
            text += "  \(paint.dim("checked:")) \(health.checked.map(\.rawValue).joined(separator: ", "))\n"
        }
        return options.isQuiet && shown.isEmpty && gaps.isEmpty
            ? "" : text + notReached(findings, gaps, paint)
    }

    private func head(_ health: DatabaseHealth, _ findings: [Finding], _ paint: Paint) -> String {
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

    func healthLabel(_ finding: Finding, _ paint: Paint) -> String {
        let label = "\(finding.severity.rawValue)[\(finding.rule.rawValue)]"
        return switch finding.severity {
        case .error: paint.red(label)
        case .warning: paint.yellow(label)
        case .note: paint.cyan(label)
        }
    }

    private func healthBlock(_ finding: Finding, _ options: RenderOptions, _ paint: Paint) -> String {
        "  \(healthLabel(finding, paint)) \(paint.bold(finding.message))\n"
            + healthEvidence(finding, options, paint) + healthHelp(finding, paint)
    }

    func healthHelp(_ finding: Finding, _ paint: Paint) -> String {
        let lines = finding.help.split(separator: "\n", omittingEmptySubsequences: false)
        return "    \(paint.dim("help:")) " + lines.joined(separator: "\n          ") + "\n"
    }

    func healthEvidence(_ finding: Finding, _ options: RenderOptions, _ paint: Paint) -> String {
        guard let evidence = finding.evidence else { return "" }
        let rows = evidence.rows.map { row in
            row.key.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ")
        }
        let limit = options.isVerbose ? .max : Evidence.rowLimit
        let lines = rows + evidence.details.prefix(limit)
        var text = lines.map { "      \($0)\n" }.joined()
        if let count = evidence.rowCount, !lines.isEmpty, count > lines.count {
            text += paint.dim("      … and \(count - lines.count) more") + "\n"
        }
        return text
    }

    private func notReached(_ findings: [Finding], _ gaps: [NotChecked], _ paint: Paint) -> String {
        var text = ""
        let rest = Self.unreported(findings, gaps)
        let whole = Dictionary(grouping: rest.filter { $0.table == nil }) { VisibleText.line($0.reason) }
        for (reason, entries) in whole.sorted(by: { $0.key < $1.key }) {
            text += line(Self.cut(entries.map(\.rule.rawValue).sorted(), "check"), reason, paint)
        }
        let parts = Dictionary(grouping: rest.filter { $0.table != nil }) {
            [$0.rule.rawValue, VisibleText.line($0.reason)]
        }
        for (key, entries) in parts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let tables = entries.compactMap(\.table)
            let names = tables.prefix(3).joined(separator: ", ") + (tables.count > 3 ? ", …" : "")
            text += line("\(key[0]) of \(counted(tables.count, "table")) (\(names))", key[1], paint)
        }
        return text
    }

    /// Returns the gaps that are not findings already.
    static func unreported(_ findings: [Finding], _ gaps: [NotChecked]) -> [NotChecked] {
        let reported = Set(findings.filter { $0.tags.contains(.notChecked) }.map(\.rule))
        return gaps.filter { gap in
            if case .notReached(.wholeFile, _) = gap.cause { return true }
            return !reported.contains(gap.rule)
        }
    }

    func line(_ what: String, _ reason: String, _ paint: Paint) -> String {
        "  \(paint.yellow("not reached:")) \(what): \(reason)\n"
    }

    /// Returns the names, or the number of names and the first three.
    static func cut(_ names: [String], _ noun: String) -> String {
        guard names.count > 4 else { return names.joined(separator: ", ") }
        return "\(counted(names.count, noun)) (\(names.prefix(3).joined(separator: ", ")), …)"
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

extension Report {
    /// The findings about live databases, by path.
    var findingsByDatabase: [String: [Finding]] { Dictionary(grouping: findings) { $0.database ?? "" } }

    /// What was not reached in live databases, by path.
    var gapsByDatabase: [String: [NotChecked]] { Dictionary(grouping: notChecked) { $0.database ?? "" } }
}
