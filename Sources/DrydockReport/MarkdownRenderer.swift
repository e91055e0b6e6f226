import Drydock
import SQLiteSchema

/// Renders how two schemas differ as Markdown, for a pull request.
package struct MarkdownRenderer: ReportRenderer {
    package let name = "markdown"

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        guard let diff = report.diff else { return "" }
        guard !diff.isSame else {
            return "No difference between \(code(diff.old)) and \(code(diff.new)).\n"
        }
        var text = "### Schema: \(code(diff.old)) → \(code(diff.new))\n"
        for group in diff.changesByTable {
            text += "\n**\(code(group.name))**\n\n"
            for change in group.changes {
                let mark =
                    switch change.sign {
                    case .added: "➕"
                    case .dropped: "➖"
                    case .changed: "✏️"
                    }
                text += "- \(mark) \(code(change.detail))\n"
            }
        }
        let renames =
            diff.renames.taken.map { "Taken as renamed: \(code($0.oldPath + " → " + $0.to))" }
            + diff.renames.open.map { "Perhaps renamed: \(code($0.oldPath + " → " + $0.to))" }
        if !renames.isEmpty { text += "\n" + renames.map { "- \($0)\n" }.joined() }
        for (title, plan) in [("SQL", diff.plan), ("The way back", diff.downPlan)] {
            guard let plan, !plan.isEmpty else { continue }
            let sql = VisibleText.lines(plan.text)
            let fence = String(repeating: "`", count: max(3, longestRun(of: "`", in: sql) + 1))
            if sql != plan.text {
                text += "\nNames in it have characters that do not show: take the SQL from `--sql`.\n"
            }
            text += "\n**\(title)**\n\n\(fence)sql\n\(sql)\(fence)\n"
        }
        return text
    }

    private func code(_ text: String) -> String {
        "`" + VisibleText.line(text).replacing("`", with: "'") + "`"
    }

    private func longestRun(of character: Character, in text: String) -> Int {
        text.reduce(into: (run: 0, longest: 0)) { counts, next in
            counts.run = next == character ? counts.run + 1 : 0
            counts.longest = max(counts.longest, counts.run)
        }.longest
    }
}
