import Drydock
import SQLiteSchema

/// What `drydock health` prints of many databases: what several share is shown once, and the end says how many are
/// healthy.
extension HumanRenderer {
    /// How many databases have a section each.
    static let sectionLimit = 10
    private static let (groupLimit, lineLimitOfTroubles, exampleLimit, worstLimit) = (30, 10, 3, 10)

    func fleet(_ report: Report, _ options: RenderOptions) -> String {
        let paint = Paint(options.usesColor)
        let parts = shared(report, options, paint) + [unread(report, paint), unreached(report, paint)]
        let text = parts.filter { !$0.isEmpty }.joined(separator: "\n")
        return text + totals(report, options, follows: !text.isEmpty)
    }

    /// Returns how many databases there are, and how they are.
    func databases(_ health: HealthSummary, _ report: Report) -> String {
        let count = counted(health.databases.count, "database")
        guard health.databases.count > 1, let totals = report.healthTotals else { return count }
        return "\(count) (\(totals.words))"
    }

    // MARK: - Findings

    private func shared(_ report: Report, _ options: RenderOptions, _ paint: Paint) -> [String] {
        let groups = FindingGroup.byDatabase(report.findings.filter { $0.severity > .note })
        var blocks = groups.prefix(Self.groupLimit).map { block($0, options, paint) }
        let left = groups.dropFirst(Self.groupLimit)
        if !left.isEmpty {
            let count = left.reduce(0) { $0 + $1.findings.count }
            blocks.append(paint.dim("… and \(counted(count, "finding")) more (-v shows them)") + "\n")
        }
        return blocks
    }

    private func block(_ group: FindingGroup, _ options: RenderOptions, _ paint: Paint) -> String {
        let finding = group.findings[0], count = group.findings.count
        let title = group.isUniform ? finding.message : "in \(count) databases"
        var text = "\(healthLabel(finding, paint)) \(paint.bold(title))\n"
        // The rows are one database's own.
        if count == 1 { text += healthEvidence(finding, options, paint) }
        return text + examples(group, paint) + healthHelp(finding, paint)
    }

    /// Returns the databases of a group: their names if all say the same, otherwise what some say.
    func examples(_ group: FindingGroup, _ paint: Paint) -> String {
        let findings = group.findings
        guard findings.contains(where: { $0.database != nil }) else { return "" }
        func name(_ finding: Finding) -> String { VisibleText.line(finding.database ?? "") }
        guard !group.isUniform else {
            let count = findings.count > 1 ? "\(findings.count) databases: " : ""
            return "    \(paint.dim("in:"))   \(count)\(Self.list(findings.map(name)))\n"
        }
        let lines = findings.prefix(Self.exampleLimit).map { finding in
            let isNamed = finding.message.contains(name(finding))
            return "    " + (isNamed ? "" : name(finding) + ": ") + VisibleText.line(finding.message) + "\n"
        }
        let left = findings.count - lines.count
        return lines.joined() + (left > 0 ? paint.dim("    … and \(left) more") + "\n" : "")
    }

    // MARK: - What was not seen

    private func unread(_ report: Report, _ paint: Paint) -> String {
        let troubles = report.health?.databases.compactMap(\.trouble) ?? []
        let lines = troubles.prefix(Self.lineLimitOfTroubles).map { "\(paint.red("?")) \($0)\n" }
        let left = troubles.count - lines.count
        return lines.joined()
            + (left > 0 ? paint.dim("… and \(left) more that cannot be read (-v shows them)") + "\n" : "")
    }

    private func unreached(_ report: Report, _ paint: Paint) -> String {
        let (findings, gaps) = (report.findingsByDatabase, report.gapsByDatabase)
        let rest = gaps.keys.sorted().flatMap { Self.unreported(findings[$0] ?? [], gaps[$0] ?? []) }
        let groups = Dictionary(grouping: rest, by: \.reason).sorted {
            ($1.value.count, $0.key) < ($0.value.count, $1.key)
        }
        let lines = groups.prefix(Self.lineLimitOfTroubles).map { reason, entries in
            let rules = Set(entries.map(\.rule.rawValue)).sorted()
            var paths: [String] = []
            for entry in entries where paths.last != entry.database { paths.append(entry.database ?? "") }
            let names = paths.prefix(Self.exampleLimit).map(VisibleText.line).joined(separator: ", ")
            let more = paths.count > Self.exampleLimit ? ", …" : ""
            return line(
                "\(Self.cut(rules, "check")) in \(counted(paths.count, "database")) (\(names)\(more))",
                VisibleText.line(reason), paint)
        }
        let left = groups.count - lines.count
        return lines.joined()
            + (left > 0 ? paint.dim("  … for \(counted(left, "reason")) more (-v shows them)") + "\n" : "")
    }

    // MARK: - The end

    /// Returns how many of several databases are healthy, how large they are, and the worst; nothing where all is well
    /// and only what is wrong is wanted.
    func totals(_ report: Report, _ options: RenderOptions, follows: Bool) -> String {
        guard let totals = report.healthTotals, totals.databases > 1,
            follows || !options.isQuiet
        else { return "" }
        let paint = Paint(options.usesColor)
        var text = follows ? "\n" : ""
        text +=
            paint.bold("\(StatisticsRenderer.grouped(totals.databases)) databases") + ": \(totals.words), "
        text += duration(report.seconds) + "\n"
        guard totals.databases > Self.sectionLimit else { return text }
        if !options.isQuiet { text += Self.spreads(totals.size, totals.freeRatio, paint) }
        return text + worst(totals, paint)
    }

    /// Returns a table of percentiles.
    static func spreads(_ size: Spread?, _ ratio: Spread?, _ paint: Paint) -> String {
        func row(_ name: String, _ cells: [String]) -> String {
            "  \(StatisticsRenderer.padded(name, 6))"
                + cells.map { StatisticsRenderer.leading($0, 12) }.joined() + "\n"
        }
        var rows: [String] = []
        if let size {
            let bytes = [
                size.least, size.median, size.percentile90, size.percentile99, size.most, size.sum,
            ]
            rows.append(row("size", bytes.map { StatisticsRenderer.size(Int($0)) }))
        }
        if let ratio {
            let parts = [ratio.least, ratio.median, ratio.percentile90, ratio.percentile99, ratio.most]
            rows.append(row("free", parts.map { "\(($0 * 1000).rounded() / 10) %" }))
        }
        guard !rows.isEmpty else { return "" }
        let head = row("", ["least", "median", "90 %", "99 %", "most"] + (size == nil ? [] : ["sum"]))
        return "\n" + paint.dim(head) + rows.joined()
    }

    private func worst(_ totals: HealthTotals, _ paint: Paint) -> String {
        guard !totals.cases.isEmpty else { return "" }
        let lines = totals.cases.prefix(Self.worstLimit).map { entry in
            let mark =
                switch entry.state {
                case .broken: paint.red("✗")
                case .notRead: paint.red("?")
                case .warned, .partlyChecked, .healthy: paint.yellow("!")
                }
            let counts = [(entry.errors, "error"), (entry.warnings, "warning")].filter { $0.0 > 0 }.map {
                counted($0.0, $0.1)
            }
            let facts =
                counts.isEmpty
                ? entry.state.words
                : counts.joined(separator: ", ") + ": " + entry.rules.map(\.rawValue).joined(separator: ", ")
            return "  \(mark) \(VisibleText.line(entry.path))  \(facts)\n"
        }
        let left = totals.cases.count - lines.count
        return "\n" + paint.dim("  the worst:") + "\n" + lines.joined()
            + (left > 0 ? paint.dim("  … and \(left) more (-v shows them)") + "\n" : "")
    }
}
