import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// The declarations that ignore a rule, and those of them that were not needed.
extension LintRun {
    mutating func isIgnored(_ rule: Rule, _ migration: Migration, _ statement: SQLStatement?) -> Bool {
        note(migration.ignore(of: rule, in: statement))
    }

    mutating func isIgnored(_ rule: Rule, _ migration: Migration, _ place: Finding.Place?) -> Bool {
        note(migration.ignore(of: rule, at: place))
    }

    private mutating func note(_ declaration: Declaration?) -> Bool {
        if let declaration { used.insert(declaration) }
        return declaration != nil
    }

    mutating func lintIgnores() {
        for migration in set.migrations where selection.contains(migration.identifier) {
            for declaration in migration.declarations {
                guard case .ignores(let rule, _) = declaration.kind, !used.contains(declaration),
                    Rule.ofLint.contains(rule), request.severities[rule] != .off
                else { continue }
                findings.append(
                    Finding(
                        .unusedDeclaration, .warning, "nothing here breaks \(rule.rawValue)",
                        help: "Remove '\(declaration.text)'.", migration: migration.identifier,
                        place: declaration.place))
            }
        }
    }
}
