import Drydock
import Foundation

/// What `drydock lint` prints besides its findings.
struct LintText {
    let lint: LintSummary
    let options: RenderOptions

    /// A line for each finding that `--fix` fixed: the place, and the new text.
    var fixes: String {
        guard let fixed = lint.fixed, !fixed.isEmpty, !options.isQuiet else { return "" }
        let paint = options.paint
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
    func facts(tool: String) -> [String] {
        let fixed = lint.fixed.map { ["\($0.count) fixed"] } ?? []
        return [
            counted(lint.migrations, "migration"), counted(lint.statements, "statement") + " linted" + tool,
        ]
            + fixed
    }
}
