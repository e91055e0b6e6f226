import Drydock
import SQLiteSchema

/// Renders a report as a comment on a pull request: the verdict, a table, and each finding folded. It begins with a mark by
/// which an earlier comment is found, to be updated. A comment that would be too long leaves out findings, and says so.
package struct MarkdownRenderer: ReportRenderer {
    package let name = "markdown"
    package let isForPeople = true

    /// GitHub refuses a longer comment. It counts characters; bytes are never fewer.
    static let limit = 65_536
    /// Bytes for what follows the folded findings.
    private static let reserve = 1_000
    /// Bytes for the table, for what was not checked, and for one part of a finding.
    private static let tableLimit = 16_000
    private static let gapsLimit = 8_000
    private static let partLimit = 8_000
    /// Characters of a message in the table.
    private static let messageLimit = 300

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        var comment = Comment(head(report, options))
        let groups =
            report.health == nil
            ? FindingGroup.bySeverity(findings(report)) : FindingGroup.byDatabase(report.reported)
        comment.append(table(groups, report, options))
        if let diff = report.diff {
            comment.append(changes(diff), else: "tables are not shown: the comment would be too long") { $0 }
        }
        comment.append(gaps(report))
        if let diff = report.diff {
            comment.append(plans(diff), else: "scripts are not shown: the comment would be too long") { $0 }
        }
        let names = SnapshotNames(report.visible)
        comment.append(
            groups, else: "findings are not shown: the comment would be too long. The job's log has all."
        ) { details($0, report, options, names) }
        comment.append(replays(report))
        return comment.text
    }

    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    {
        Self.mark(command) + "### ❌ drydock \(command): no report\n\n"
            + MarkdownText.prose(error.description) + "\n"
            + (error.quote.isEmpty ? "" : "\n" + MarkdownText.fence(error.quote, "text"))
    }

    /// The differences of two schemas have a list of their own.
    private func findings(_ report: Report) -> [Finding] {
        report.diff == nil ? report.reported : report.findings
    }

    private static func mark(_ command: String) -> String { "<!-- drydock:\(command) -->\n" }

    private func head(_ report: Report, _ options: RenderOptions) -> String {
        var verbose = options.plain
        (verbose.isVerbose, verbose.isQuiet) = (true, false)
        let title = "drydock \(report.command): \(report.hasPassed ? "passed" : "failed")"
        let sign = !report.hasPassed ? "❌" : report.notChecked.isEmpty ? "✅" : "⚠️"
        var facts: String
        switch report.body {
        case .diff(let diff):
            let (old, new) = (MarkdownText.code(diff.old), MarkdownText.code(diff.new))
            guard !diff.isSame else {
                return Self.mark(report.command)
                    + "### ✅ \(title)\n\nNo difference between \(old) and \(new).\n"
            }
            facts = "\(old) → \(new): " + counted(diff.changes.count, "difference")
        case .vacuum(let vacuum): facts = MarkdownText.code(vacuum.database)
        default:
            let lines = SummaryText(report: report.visible, options: verbose).text.split(separator: "\n")
            facts = lines.map { MarkdownText.prose(String($0)) }.joined(separator: "\n\n")
        }
        return Self.mark(report.command) + "### \(sign) \(title)\n\n\(facts)\n"
    }

    private func table(_ groups: [FindingGroup], _ report: Report, _ options: RenderOptions) -> String {
        guard !groups.isEmpty else { return "" }
        var text = "| | Rule | Where | What |\n|---|---|---|---|\n"
        for (index, group) in groups.enumerated() {
            let finding = group.findings[0]
            let more = group.findings[0].database == nil ? 0 : group.findings.count - 1
            let place = place(finding, report, options) + (more > 0 ? " and \(more) more" : "")
            let shown = place.isEmpty ? "" : MarkdownText.code(Self.cut(place, 200))
            let row =
                "| \(Self.sign(finding.severity)) | `\(finding.rule.rawValue)` | \(shown) "
                + "| \(MarkdownText.prose(Self.cut(finding.message(options), Self.messageLimit))) |\n"
            guard text.utf8.count + row.utf8.count < Self.tableLimit else {
                return text + "\n… and \(counted(groups.count - index, "finding")) more\n"
            }
            text += row
        }
        return text
    }

    private func place(_ finding: Finding, _ report: Report, _ options: RenderOptions) -> String {
        guard let file = report.file(of: finding) else { return "" }
        return options.paths.path(file) + (finding.place?.line.map { ":\($0)" } ?? "")
    }

    /// Returns a finding, folded; nil if its row in the table is all there is to say.
    private func details(
        _ group: FindingGroup, _ report: Report, _ options: RenderOptions, _ names: SnapshotNames
    ) -> String? {
        let finding = group.findings[0]
        let message = finding.message(options)
        var text = ""
        let shows = !(options.redacts && finding.place?.quotesData == true)
        if shows, let sql = finding.place?.statement ?? finding.place?.lineText {
            text += "\n" + MarkdownText.fence(Self.cut(sql, Self.partLimit), "sql")
        }
        let visible = FindingGroup(findings: group.findings.map(\.visible))
        let shown = visible.findings[0]
        let words = FindingsText(options: options.plain, names: names)
        let lines =
            EvidenceText(options: options.plain).text(shown) + words.snapshots(visible)
            + (group.findings.count > 1 ? words.examples(visible) : "")
        if !lines.isEmpty { text += "\n" + MarkdownText.fence(Self.cut(lines, Self.partLimit), "text") }
        if finding.severity != .note, let why = finding.why {
            text += "\n**Why:** \(MarkdownText.prose(why))\n"
        }
        if !finding.help.isEmpty { text += "\n" + help(finding.help) }
        // The table has said it all.
        if text.isEmpty, message.count <= Self.messageLimit { return nil }
        let file = place(finding, report, options)
        let place = file.isEmpty ? "" : " " + MarkdownText.html(Self.cut(file, 200))
        return
            "<details>\n<summary>\(Self.sign(finding.severity)) <code>\(finding.rule.rawValue)</code>\(place)</summary>\n\n"
            + MarkdownText.prose(Self.cut(message, 2_000)) + "\n" + text + "\n</details>\n"
    }

    /// Returns help: prose, and what is indented as code.
    private func help(_ help: String) -> String {
        guard help.contains("\n") else { return "**Help:** \(MarkdownText.prose(help))\n" }
        return "**Help:**\n\n" + MarkdownText.fence(Self.cut(help, Self.partLimit), "text")
    }

    private func gaps(_ report: Report) -> String {
        guard !report.notChecked.isEmpty else { return "" }
        var text = "**Not checked**\n\n"
        let groups = report.gapEntries.shown
        var left = report.notChecked.count
        for group in groups {
            let entry = group[0]
            let place = [entry.snapshot ?? entry.database, entry.table].compactMap {
                group.count == 1 ? $0.map(MarkdownText.code) : nil
            }
            let reason = group.count == 1 ? entry.reason : group.line
            let line =
                (["- `\(entry.rule.rawValue)`"] + place).joined(separator: " ")
                + ": \(MarkdownText.prose(Self.cut(reason, 500)))\n"
            guard text.utf8.count + line.utf8.count < Self.gapsLimit else { break }
            text += line
            left -= group.count
        }
        return left == 0 ? text : text + "- … and \(left) more\n"
    }

    /// Returns the replays, folded.
    private func replays(_ report: Report) -> String {
        guard !report.replays.isEmpty else { return "" }
        let limit = 50
        var text =
            "<details>\n<summary>\(counted(report.replays.count, "replay"))</summary>\n\n"
            + "| Snapshot | From | To | Steps | Rows compared | Pages written |\n|---|---|---|---:|---:|---:|\n"
        for replay in report.replays.prefix(limit) {
            let pages = replay.steps.reduce(0) { $0 + $1.pagesWritten }
            let pending =
                replay.pendingCount > 0 ? " of \(replay.steps.count + replay.pendingCount)" : ""
            text +=
                "| \(MarkdownText.code(replay.name)) | \(MarkdownText.code(replay.from ?? replay.start.rawValue)) | "
                + "\(replay.to.map(MarkdownText.code) ?? "not replayed") | \(replay.steps.count)\(pending) | "
                + "\(replay.rowsCompared) | \(pages) |\n"
        }
        let more = report.replays.count - limit
        return text + (more > 0 ? "\n… and \(more) more\n" : "") + "\n</details>\n"
    }

    private static func sign(_ severity: Finding.Severity) -> String {
        switch severity {
        case .error: "❌"
        case .warning: "⚠️"
        case .note: "ℹ️"
        }
    }

    /// - Parameter count: in characters.
    private static func cut(_ text: String, _ count: Int) -> String {
        let start = text.prefix(count)
        return start.endIndex == text.endIndex ? text : start + "…"
    }

    /// Whole blocks, as many as fit.
    private struct Comment {
        private(set) var text: String

        init(_ text: String) { self.text = text }

        /// Adds a block, if there is room.
        mutating func append(_ block: String) {
            guard !block.isEmpty, fits(block) else { return }
            text += "\n" + block
        }

        /// Adds blocks while there is room; what is left out is counted, and not rendered.
        mutating func append<Item>(_ items: [Item], else words: String, _ block: (Item) -> String?) {
            for (index, item) in items.enumerated() {
                guard let block = block(item) else { continue }
                guard fits(block) else {
                    text += "\n\(items.count - index) \(words)\n"
                    return
                }
                text += "\n" + block
            }
        }

        private func fits(_ block: String) -> Bool {
            text.utf8.count + block.utf8.count + 1 <= MarkdownRenderer.limit - MarkdownRenderer.reserve
        }
    }
}
