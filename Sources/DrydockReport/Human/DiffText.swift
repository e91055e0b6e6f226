import Drydock
import SQLiteSchema

/// What `drydock diff` prints of two schemas.
struct DiffText {
    let diff: DiffSummary
    let options: RenderOptions

    /// The differences, table by table.
    var text: String {
        let paint = options.paint
        guard !diff.isSame else {
            return "\(paint.green("same")): \(line(diff.old)) and \(line(diff.new))\n"
        }
        var text = "\(paint.red("---")) \(line(diff.old))\n\(paint.green("+++")) \(line(diff.new))\n"
        for group in diff.changesByTable {
            text += "\n\(paint.bold(line(group.name)))\n"
            for change in group.changes {
                let detail = "\(change.sign.rawValue) \(line(change.detail))"
                switch change.sign {
                case .added: text += "  \(paint.green(detail))\n"
                case .dropped: text += "  \(paint.red(detail))\n"
                case .changed: text += "  \(paint.yellow(detail))\n"
                }
                for clause in change.clauses.map(line) {
                    text += "      \(clause.hasPrefix("+") ? paint.green(clause) : paint.red(clause))\n"
                }
            }
        }
        for rename in diff.renames.taken {
            text +=
                "\n\(paint.cyan("treated as renamed:")) \(line(rename.oldPath)) → \(line(rename.to)) (\(line(rename.evidence))); "
                + "--rename or --no-detect-renames decides otherwise\n"
        }
        for rename in diff.renames.open {
            text +=
                "\n\(paint.yellow("perhaps renamed:")) \(line(rename.oldPath)) → \(line(rename.to)) (\(line(rename.evidence))); "
                + "--rename \(line(rename.oldPath))=\(line(rename.to)) says so\n"
        }
        for object in diff.unparsed {
            text += "\n\(paint.yellow("not parsed:")) \(line(object)); compared by tokens\n"
        }
        return text + "\n" + counted(diff.changes.count, "difference") + "\n"
    }

    private func line(_ text: String) -> String { VisibleText.line(text) }
}
