import Drydock
import Foundation

/// What `drydock lint` prints besides its findings.
extension HumanRenderer {
    /// Returns a line for each finding that `--fix` fixed: the place, and the new text.
    func fixes(_ lint: LintSummary, _ options: RenderOptions) -> String {
        guard let fixed = lint.fixed, !fixed.isEmpty, !options.isQuiet else { return "" }
        let paint = Paint(options.usesColor)
        let lines = fixed.map { fix in
            let line = fix.place.line.map { ":\($0)" } ?? ""
            let text = SourceQuote.cut(
                (fix.place.lineText ?? "").trimmingCharacters(in: .whitespacesAndNewlines), at: 1
            ).text
            return "\(paint.green("fixed[\(fix.rule.rawValue)]")) \(fix.place.file)\(line): \(text)"
        }
        return "\n" + lines.joined(separator: "\n") + "\n"
    }

    /// Returns what the summary line counts.
    func facts(_ lint: LintSummary, tool: String) -> [String] {
        let fixed = lint.fixed.map { ["\($0.count) fixed"] } ?? []
        return [
            counted(lint.migrations, "migration"), counted(lint.statements, "statement") + " linted" + tool,
        ]
            + fixed
    }
}
