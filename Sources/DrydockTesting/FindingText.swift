import Drydock
import DrydockReport
import SQLiteSchema

/// The words of issues: those of the command line, with a migration where a file would stand.
struct FindingText {
    let redacts: Bool

    /// One for each cause, errors first, then what was not checked.
    func issues(_ report: VerifyReport) -> [(Finding.Severity, String)] {
        let options = RenderOptions(redacts: redacts)
        let groups = FindingGroup.groups(of: report.findings.map(shown))
        let findings = groups.map { group in
            (group.findings[0].severity, HumanRenderer().block(group, options).trimmed)
        }
        let unchecked = report.notChecked.map { entry in
            (
                Finding.Severity.warning,
                "not checked: \(entry.rule.rawValue): \(VisibleText.line(entry.reason))"
            )
        }
        return findings + unchecked
    }

    /// The statement without its place, which is a line of what a closure executed.
    private func shown(_ finding: Finding) -> Finding {
        guard let migration = finding.migration, let place = finding.place, place.file == migration else {
            return finding
        }
        var finding = finding
        finding.place = .init(file: migration)
        finding.place?.statement = redacts ? place.statement.map(Self.withoutValues) : place.statement
        return finding
    }

    /// What was bound to a statement may be a user's.
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
