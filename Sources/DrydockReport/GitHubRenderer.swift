import Drydock
import SQLiteSchema

/// Renders findings as workflow commands of GitHub Actions, which shows them beside the changed lines
/// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
///
/// A step shows ten annotations of each severity. The first finding of each rule comes before the second of any; where there
/// are more, the tenth annotation stands for the rest.
package struct GitHubRenderer: ReportRenderer {
    package let name = "github"
    /// The annotations of a severity that the runner shows.
    private static let limit = 10
    /// In characters: an annotation with more is refused as a whole.
    private static let messageLimit = 8000

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        var verbose = options.plain
        verbose.isVerbose = true
        return annotations(report, options)
            + TerminalText.lines(SummaryText(report: report.visible, options: verbose).text)
    }

    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    {
        var annotation = Annotation(
            level: "error", title: "drydock \(command)", message: error.description)
        (annotation.file, annotation.line) = (error.file.map(options.paths.path), error.line)
        return annotation.text
    }

    /// Returns the commands alone, for output that has text for people before.
    package func annotations(_ report: Report, _ options: RenderOptions) -> String {
        let (groups, left) = report.reportedEntries
        let names = SnapshotNames(report.visible)
        let more = left == 0 ? "" : VisibleText.line(Report.leftOut(left)) + "\n"
        return Finding.Severity.allCases.reversed().map { severity in
            var annotations = annotations(
                of: groups.filter { $0.findings[0].severity == severity }, names, report, options)
            if severity == .warning, !report.notChecked.isEmpty {
                annotations = Self.cut([gaps(report, options)] + annotations)
            } else {
                annotations = Self.cut(annotations)
            }
            return annotations.map(\.text).joined()
        }.joined() + more
    }

    // MARK: - Order and number

    /// Returns an annotation for each group, the first of each rule before the second of any.
    private func annotations(
        of groups: [FindingGroup], _ names: SnapshotNames, _ report: Report, _ options: RenderOptions
    ) -> [Annotation] {
        var seen: Set<Rule> = []
        let first = groups.filter { seen.insert($0.findings[0].rule).inserted }
        seen = []
        let rest = groups.filter { !seen.insert($0.findings[0].rule).inserted }
        return (first + rest).map { annotation($0, names, report, options) }
    }

    /// Adds an annotation before those that are not shown, which says what they are about. They are written all the same,
    /// for the log.
    private static func cut(_ annotations: [Annotation]) -> [Annotation] {
        guard annotations.count > limit else { return annotations }
        var annotations = annotations
        let hidden = annotations[(limit - 1)...]
        var counts: [(name: String, count: Int)] = []
        for annotation in hidden {
            if let index = counts.firstIndex(where: { $0.name == annotation.title }) {
                counts[index].count += 1
            } else {
                counts.append((annotation.title, 1))
            }
        }
        let list = counts.map { $0.count == 1 ? $0.name : "\($0.name) (\($0.count))" }
        let level = annotations[0].level
        let rest = Annotation(
            level: level, title: "\(hidden.count) more \(level)s",
            message: "GitHub shows \(limit) \(level)s of a step. Its log has the rest: "
                + list.joined(separator: ", "))
        annotations.insert(rest, at: limit - 1)
        return annotations
    }

    // MARK: - One annotation

    private func annotation(
        _ group: FindingGroup, _ names: SnapshotNames, _ report: Report, _ options: RenderOptions
    ) -> Annotation {
        let finding = group.findings[0]
        let level =
            switch finding.severity {
            case .error: "error"
            case .warning: "warning"
            case .note: "notice"
            }
        let words = FindingsText(options: options.plain, names: names).words(group)
        var annotation = Annotation(
            level: level, title: finding.rule.rawValue, message: String(words.prefix(Self.messageLimit)))
        annotation.file = report.file(of: finding).map(options.paths.path)
        (annotation.line, annotation.column) = (finding.place?.line, finding.place?.column)
        return annotation
    }

    private func gaps(_ report: Report, _ options: RenderOptions) -> Annotation {
        let entries = report.gapEntries.shown
        let lines = entries.prefix(20).map { group in
            let entry = group[0]
            guard group.count == 1 else { return "\(entry.rule.rawValue) \(VisibleText.line(group.line))" }
            return
                "\(entry.rule.rawValue)\((entry.snapshot ?? entry.database).map { " [\($0)]" } ?? ""): \(VisibleText.line(entry.reason))"
        }
        let more = report.notChecked.count - entries.prefix(20).reduce(0) { $0 + $1.count }
        let message =
            (lines + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n").prefix(
                Self.messageLimit)
        return Annotation(
            level: "warning", title: "\(report.notChecked.count) not checked", message: String(message))
    }

    private struct Annotation {
        var level: String
        var title: String
        var message: String
        var file: String?
        var line: Int?
        var column: Int?

        var text: String {
            var properties: [String] = []
            if let file { properties.append("file=\(property(file))") }
            if let line { properties.append("line=\(line)") }
            if let column, line != nil { properties.append("col=\(column)") }
            properties.append("title=\(property(title))")
            return "::\(level) \(properties.joined(separator: ","))::\(data(VisibleText.lines(message)))\n"
        }

        private func property(_ text: String) -> String {
            data(VisibleText.line(text)).replacing(":", with: "%3A").replacing(",", with: "%2C")
        }

        private func data(_ text: String) -> String {
            text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
        }
    }
}
