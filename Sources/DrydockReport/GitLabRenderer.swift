import Drydock
import SQLiteSchema

/// Renders findings for GitLab's merge requests, as a report of code quality
/// (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format). The list holds nothing else, so what was
/// not checked is in it too.
package struct GitLabRenderer: ReportRenderer {
    package let name = "gitlab"

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        var fingerprints = FindingFingerprints(options.paths)
        let (groups, left) = report.reportedEntries
        let gaps = report.gapEntries
        var issues = groups.map { group in
            let finding = group.findings[0]
            return Issue(
                description: VisibleText.line(group.line(options)), checkName: finding.rule.rawValue,
                fingerprint: fingerprints.next(group), severity: severity(finding.severity),
                location: location(report.file(of: finding), finding.place?.line, options))
        }
        issues += gaps.shown.map { group in
            let entry = group[0]
            return Issue(
                description: VisibleText.line("not checked: \(group.line)"),
                checkName: entry.rule.rawValue,
                fingerprint: fingerprints.next(entry), severity: "minor",
                location: location(report.file(of: entry), nil, options))
        }
        for (count, text) in [(left, Report.leftOut(left)), (gaps.left, "\(gaps.left) more not checked")]
        where count > 0 {
            let finding = Finding(.nothingVerified, text)
            issues.append(
                Issue(
                    description: text, checkName: finding.rule.rawValue,
                    fingerprint: fingerprints.next(finding), severity: "minor",
                    location: location(nil, nil, options)))
        }
        return jsonText(issues)
    }

    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    {
        var fingerprints = FindingFingerprints(options.paths)
        let issue = Issue(
            description: VisibleText.line(error.description), checkName: error.reason.rawValue,
            fingerprint: fingerprints.next(Finding(.nothingVerified, command)), severity: "blocker",
            location: location(error.file ?? "drydock.yml", error.line, options))
        return jsonText([issue])
    }

    private func severity(_ severity: Finding.Severity) -> String {
        switch severity {
        case .error: "critical"
        case .warning: "minor"
        case .note: "info"
        }
    }

    private func location(_ file: String?, _ line: Int?, _ options: RenderOptions) -> Issue.Location {
        Issue.Location(
            path: VisibleText.line(options.paths.path(file ?? ".")), lines: Issue.Lines(begin: line ?? 1))
    }

    private struct Issue: Encodable {
        struct Location: Encodable {
            var path: String
            var lines: Lines
        }

        struct Lines: Encodable {
            /// GitLab wants a line; 1 for a file as a whole.
            var begin: Int
        }

        var description, checkName, fingerprint, severity: String
        var location: Location

        private enum CodingKeys: String, CodingKey {
            case description, fingerprint, severity, location
            case checkName = "check_name"
        }
    }
}
