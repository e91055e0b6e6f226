import Drydock
import SQLiteSchema

/// What `drydock health` prints of many databases: what several share is shown once, and the end says how many are
/// healthy.
struct HealthFleetText {
    let report: Report
    let options: RenderOptions

    private static let (groupLimit, troubleLimit, worstLimit) = (30, 10, 10)

    private var paint: Paint { options.paint }

    var text: String {
        let parts = shared + [unread, HealthGapsText(paint: paint).text(report)]
        let text = parts.filter { !$0.isEmpty }.joined(separator: "\n")
        return text + totals(follows: !text.isEmpty)
    }

    /// Returns how many databases there are, and how they are.
    func databases(_ health: HealthSummary) -> String {
        let count = counted(health.databases.count, "database")
        guard health.databases.count > 1, let totals = report.healthTotals else { return count }
        return "\(count) (\(totals.words))"
    }

    private var shared: [String] {
        let groups = FindingGroup.byDatabase(report.findings.filter { $0.severity > .note })
        var blocks = groups.prefix(Self.groupLimit).map { block($0) }
        let left = groups.dropFirst(Self.groupLimit)
        if !left.isEmpty {
            let count = left.reduce(0) { $0 + $1.findings.count }
            blocks.append(paint.dim("… and \(counted(count, "finding")) more (-v shows them)") + "\n")
        }
        return blocks
    }

    private func block(_ group: FindingGroup) -> String {
        let finding = group.findings[0], count = group.findings.count
        let title = group.isUniform ? finding.message : "in \(count) databases"
        var text = "\(paint.label(finding)) \(paint.bold(title))\n"
        let parts = HealthFindingText(options: options)
        // The rows are one database's own.
        if count == 1 { text += parts.evidence(finding) }
        return text + FindingsText(options: options).examples(group) + parts.help(finding)
    }

    private var unread: String {
        let troubles = report.health?.databases.compactMap(\.trouble) ?? []
        let lines = troubles.prefix(Self.troubleLimit).map { "\(paint.red("?")) \($0)\n" }
        let left = troubles.count - lines.count
        return lines.joined()
            + (left > 0 ? paint.dim("… and \(left) more that cannot be read (-v shows them)") + "\n" : "")
    }

    /// Returns how many of several databases are healthy, how large they are, and the worst; nothing where all is well
    /// and only what is wrong is wanted.
    func totals(follows: Bool) -> String {
        guard let totals = report.healthTotals, totals.databases > 1,
            follows || !options.isQuiet
        else { return "" }
        var text = follows ? "\n" : ""
        text +=
            paint.bold("\(StatisticsRenderer.grouped(totals.databases)) databases") + ": \(totals.words), "
        text += elapsed(report.seconds) + "\n"
        guard totals.databases > Report.databaseLimit else { return text }
        if !options.isQuiet { text += SpreadTable(size: totals.size, ratio: totals.freeRatio).text(paint) }
        return text + worst(totals)
    }

    private func worst(_ totals: HealthTotals) -> String {
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
