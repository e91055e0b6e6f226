import DrydockFindings
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// Finds references that a step turned into strings: where a tool's SQLite accepts `"text"` as a string
/// (https://www.sqlite.org/quirks.html#dblquote), a column in double quotes that is gone breaks nothing that names it.
/// Views, triggers, indexes and constraints go on with the text `'name'` in every row.
///
/// Each of them is compiled without that quirk, in the state before the step and in that after it: a name that only the
/// second refuses was a column, and is a string now.
struct QuotedReferences {
    let before: DatabaseState
    let after: DatabaseState
    let inspector: StateInspector

    struct Loss: Sendable {
        var object: Catalog.Object
        var column: String
    }

    /// The largest number of strings in one object that are looked at.
    private static let limit = 50

    func losses() async throws -> [Loss] {
        let gone = goneColumns
        guard !gone.isEmpty else { return [] }
        let suspects = after.catalog.compilable.filter { id, object in
            before.catalog.compilable[id] != nil && !object.doublyQuotedNames.isDisjoint(with: gone)
        }
        guard !suspects.isEmpty else { return [] }
        let broken = Set(after.faults.filter { $0.id.rule == .viewBroken }.flatMap(\.id.names))
        let objects = suspects.values.filter { !broken.contains($0.name.foldedASCII) }.sorted {
            $0.name < $1.name
        }
        let earlier = objects.compactMap { before.catalog.compilable[.init($0.kind, $0.name)] }
        let (old, new) = (
            try await strings(of: earlier, in: before), try await strings(of: objects, in: after)
        )
        return zip(objects, zip(old, new)).flatMap { object, strings in
            strings.1.subtracting(strings.0).intersection(gone).sorted().map {
                Loss(object: object, column: $0)
            }
        }
    }

    /// The columns that a table had and no longer has, folded.
    private var goneColumns: Set<String> {
        before.catalog.tables.reduce(into: []) { gone, entry in
            let left = Set(after.catalog.tables[entry.key]?.columns.map(\.name.foldedASCII) ?? [])
            gone.formUnion(Set(entry.value.columns.map(\.name.foldedASCII)).subtracting(left))
        }
    }

    /// Returns the names in double quotes, folded, that each object reads as strings.
    private func strings(of objects: [Catalog.Object], in state: DatabaseState) async throws -> [Set<String>]
    {
        var strict = inspector
        strict.settings.doubleQuotedStrings = false
        let catalog = state.catalog
        return try await strict.withConnection(to: state.image) { connection in
            let view = StateView(connection: connection, catalog: catalog)
            return try objects.map { try Self.strings(of: $0, in: view) }
        }
    }

    private static func strings(of object: Catalog.Object, in view: StateView) throws -> Set<String> {
        var found: Set<String> = []
        while found.count < limit {
            let text = found.isEmpty ? nil : object.text(withStrings: found)
            guard let name = try failure(of: object, as: text, in: view).flatMap(missingColumn),
                object.doublyQuotedNames.contains(name), found.insert(name).inserted
            else { break }
        }
        return found
    }

    private static func failure(
        of object: Catalog.Object, as text: String?, in view: StateView
    ) throws -> String? {
        switch object.kind {
        case .view, .trigger: return try ViewRule().failure(of: object, as: text, in: view)
        case .table, .index:
            guard let table = view.catalog.table(object.tableName) else { return nil }
            return try failure(of: text ?? object.text, object.kind, on: table, view.connection)
        }
    }

    /// Compiles the definition of a table or index on an empty temporary table.
    private static func failure(
        of text: String, _ kind: Catalog.Object.Kind, on table: Catalog.Table, _ connection: any Connection
    ) throws -> String? {
        try connection.execute("SAVEPOINT drydock_quoted")
        defer { try? connection.execute("ROLLBACK TO drydock_quoted; RELEASE drydock_quoted") }
        do {
            guard kind == .index else {
                try connection.execute(temporary(text))
                return nil
            }
            let columns = table.columns.map { quotedName($0.name) }.joined(separator: ", ")
            try connection.execute("CREATE TEMP TABLE \(quotedName(table.name))(\(columns)); \(text)")
            return nil
        } catch let error as EngineError where error.isStatementError {
            return error.message
        }
    }

    /// Returns the statement that creates a table, made temporary.
    private static func temporary(_ text: String) -> String {
        guard let statement = SQLSource(name: "", text).statements().first,
            let word = statement.first(["create", "table"])
        else { return text }
        return statement.applying([SQLEdit(range: word.range, text: "CREATE TEMP")])
    }

    /// Returns the column, folded, that SQLite says does not exist, as in `no such column: a` or, since 3.41,
    /// `no such column: "a" - should this be a string literal in single-quotes?`.
    private static func missingColumn(_ message: String) -> String? {
        guard let text = SQLiteMessage.noSuchColumn.rest(of: message) else { return nil }
        let name = text.hasPrefix("\"") ? String(text.dropFirst().prefix { $0 != "\"" }) : text
        return name.foldedASCII
    }
}

extension Catalog {
    /// Everything whose statement can name columns: views, triggers, indexes, and tables for their constraints.
    fileprivate var compilable: [ObjectID: Object] {
        tables.values.filter { $0.module == nil }.reduce(into: objects) { all, table in
            all[.init(.table, table.name)] = Object(table)
        }
    }
}

extension Catalog.Object {
    /// The names in double quotes, folded.
    var doublyQuotedNames: Set<String> {
        guard text.contains("\"") else { return [] }
        return SQLSource(name: "", text).statements().reduce(into: []) { names, statement in
            for token in statement.tokens where token.isDoublyQuoted(in: statement.source) {
                if let name = token.identifier(in: statement.source) { names.insert(name.foldedASCII) }
            }
        }
    }

    /// Returns the statement with strings in single quotes for names in double quotes.
    /// - Parameter names: folded.
    fileprivate func text(withStrings names: Set<String>) -> String {
        guard let statement = SQLSource(name: "", text).statements().first else { return text }
        let source = statement.source
        let edits = statement.tokens.compactMap { token -> SQLEdit? in
            guard token.isDoublyQuoted(in: source), let name = token.identifier(in: source),
                names.contains(name.foldedASCII)
            else { return nil }
            return SQLEdit(range: token.range, text: quotedText(name))
        }
        return statement.applying(edits)
    }
}

extension Token {
    fileprivate func isDoublyQuoted(in source: SQLSource) -> Bool {
        kind == .quotedIdentifier && source.bytes[range.lowerBound] == UInt8(ascii: "\"")
    }
}
