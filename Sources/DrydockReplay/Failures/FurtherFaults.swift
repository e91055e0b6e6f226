import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// The other constraints that the rows of a refused INSERT or UPDATE break. SQLite reports only the first, and each of
/// the others would stop the corrected statement again.
struct FurtherFaults {
    let fixture: FailureFixture

    /// So many are named.
    private static let limit = 4
    private static let explainers: [any FailureExplainer] = [
        NullExplainer(), StoredTypeExplainer(), CheckExplainer(), DuplicateKeyExplainer(),
    ]

    /// Returns an explanation of the first fault with those of the others.
    func added(to first: FailureExplanation) throws -> FailureExplanation {
        // SQLite looks at foreign keys after all rows passed the other constraints.
        guard !fixture.error.isForeignKeyViolation else { return first }
        var explanation = first
        var details: [Sentence] = []
        for error in try errors() where !fixture.error.isSameConstraint(as: error) {
            guard details.count < Self.limit,
                let other = try Self.explanation(of: fixture.failing(with: error))
            else { continue }
            details.append("\(error.message)\(other.detail)")
            guard let help = other.help, explanation.help != help else { continue }
            explanation.help = explanation.help.map { $0 + "\nAlso: " + help } ?? help
        }
        guard !details.isEmpty else { return first }
        explanation.detail += "; it would then fail again: \(details.joined(separator: "; "))"
        return explanation
    }

    private static func explanation(of fixture: FailureFixture) throws -> FailureExplanation? {
        for explainer in explainers {
            // Without rows it is not this fault.
            if let found = try explainer.explanation(of: fixture), found.evidence != nil { return found }
        }
        return nil
    }

    /// Returns what SQLite may say of the constraints of the table that is written.
    private func errors() throws -> [EngineError] {
        guard let statement = fixture.statement, let rows = try fixture.uncheckedRows() else { return [] }
        let table = rows.table
        let types = try StoredTypeExplainer.messages(rows)
        // OR IGNORE and the like pass over the others.
        let handlesConflicts = statement.tokens.contains { token in
            ["or", "conflict", "replace"].contains { token.isWord($0, in: statement.source) }
        }
        let others =
            handlesConflicts
            ? []
            : table.columns.filter { table.isNotNull($0) && $0.generated == nil }
                .map { SQLiteMessage.notNullFailed.text(": \(table.name).\($0.name)") }
                + table.checks.map { SQLiteMessage.checkFailed.text(": \($0.name ?? "\($0.expression)")") }
                + DuplicateKeyExplainer.labels(of: table, fixture).map { SQLiteMessage.uniqueFailed.text($0) }
        return (others + types).map { EngineError(.constraint, $0) }
    }
}

extension EngineError {
    /// Whether both are about one constraint.
    fileprivate func isSameConstraint(as other: EngineError) -> Bool {
        message == other.message
            || [SQLiteMessage.cannotStore, .checkFailed].contains { said in
                guard let one = said.rest(of: message), let two = said.rest(of: other.message) else {
                    return false
                }
                let texts = [one, two].map { SQLFragment(sql: String($0.drop { $0 == ":" })) }
                return texts[0].begins(as: texts[1])
            }
    }
}

extension SQLFragment {
    /// Whether both are one, or one of them is the other's first token: of a CHECK that begins with a name in quotes,
    /// SQLite's message has only that name.
    fileprivate func begins(as other: SQLFragment) -> Bool {
        let (one, two) = (normalized.items, other.normalized.items)
        return self == other || one.first == two.first && min(one.count, two.count) == 1
    }
}
