import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// The guard against SQL that could bypass the overlay or change the whole process.
///
/// ATTACH and VACUUM INTO open a file, and a URI may name the VFS with which it is opened
/// (https://www.sqlite.org/uri.html). A plainly named file is opened in the overlay, which reads only files below the
/// folder that Drydock runs in.
package enum Sandbox {
    /// Runs a statement that others wrote.
    /// - Throws: ``EngineError``.
    package static func run(_ statement: SQLStatement, on connection: any Connection) throws {
        try check(statement)
        connection.statements?.begin(statement)
        do {
            try connection.execute(statement.executedText)
            connection.statements?.end()
        } catch var error as EngineError {
            if case .attach = statement.action, error.code == .cannotOpen {
                error.message += "; Drydock opens only files below the folder that it runs in"
            }
            if !error.isInterrupt { connection.statements?.end() }
            throw error
        }
    }

    /// PRAGMAs that set something for every connection of the process.
    private static let processSettings: Set<String> = [
        "hard_heap_limit", "soft_heap_limit", "temp_store_directory", "data_store_directory",
    ]

    /// - Throws: ``EngineError`` for a statement that names a VFS, hides what it names, or changes the process.
    package static func check(_ statement: SQLStatement) throws {
        // SQLite runs a PRAGMA as it compiles it, after EXPLAIN too.
        if let setting = pragma(statement), processSettings.contains(setting.foldedASCII) {
            throw refusal("Drydock does not run PRAGMA \(setting): it would change the whole process")
        }
        let name: String?
        switch statement.action {
        case .attach(.literal(let file)): name = file
        case .attach(.expression): name = nil
        case .vacuum(into: true): name = vacuumTarget(statement)
        default: return
        }
        guard let name else {
            throw refusal("Drydock opens a file only when its name is written as a string literal")
        }
        guard name.hasPrefix("file:"), let query = name.firstIndex(of: "?") else { return }
        // Percent signs could spell "vfs", or end a name early.
        let parameters = name[query...].lowercased()
        if parameters.contains("vfs") || parameters.contains("%") {
            throw refusal("Drydock does not open a file that names its own VFS: it could write to the disk")
        }
    }

    /// Returns whether a text is exactly one query.
    package static func isQuery(_ text: String) -> Bool {
        let statements = SQLSource(name: "query", text).statements()
        return statements.count == 1 && statements[0].action == .select
    }

    /// Returns whether a text could be put in parentheses: its own are balanced and it is one piece.
    package static func isExpression(_ text: String) -> Bool {
        let source = SQLSource(name: "expression", text)
        var depth = 0
        for token in source.tokens() where token.isSignificant {
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
            if depth < 0 || token.isSymbol(";", in: source) { return false }
        }
        return depth == 0
    }

    /// Returns the name in `[EXPLAIN [QUERY PLAN]] PRAGMA [schema.]name`.
    private static func pragma(_ statement: SQLStatement) -> String? {
        let (tokens, source) = (statement.tokens, statement.source)
        let prelude = tokens.prefix(3).prefix { token in
            ["explain", "query", "plan"].contains { token.isWord($0, in: source) }
        }
        var rest = tokens[prelude.endIndex...]
        guard rest.popFirst()?.isWord("pragma", in: source) == true, var name = rest.popFirst() else {
            return nil
        }
        if rest.first?.isSymbol(".", in: source) == true, let second = rest.dropFirst().first {
            name = second
        }
        return name.identifier(in: source) ?? name.stringValue(in: source)
    }

    /// Returns the file in `VACUUM [schema] INTO 'file'`.
    private static func vacuumTarget(_ statement: SQLStatement) -> String? {
        let (tokens, source) = (statement.tokens, statement.source)
        guard tokens.count >= 2, tokens[tokens.count - 2].isWord("into", in: source) else { return nil }
        return tokens[tokens.count - 1].stringValue(in: source)
    }

    private static func refusal(_ message: String) -> EngineError {
        EngineError(.notAuthorized, message)
    }
}

extension EngineError {
    /// The message if it cannot hold anything of a row; otherwise the kind of error.
    ///
    /// SQLite's messages about constraints name tables and columns; some about functions quote their arguments.
    package var messageWithoutValues: String {
        SQLiteMessage.withoutValues.contains { $0.matches(message) }
            ? message
            : "an error whose message is not shown, since it may quote a row (SQLite code \(extendedCode))"
    }
}

extension EngineError {
    /// What SQLite says, with what may be of a row marked.
    package var sentence: Sentence { Sentence(message, redacted: messageWithoutValues) }
}

extension StatementLog {
    /// Records that a statement of a file begins.
    package func begin(_ statement: SQLStatement) { begin { Place(statement) } }
}

extension StatementLog.Place {
    init(_ statement: SQLStatement) {
        let location = statement.location
        self.init(
            file: statement.source.name, line: location.line, column: location.column,
            lineText: statement.source.lineText(location.line))
    }
}
