import DrydockFindings
import SQLiteSchema

extension Migration {
    /// Returns the declaration that ignores a rule where a statement breaks it. A comment counts for the statement
    /// that follows or that it is in; drydock.yml counts for the whole migration.
    package func ignore(of rule: Rule, in statement: SQLStatement?) -> Declaration? {
        declarations.first { declaration in
            guard case .ignores(rule, _) = declaration.kind else { return false }
            guard declaration.place.file == path else { return true }
            guard let statement, let at = declaration.place.line else { return false }
            let last = statement.source.location(at: statement.range.upperBound).line
            let previous = statements.last { $0.range.upperBound <= statement.range.lowerBound }
            let first = previous.map { $0.source.location(at: $0.range.upperBound).line } ?? 0
            // A comment on the line where the previous statement ends no longer counts for that statement.
            return at >= first && at <= last
                && (at > first || previous == nil || at == statement.location.line)
        }
    }

    /// Returns the same for the statement that contains a place of its file. Where a finding has no line, since it is about the
    /// whole file, the declaration stands before the first statement.
    package func ignore(of rule: Rule, at place: Finding.Place?) -> Declaration? {
        let isIgnoredSomewhere = declarations.contains { declaration in
            if case .ignores(rule, _) = declaration.kind { true } else { false }
        }
        // Finding the statement takes longer than finding that no rule is ignored.
        guard isIgnoredSomewhere else { return nil }
        guard let line = place?.line else { return ignore(of: rule, in: statements.first) }
        let column = place?.column ?? .max
        return ignore(
            of: rule, in: statements.last { ($0.location.line, $0.location.column) <= (line, column) })
    }

    /// Returns the declaration that leaves a finding of a replay out of the report.
    package func ignore(of finding: Finding) -> Declaration? {
        guard finding.severity != .note, Rule.ignorableInReplay.contains(finding.rule) else { return nil }
        return ignore(of: finding.rule, at: finding.place)
    }
}

extension Rule {
    /// Rules of a replay that a migration may ignore. Never a lost row or value, nor a fault that makes the result
    /// unusable: these have declarations of their own, or none.
    package static let ignorableInReplay: [Rule] = [
        .transactionEnded, .pragmaIgnored, .rowsAdded, .objectLost, .constraintLost, .referenceMoved,
        .autoincrementReset,
        .searchIndexStale, .viewBroken, .engineDivergence, .rollbackFailed, .rollbackMismatch, .crashStuck,
        .crashLoses,
        .crashDiverges, .libraryDivergence,
        .headerMarkChanged,
    ]

    /// The rules that `ignore` may name.
    static var ignorable: [Rule] { ofLint + ignorableInReplay.filter { !ofLint.contains($0) } }
}
