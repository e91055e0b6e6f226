import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "malformed JSON": which rows have text that is not JSON.
struct JSONExplainer: FailureExplainer {
    func explanation(of fixture: FailureFixture) throws -> FailureExplanation? {
        guard SQLiteMessage.malformedJSON.matches(fixture.error.message), let statement = fixture.statement
        else {
            return nil
        }
        for (table, column) in candidates(statement, fixture) {
            let name = quotedName(column.name)
            var condition = "\(name) IS NOT NULL AND NOT json_valid(\(name))"
            if case .createIndex = statement.action, let partial = statement.condition {
                condition += " AND (\(partial))"
            }
            let found: RefusedRows?
            do {
                found = try RowSource(table, fixture).rows(
                    where: condition, showing: [(name: column.name, expression: name)])
            } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                continue
            }
            guard let found else { continue }
            return found.explanation(help: help(statement, column))
        }
        return nil
    }

    /// Returns the columns that a JSON function of the statement may read: those in its first argument, and after these
    /// those that generated columns and indexes of its tables read.
    private func candidates(_ statement: SQLStatement, _ fixture: FailureFixture) -> [(Table, Column)] {
        let names = Set(statement.tokens.compactMap { $0.identifier(in: statement.source)?.foldedASCII })
        let tables = fixture.schema.tables.values.filter { names.contains($0.name.foldedASCII) }
            .sorted { $0.name < $1.name }
        let direct = Self.arguments(statement)
        let read = tables.flatMap { table -> [(Table, Column)] in
            let derived =
                table.columns.compactMap { $0.generated?.expression.names }
                + fixture.schema.indexes(on: table.name).map(\.names)
            let inherited = derived.reduce(into: Set<String>()) { $0.formUnion($1) }
            return table.columns.filter { column in
                column.generated == nil
                    && (direct.contains(column.name.foldedASCII)
                        || inherited.contains(column.name.foldedASCII))
            }.map { (table, $0) }
        }
        return read.filter { direct.contains($0.1.name.foldedASCII) }
            + read.filter { !direct.contains($0.1.name.foldedASCII) }
    }

    /// Returns the names in the first argument of functions that read JSON, and those before an arrow.
    private static func arguments(_ statement: SQLStatement) -> Set<String> {
        let (tokens, source) = (statement.tokens, statement.source)
        var names: Set<String> = []
        for place in tokens.indices.dropLast() {
            guard let name = tokens[place].identifier(in: source)?.foldedASCII else { continue }
            let next = tokens[place + 1]
            if ["->", "->>"].contains(where: { next.isSymbol($0, in: source) }) { names.insert(name) }
            guard name.hasPrefix("json"), !writers.contains(name), next.isSymbol("(", in: source) else {
                continue
            }
            var depth = 0
            for token in tokens[(place + 1)...] {
                if token.isSymbol("(", in: source) { depth += 1 }
                if token.isSymbol(")", in: source) { depth -= 1 }
                if depth == 0 || depth == 1 && token.isSymbol(",", in: source) { break }
                if let argument = token.identifier(in: source) { names.insert(argument.foldedASCII) }
            }
        }
        return names
    }

    /// Functions of which the arguments are not JSON.
    private static let writers: Set<String> = [
        "json_object", "json_array", "json_quote", "json_group_array", "json_group_object",
    ]

    private func help(_ statement: SQLStatement, _ column: Column) -> String {
        let valid = "json_valid(\(quotedIfNeeded(column.name)))"
        switch statement.action {
        case .createIndex:
            return "Leave such rows out of the index:\n" + proposed(statement.adding(condition: valid) + ";")
        case .update
        where !["order", "limit", "returning"].contains(where: { statement.outermost($0) != nil }):
            return "Leave such rows as they are:\n" + proposed(statement.adding(condition: valid) + ";")
        default:
            return "Read it only where it is JSON: CASE WHEN \(valid) THEN ... END."
        }
    }
}
