import Drydock
import SQLiteSchema

/// How two schemas differ, for a pull request.
extension MarkdownRenderer {
    /// Returns the differences table by table.
    func changes(_ diff: DiffSummary) -> [String] {
        var blocks = diff.changesByTable.map { group in
            "**\(MarkdownText.code(group.name))**\n\n"
                + group.changes.map { change in
                    let mark =
                        switch change.sign {
                        case .added: "➕"
                        case .dropped: "➖"
                        case .changed: "✏️"
                        }
                    return "- \(mark) \(MarkdownText.code(change.detail))\n"
                        + change.clauses.map { "  - \(MarkdownText.code($0))\n" }.joined()
                }.joined()
        }
        let renames =
            diff.renames.taken.map { ("Treated as renamed", $0) }
            + diff.renames.open.map { ("Perhaps renamed", $0) }
        if !renames.isEmpty {
            blocks.append(
                renames.map { "- \($0): \(MarkdownText.code($1.oldPath + " → " + $1.to))\n" }.joined())
        }
        if !diff.unparsed.isEmpty {
            blocks.append(
                diff.unparsed.map { "- Not parsed, compared by tokens: \(MarkdownText.code($0))\n" }.joined())
        }
        return blocks
    }

    /// Returns the SQL from one to the other, and back.
    func plans(_ diff: DiffSummary) -> [String] {
        [("SQL", diff.plan), ("The way back", diff.downPlan)].compactMap { title, plan in
            guard let plan, !plan.isEmpty else { return nil }
            let note =
                VisibleText.lines(plan.text) == plan.text
                ? "" : "Names in it have characters that do not show: take the SQL from `--sql`.\n\n"
            return note + "**\(title)**\n\n" + MarkdownText.fence(plan.text, "sql")
        }
    }
}
