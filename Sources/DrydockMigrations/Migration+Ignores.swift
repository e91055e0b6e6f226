import DrydockFindings
import SQLiteSchema

extension Migration {
    /// The declaration that has a rule ignored where a statement breaks it: a comment counts for the statement that
    /// follows, or that it stands in; drydock.yml for the whole migration.
    package func ignore(of rule: Rule, in statement: SQLStatement?) -> Declaration? {
        declarations.first { declaration in
            guard case .ignores(rule, _) = declaration.kind else { return false }
            guard declaration.place.file == path else { return true }
            guard let statement, let at = declaration.place.line else { return false }
            let last = statement.source.location(at: statement.range.upperBound).line
            let previous = statements.last { $0.range.upperBound <= statement.range.lowerBound }
            let first = previous.map { $0.source.location(at: $0.range.upperBound).line } ?? 0
            // On the line on which the statement before ends, it is about that one's end no longer.
            return at >= first && at <= last
                && (at > first || previous == nil || at == statement.location.line)
        }
    }

    /// The same for the statement that a place of its file is in.
    package func ignore(of rule: Rule, at place: Finding.Place?) -> Declaration? {
        let isAsked = declarations.contains { declaration in
            if case .ignores(rule, _) = declaration.kind { true } else { false }
        }
        // Where a statement is takes longer to tell than that nobody asks.
        guard isAsked else { return nil }
        let (line, column) = (place?.line ?? 0, place?.column ?? .max)
        return ignore(
            of: rule, in: statements.last { ($0.location.line, $0.location.column) <= (line, column) })
    }
}

extension Rule {
    /// Rules of a replay that a migration may ask to be left out. Never a lost row or value, nor what makes the result
    /// unusable: these have declarations of their own, or none.
    package static let ignorableInReplay: [Rule] = [
        .transactionEnded, .pragmaIgnored, .rowsAdded, .objectLost, .autoincrementReset, .searchIndexStale,
        .viewBroken, .engineDivergence, .rollbackFailed, .rollbackMismatch,
        .headerMarkChanged,
    ]

    /// What `ignore` may name.
    static var ignorable: [Rule] { ofLint + ignorableInReplay.filter { !ofLint.contains($0) } }
}
