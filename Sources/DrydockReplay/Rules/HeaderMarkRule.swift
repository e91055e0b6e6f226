import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `header-mark-changed`: a migration set `PRAGMA user_version` or `PRAGMA application_id`, which its tool does not
/// use.
///
/// Where the tool keeps its history there, it writes the number itself, whatever the migration did.
struct HeaderMarkRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        HeaderMark.allCases.compactMap { mark in
            guard let old = step.before.catalog.marks[mark], let new = step.after.catalog.marks[mark],
                old != new, !step.isKept(mark)
            else { return nil }
            let place = step.migration.statements.last { statement in
                guard case .pragma(let schema, let name, _?) = statement.action else { return false }
                return name.foldedASCII == mark.rawValue && ["main", nil].contains(schema?.foldedASCII)
            }
            return StepFinding(
                Finding(
                    .headerMarkChanged, severity(mark, old),
                    "PRAGMA \(mark.rawValue) was \(old) and is \(new)",
                    help: help(mark, old, new), place: place.map { .init($0) }))
        }
    }

    /// Writing an application id for the first time replaces no other.
    private func severity(_ mark: HeaderMark, _ old: Int64) -> Finding.Severity {
        mark == .applicationID && old == 0 ? .note : .warning
    }

    private func help(_ mark: HeaderMark, _ old: Int64, _ new: Int64) -> String {
        switch mark {
        case .userVersion where new < old:
            "An app or library that keeps its version there takes the database for an older version, and migrates it again. "
                + "Remove the statement; the tool keeps its history elsewhere."
        case .userVersion:
            "An app or library that keeps its version there takes the database for a newer version, and skips its own "
                + "migrations. Remove the statement; the tool keeps its history elsewhere."
        case .applicationID:
            "Programs, and file(1), recognize by it which application the file belongs to. Remove the statement unless the app changed that too."
        }
    }
}

extension StepView {
    /// Whether the tool itself uses a mark.
    fileprivate func isKept(_ mark: HeaderMark) -> Bool {
        if mark == .userVersion, usesUserVersion { return true }
        return migration.record.contains { $0.sql.foldedASCII.contains(mark.rawValue) }
    }
}
