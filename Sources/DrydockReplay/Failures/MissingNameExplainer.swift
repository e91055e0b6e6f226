import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "no such table", "no such column" and the like: which name was meant.
struct MissingNameExplainer: RefusalExplainer {
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation? {
        guard let (name, candidates) = try missing(refused) else { return nil }
        // The same name may exist elsewhere, such as in another table: that is not a misspelling.
        let others = candidates.filter { $0.foldedASCII != name.foldedASCII }
        if let home = try home(of: name, refused) { return FailureExplanation(detail: "; \(home)") }
        guard let near = nearestName(to: name, in: others) else { return nil }
        return FailureExplanation(detail: "; did you mean '\(near)'?")
    }

    /// Returns the table that has a column with exactly the missing name.
    private func home(of column: String, _ refused: RefusedStatement) throws -> String? {
        guard SQLiteMessage.noSuchColumn.matches(refused.error.message) else { return nil }
        let tables = try columnsByTable(refused).filter { _, columns in
            columns.contains { $0.foldedASCII == column.foldedASCII }
        }
        guard !tables.isEmpty else { return nil }
        return
            "\(listed(tables.map { quotedIfNeeded($0.table) })) \(tables.count == 1 ? "has" : "have") a column of that name"
    }

    /// Returns the missing name, and the names that exist.
    private func missing(_ fixture: RefusedStatement) throws -> (String, [String])? {
        let message = fixture.error.message
        if let name = SQLiteMessage.noSuchTable.rest(of: message) {
            return (Self.last(name), try names(of: ["table", "view"], fixture))
        }
        let kinds: [(String, SQLiteMessage)] = [
            ("index", .noSuchIndex), ("view", .noSuchView), ("trigger", .noSuchTrigger),
        ]
        for (kind, missing) in kinds {
            guard let name = missing.rest(of: message) else { continue }
            return (Self.last(name), try names(of: [kind], fixture))
        }
        if let rest = SQLiteMessage.noSuchColumn.rest(of: message) {
            let quoted = rest.hasPrefix("\"") ? rest.dropFirst().prefix { $0 != "\"" } : nil
            return (
                quoted.map(String.init) ?? Self.last(rest),
                try columns(fixture, qualifier: Self.qualifier(rest))
            )
        }
        if let missing = SQLiteMessage.columnMissing(in: message) {
            return (missing.column, try columns(of: missing.table, fixture))
        }
        if let name = SQLiteMessage.keyColumnMissing(in: message) {
            let names = fixture.statement?.tokens.compactMap {
                $0.identifier(in: fixture.statement?.source ?? SQLSource(name: "", ""))
            }
            return (name, names?.filter { $0 != name } ?? [])
        }
        return nil
    }

    private static func last(_ name: String) -> String {
        name.split(separator: ".").last.map(String.init) ?? name
    }

    private static func qualifier(_ name: String) -> String? {
        let parts = name.split(separator: ".")
        return parts.count > 1 ? String(parts[parts.count - 2]) : nil
    }

    private func names(of kinds: [String], _ fixture: RefusedStatement) throws -> [String] {
        let list = kinds.map(quotedText).joined(separator: ", ")
        return ["main.sqlite_schema", "temp.sqlite_schema"].flatMap { schema in
            (try? fixture.connection.rows("SELECT name FROM \(schema) WHERE type IN (\(list)) ORDER BY name")
            {
                $0.string(0)
            }) ?? []
        }
    }

    private func columns(of table: String, _ fixture: RefusedStatement) throws -> [String] {
        try fixture.connection.rows("PRAGMA table_xinfo(\(quotedName(table)))") { $0.string(1) }
    }

    /// Returns the columns of the tables and views that the statement names; only those of the qualifier, where that is
    /// a table.
    private func columns(_ fixture: RefusedStatement, qualifier: String?) throws -> [String] {
        let named = try columnsByTable(fixture)
        let own = named.filter { $0.table.foldedASCII == qualifier?.foldedASCII }
        return (own.isEmpty ? named : own).flatMap(\.columns)
    }

    private func columnsByTable(_ fixture: RefusedStatement) throws -> [(table: String, columns: [String])] {
        guard let statement = fixture.statement else { return [] }
        let words = Set(statement.tokens.compactMap { $0.name(in: statement.source)?.foldedASCII })
        return try names(of: ["table", "view"], fixture).filter { words.contains($0.foldedASCII) }
            .map { ($0, try columns(of: $0, fixture)) }
    }
}
