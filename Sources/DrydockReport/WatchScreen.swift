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
        let (paint, renderer) = (Paint(options.usesColor), HumanRenderer())
        var head = ""
        if let stopped { head += failure("settings", stopped, paint) }
        if let lint { head += verdict("lint", lint, options, paint) }
        if let verify { head += verdict("verify", verify, options, paint) }
        if !progress.isEmpty { head += paint.dim(progress) + "\n" }
        head += paint.dim("\(time)\(changes)") + "\n"
        var body = ""
        for report in reports { body += renderer.found(report.visible, options) }
        guard let height else { return head + body }
        return head + Self.cut(body, to: height - head.lineCount - 1, paint)
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
            return label + HumanRenderer().summary(report.visible, options)
        case .failure(let error): return failure(command, error, paint)
        }
    }

    private func failure(_ command: String, _ error: RequestError, _ paint: Paint) -> String {
        let label = paint.bold(command + ":") + String(repeating: " ", count: max(1, 7 - command.count))
        let quote = error.quote.isEmpty ? "" : VisibleText.lines(error.quote) + "\n"
        return label + paint.red("no report") + ": \(VisibleText.line(error.description))\n" + quote
    }

    /// Cuts what would push the verdicts off the screen.
    private static func cut(_ text: String, to limit: Int, _ paint: Paint) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > max(limit, 1) else { return text }
        let kept = lines.prefix(max(limit - 1, 0))
        return kept.map { $0 + "\n" }.joined()
            + paint.dim("… \(lines.count - kept.count) more lines: drydock lint and drydock verify show them")
    }
}

extension String {
    fileprivate var lineCount: Int { count { $0 == "\n" } }
}
