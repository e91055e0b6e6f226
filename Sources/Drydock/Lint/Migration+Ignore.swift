import SQLiteSchema

extension Migration {
    /// Returns the declaration that has a rule ignored. A comment has it for the statement that follows, or that it
    /// stands in; drydock.yml for the whole migration.
    func ignore(of rule: Rule, for statement: SQLStatement?) -> Declaration? {
        declarations.first { declaration in
            guard case .ignores(rule, _) = declaration.kind else { return false }
            if declaration.place.file != path { return true }
            guard let statement, let at = declaration.place.line else { return false }
            let last = statement.source.location(at: statement.range.upperBound).line
            let previous = statements.last { $0.range.upperBound <= statement.range.lowerBound }
            let first = previous.map { $0.source.location(at: $0.range.upperBound).line } ?? 0
            // On the line on which the statement before ends, it is about that one's end no longer.
            return at >= first && at <= last
                && (at > first || previous == nil || at == statement.location.line)
        }
    }
}
