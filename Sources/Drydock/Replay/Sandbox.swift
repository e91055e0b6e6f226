import DatabaseEngine
import SQLiteSchema

/// What Drydock does not hand to SQLite, because it could reach around the overlay.
///
/// ATTACH and VACUUM INTO open a file, and a URI may name the VFS it is opened with
/// (https://www.sqlite.org/uri.html). A file that is named plainly is opened in the overlay.
enum Sandbox {
    /// - Throws: ``EngineError`` for a statement that names a VFS, or hides what it names.
    static func check(_ statement: SQLStatement) throws {
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
            throw refusal("Drydock does not open a file with a VFS of its own: it could write the disk")
        }
    }

    /// Whether a text is one query and nothing else.
    static func isQuery(_ text: String) -> Bool {
        let statements = SQLSource(name: "query", text).statements()
        return statements.count == 1 && statements[0].action == .select
    }

    /// Whether a text could stand in parentheses: its own are balanced and it is one piece.
    static func isExpression(_ text: String) -> Bool {
        let source = SQLSource(name: "expression", text)
        var depth = 0
        for token in source.tokens() where token.isSignificant {
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
            if depth < 0 || token.isSymbol(";", in: source) { return false }
        }
        return depth == 0
    }

    /// VACUUM [schema] INTO 'file'
    private static func vacuumTarget(_ statement: SQLStatement) -> String? {
        let (tokens, source) = (statement.tokens, statement.source)
        guard tokens.count >= 2, tokens[tokens.count - 2].isWord("into", in: source) else { return nil }
        return tokens[tokens.count - 1].stringValue(in: source)
    }

    private static func refusal(_ message: String) -> EngineError {
        EngineError(extendedCode: 23, message: message)
    }
}

extension EngineError {
    /// The message where it can hold nothing of a row; otherwise what kind of error it is.
    ///
    /// SQLite's messages about constraints name tables and columns; some about functions quote what they
    /// were given.
    var messageWithoutValues: String {
        let known = [
            "UNIQUE constraint failed", "NOT NULL constraint failed", "CHECK constraint failed",
            "FOREIGN KEY constraint failed", "datatype mismatch", "malformed JSON", "cannot store",
            "interrupted", "database disk image is malformed", "Cannot add a", "database or disk is full",
        ]
        return known.contains { message.hasPrefix($0) }
            ? message : "an error on a row, whose message may quote it (SQLite code \(code))"
    }
}
