import Drydock
import SQLiteSchema

/// What `drydock watch` shows of a round: the verdicts first, then what was found.
package struct WatchScreen: Sendable {
    package typealias Outcome = Result<Report, RequestError>

    /// The time of the day at which the round began.
    package var time: String
    /// The paths that changed since the last round.
    package var changed: [String]
    /// Why nothing can be checked.
    package var stopped: RequestError?
    package var lint: Outcome?
    package var verify: Outcome?
    /// What is being done; empty once the round has ended.
    package var progress = ""

    package init(time: String, changed: [String]) { (self.time, self.changed) = (time, changed) }

    /// - Parameter height: the lines of the terminal, of which the verdicts must not leave the first; nil for text that
    ///   is not cut.
    package func text(_ options: RenderOptions, height: Int? = nil) -> String {
        let paint = options.paint
        var head = ""
        if let stopped { head += failure("settings", stopped, paint) }
        if let lint { head += verdict("lint", lint, options, paint) }
        if let verify { head += verdict("verify", verify, options, paint) }
        if !progress.isEmpty { head += paint.dim(progress) + "\n" }
        head += paint.dim("\(time)\(changes)") + "\n"
        var body = ""
        for report in reports.map(\.visible) {
            body += FindingsText(options: options, names: SnapshotNames(report)).text(report)
        }
        guard let height else { return head + body }
        let columns = options.width ?? .max
        let used = head.split(separator: "\n").reduce(0) { $0 + Self.rows(of: $1, columns) }
        return head + Self.cut(body, to: height - used - 1, columns, paint)
    }

    /// The reports, what was seen on rows first; lint's leaves out what verify says as well.
    private var reports: [Report] {
        let verified = try? verify?.get()
        guard var linted = try? lint?.get() else { return [verified].compactMap(\.self) }
        let known = Set((verified?.findings ?? []).map(Sign.init))
        linted.findings.removeAll { known.contains(Sign($0)) }
        return [verified, linted].compactMap(\.self)
    }

    /// What findings of lint and verify about one thing share.
    private struct Sign: Hashable {
        let rule: Rule
        let file: String?
        let line: Int?
        let message: String

        init(_ finding: Finding) {
            (rule, message) = (finding.rule, finding.message)
            (file, line) = (finding.place?.file, finding.place?.line)
        }
    }

    private var changes: String {
        guard let first = changed.first else { return "" }
        let others = changed.count > 1 ? " and \(changed.count - 1) more" : ""
        return "  \(VisibleText.line(first))\(others) changed"
    }

    private func verdict(
        _ command: String, _ outcome: Outcome, _ options: RenderOptions, _ paint: Paint
    ) -> String {
        switch outcome {
        case .success(let report):
            let label = paint.bold(command + ":") + String(repeating: " ", count: 7 - command.count)
            return label + SummaryText(report: report.visible, options: options).text
        case .failure(let error): return failure(command, error, paint)
        }
    }

    private func failure(_ command: String, _ error: RequestError, _ paint: Paint) -> String {
        let label = paint.bold(command + ":") + String(repeating: " ", count: max(1, 7 - command.count))
        let quote = error.quote.isEmpty ? "" : VisibleText.lines(error.quote) + "\n"
        return label + paint.red("no report") + ": \(VisibleText.line(error.description))\n" + quote
    }

    /// Cuts what would push the verdicts off the screen.
    private static func cut(_ text: String, to limit: Int, _ columns: Int, _ paint: Paint) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.reduce(0, { $0 + rows(of: $1, columns) }) > max(limit, 1) else { return text }
        var (kept, left) = (0, limit - 1)
        for line in lines {
            left -= rows(of: line, columns)
            guard left >= 0 else { break }
            kept += 1
        }
        return lines.prefix(kept).map { $0 + "\n" }.joined()
            + paint.dim("… \(lines.count - kept) more lines: drydock lint and drydock verify show them")
    }

    /// Returns how many lines of the terminal a line takes; colours take no place.
    private static func rows(of line: Substring, _ columns: Int) -> Int {
        let count = line.replacing(/\u{1B}\[[0-9;]*m/, with: "").count
        return max(1, (count - 1) / columns + 1)
    }
}
