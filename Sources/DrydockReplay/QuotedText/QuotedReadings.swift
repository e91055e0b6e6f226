import DatabaseEngine
import DrydockFindings
import DrydockState
import SQLiteSchema

/// How SQLite reads the names in double quotes of one object: each as a name, or as a text where nothing has that name
/// (https://www.sqlite.org/quirks.html#dblquote).
package struct QuotedReadings: Sendable {
    private struct Occurrence: Hashable, Sendable {
        /// The name, folded, with the words around it.
        var words: [String]
        var isText: Bool
    }

    private var occurrences: [String: [Occurrence]] = [:]

    var names: Set<String> { Set(occurrences.keys) }

    init() {}

    /// Compiles the object with each name in brackets, which SQLite never reads as a text.
    /// - Parameter names: the names to look at, folded; nil for all.
    /// - Returns: nil where the object does not compile at all.
    init?(_ object: Catalog.Object, names: Set<String>?, in view: StateView) throws {
        guard let statement = SQLSource(name: "", object.text).statements().first else { return nil }
        let source = statement.source
        let places = statement.tokens.indices.filter { place in
            let token = statement.tokens[place]
            guard token.isDoublyQuoted(in: source), let name = token.identifier(in: source) else {
                return false
            }
            return names?.contains(name.foldedASCII) ?? true
        }
        let edits = places.map { statement.tokens[$0].inBrackets(in: source) }
        // Almost always all of them are names.
        let areNames = try QuotedProbe.compiles(object, as: statement.applying(edits), in: view)
        if !areNames {
            guard try QuotedProbe.compiles(object, as: object.text, in: view) else { return nil }
        }
        for (place, edit) in zip(places, edits) {
            let isText =
                try !areNames && !QuotedProbe.compiles(object, as: statement.applying([edit]), in: view)
            let words = [place - 1, place, place + 1].map { statement.word(at: $0) }
            occurrences[words[1], default: []].append(Occurrence(words: words, isText: isText))
        }
    }

    /// Whether a name that SQLite read as a name is now read as a text.
    /// - Parameter isGone: whether a column of that name is gone; then a text that is new with it was meant as the
    ///   column.
    func becomesText(_ name: String, in later: QuotedReadings, isGone: Bool) -> Bool {
        let (old, new) = (occurrences[name] ?? [], later.occurrences[name] ?? [])
        guard new.count(where: \.isText) > old.count(where: \.isText) else { return false }
        return new.count { !$0.isText } < old.count { !$0.isText } || isGone && !old.contains(where: \.isText)
    }

    /// Whether a name is now read as a text between the same words.
    func becomesTextInPlace(_ name: String, in later: QuotedReadings) -> Bool {
        let names = Set((occurrences[name] ?? []).filter { !$0.isText }.map(\.words))
        return (later.occurrences[name] ?? []).contains { $0.isText && names.contains($0.words) }
    }

    /// Takes over how some names were read.
    package mutating func add(_ other: QuotedReadings, names: Set<String>) {
        for name in names { occurrences[name] = other.occurrences[name] }
    }

    /// Whether a text is now read as a name. Its author may have rewritten the object, with a text and a name in
    /// different places: only an occurrence between the same words counts.
    func becomesName(_ name: String, in later: QuotedReadings) -> Bool {
        let old = Dictionary(grouping: occurrences[name] ?? [], by: \.words)
        let new = Dictionary(grouping: later.occurrences[name] ?? [], by: \.words)
        return old.contains { words, old in
            let new = new[words] ?? []
            return new.count(where: \.isText) < old.count(where: \.isText)
                && new.count { !$0.isText } > old.count { !$0.isText }
        }
    }
}

/// Compiles objects whose statements were changed, without running them.
private enum QuotedProbe {
    static func compiles(_ object: Catalog.Object, as text: String, in view: StateView) throws -> Bool {
        switch object.kind {
        case .view, .trigger:
            do {
                return try ViewRule().failure(of: object, as: text, in: view) == nil
            } catch let error as EngineError where error.isStatementError {
                return false
            }
        case .table, .index:
            guard let table = view.catalog.table(object.tableName) else { return false }
            return try compiles(text, object.kind, on: table, view.connection)
        }
    }

    /// Compiles the definition of a table or index on an empty temporary table.
    private static func compiles(
        _ text: String, _ kind: Catalog.Object.Kind, on table: Catalog.Table, _ connection: any Connection
    ) throws -> Bool {
        try connection.execute("SAVEPOINT drydock_quoted")
        defer { try? connection.execute("ROLLBACK TO drydock_quoted; RELEASE drydock_quoted") }
        do {
            guard kind == .index else {
                try connection.execute(temporary(text))
                return true
            }
            let columns = table.columns.map { quotedName($0.name) }.joined(separator: ", ")
            try connection.execute("CREATE TEMP TABLE \(quotedName(table.name))(\(columns)); \(text)")
            return true
        } catch let error as EngineError where error.isStatementError {
            return false
        }
    }

    /// Returns the statement that creates a table, made temporary.
    private static func temporary(_ text: String) -> String {
        guard let statement = SQLSource(name: "", text).statements().first,
            let word = statement.first(["create", "table"])
        else { return text }
        return statement.applying([SQLEdit(range: word.range, text: "CREATE TEMP")])
    }
}

extension Catalog.Object {
    /// The names in double quotes, folded.
    var doublyQuotedNames: Set<String> {
        guard text.utf8.contains(UInt8(ascii: "\"")) else { return [] }
        return SQLSource(name: "", text).statements().reduce(into: []) { names, statement in
            for token in statement.tokens where token.isDoublyQuoted(in: statement.source) {
                if let name = token.identifier(in: statement.source) { names.insert(name.foldedASCII) }
            }
        }
    }

    /// Returns the statement with a string in single quotes for each name (folded) in double quotes.
    package func text(withString name: String) -> String {
        guard let statement = SQLSource(name: "", text).statements().first else { return text }
        let source = statement.source
        let edits = statement.tokens.compactMap { token -> SQLEdit? in
            guard token.isDoublyQuoted(in: source), let own = token.identifier(in: source),
                own.foldedASCII == name
            else { return nil }
            return SQLEdit(range: token.range, text: quotedText(own))
        }
        return statement.applying(edits)
    }
}

extension SQLStatement {
    /// The word at a position, folded and without quotes; empty beyond the ends.
    fileprivate func word(at place: Int) -> String {
        guard tokens.indices.contains(place) else { return "" }
        return (tokens[place].identifier(in: source) ?? tokens[place].text(in: source)).foldedASCII
    }
}

extension Token {
    package func isDoublyQuoted(in source: SQLSource) -> Bool {
        kind == .quotedIdentifier && source.bytes[range.lowerBound] == UInt8(ascii: "\"")
    }

    /// Returns the edit that writes a name in brackets, or in backticks where it has a bracket.
    fileprivate func inBrackets(in source: SQLSource) -> SQLEdit {
        let name = identifier(in: source) ?? ""
        return SQLEdit(
            range: range,
            text: name.contains("]") ? "`" + name.replacing("`", with: "``") + "`" : "[\(name)]")
    }
}
