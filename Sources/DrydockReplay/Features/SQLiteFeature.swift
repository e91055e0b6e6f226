import SQLiteSchema

/// A feature that a statement uses and an older SQLite does not know.
package struct SQLiteFeature {
    /// How an older version shows that it does not know the feature.
    package enum Kind {
        /// It refuses the statement's form.
        case syntax
        /// It does not know the name of a function or a table, or the number of arguments.
        case name
        /// It computes something else.
        case value
    }

    package var since: SQLiteVersion
    package var what: String
    package var token: Token?
    package var kind = Kind.syntax

    package init(since: SQLiteVersion, what: String, token: Token?, kind: Kind = .syntax) {
        (self.since, self.what, self.token, self.kind) = (since, what, token, kind)
    }

    /// Returns the features that a statement shows by itself, including the statements of a trigger.
    package static func features(of statement: SQLStatement) -> [SQLiteFeature] {
        var isIndex = false
        if case .createIndex = statement.action { isIndex = true }
        let parts = [statement] + statement.triggerBody
        return FeatureReader(statement, isIndex: isIndex).features + parts.flatMap(ofChange)
            + ofDefinition(statement)
    }

    private static func ofDefinition(_ statement: SQLStatement) -> [SQLiteFeature] {
        func feature(_ version: SQLiteVersion, _ what: String) -> SQLiteFeature {
            .init(since: version, what: what, token: nil)
        }
        switch statement.action {
        case .dropColumn: return [feature(.init(35), "DROP COLUMN")]
        case .renameColumn: return [feature(.init(25), "RENAME COLUMN")]
        case .vacuum(into: true): return [feature(.init(27), "VACUUM INTO")]
        case .createVirtualTable(_, let module) where module.foldedASCII == "fts5":
            let text = statement.text.foldedASCII
            return [feature(.init(9), "FTS5")]
                + SQLiteFeatureTable.fullText.filter { text.contains($0.text) }.map {
                    feature($0.since, "FTS5 with \($0.text)")
                }
        case .createTable(_, _, asSelect: false):
            let options = statement.tokens.reversed().prefix { !$0.isSymbol(")", in: statement.source) }
            let isStrict = options.contains { $0.isWord("strict", in: statement.source) }
            return isStrict ? [feature(.init(37), "STRICT")] : []
        default: return []
        }
    }

    /// Returns the features of one INSERT, UPDATE or DELETE.
    private static func ofChange(_ statement: SQLStatement) -> [SQLiteFeature] {
        let action = statement.action
        switch action {
        case .insert, .update, .delete: break
        default: return []
        }
        var features: [SQLiteFeature] = []
        if let token = statement.outermost("returning") {
            features.append(.init(since: .init(35), what: "RETURNING", token: token))
        }
        if case .update = action, let token = statement.outermost("from"),
            !statement.isBehind("distinct", token)
        {
            features.append(.init(since: .init(33), what: "UPDATE FROM", token: token))
        }
        guard case .insert = action else { return features }
        if let values = statement.insertSource?.arms.first(where: \.isValues) {
            let reader = FeatureReader(statement, isIndex: false)
            if let token = reader.secondTuple(values.tokens) {
                features.append(
                    .init(since: .init(7, 11), what: "VALUES with several rows", token: token))
            }
        }
        let conflicts = statement.tokens.indices.dropLast(2).filter { place in
            statement.tokens[place].isWord("on", in: statement.source)
                && statement.tokens[place + 1].isWord("conflict", in: statement.source)
        }
        if conflicts.count > 1 {
            features.append(
                .init(
                    since: .init(35), what: "a second ON CONFLICT", token: statement.tokens[conflicts[1]]))
        } else if let token = statement.first(["on", "conflict", "do", "update"]) {
            features.append(
                .init(since: .init(35), what: "DO UPDATE without a conflict target", token: token))
        }
        return features
    }
}
