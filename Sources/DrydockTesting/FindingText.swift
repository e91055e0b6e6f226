import Drydock
import DrydockReport
import SQLiteSchema

/// The text of issues: the same as on the command line, with a migration in the place of a file.
struct FindingText {
    let redacts: Bool

    /// Returns one issue for each cause, errors first, then one for each rule that was not checked.
    func issues(_ report: Report) -> [(Finding.Severity, String)] {
        let options = RenderOptions(redacts: redacts)
        let groups = FindingGroup.bySeverity(report.findings.map(shown))
        let findings = groups.map { group in
            (group.findings[0].severity, FindingsText(options: options).block(group).trimmed)
        }
        let unchecked = report.notChecked.map { entry in
            (
                Finding.Severity.warning,
                "not checked: \(entry.rule.rawValue): \(VisibleText.line(entry.reason))"
            )
        }
        return findings + unchecked
    }

    /// Returns the finding with its statement but without the line, which counts lines of what a closure executed.
    private func shown(_ finding: Finding) -> Finding {
        guard let migration = finding.migration, let place = finding.place, place.file == migration else {
            return finding
        }
        var finding = finding
        finding.place = .init(file: migration)
        finding.place?.statement = redacts ? place.statement.map(Self.withoutValues) : place.statement
        return finding
    }

    /// Replaces the literals: values that were bound to a statement may be a user's data.
    private static func withoutValues(_ statement: String) -> String {
        let source = SQLSource(name: "", statement)
        return source.tokens().map { token in
            switch token.kind {
            case .string, .blob, .number: "?"
            default: token.text(in: source)
            }
        }.joined()
    }
}

extension String {
    fileprivate var trimmed: String { hasSuffix("\n") ? String(dropLast()) : self }
}
