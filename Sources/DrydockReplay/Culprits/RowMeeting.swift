import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// What a statement that chooses rows finds, measured as it runs.
///
/// A statement that finds nothing shows nothing of what it does: a DELETE with a condition that no row meets deletes
/// nothing, and a REPLACE that meets no row with its key is an INSERT.
struct RowMeeting {
    private let connection: any Connection
    private let target: QualifiedName
    /// The number of changes before it ran.
    private let changes: Int
    /// The number of rows before it ran, for what replaces rows; nil for what chooses them.
    private let rows: Int?

    /// - Returns: nil for a statement that chooses no rows.
    init?(_ statement: SQLStatement, on connection: any Connection) {
        guard let choice = statement.rowChoice, let target = statement.action.target else { return nil }
        (self.connection, self.target) = (connection, target)
        changes = connection.totalChanges
        switch choice {
        case .condition: rows = nil
        case .conflict:
            // A statement whose rows cannot be counted is not treated as one that found nothing.
            guard let count = Self.count(target, connection) else { return nil }
            rows = count
        }
    }

    /// Whether it found no row. To be asked right after it ran.
    var foundNothing: Bool {
        guard let rows else { return connection.totalChanges == changes }
        let written = connection.changes
        guard let now = Self.count(target, connection) else { return false }
        // Each row that was replaced is one that did not come to the others.
        return now - rows >= written
    }

    private static func count(_ table: QualifiedName, _ connection: any Connection) -> Int? {
        let name = table.schema.map { quotedName($0) + "." } ?? ""
        return try? connection.firstRow("SELECT count(*) FROM \(name)\(quotedName(table.name))") {
            Int($0.integer(0))
        }
    }
}

extension SQLStatement {
    /// How a statement chooses the rows that it changes or copies.
    package enum RowChoice: Sendable {
        /// By a condition.
        case condition
        /// By the keys of what it inserts: REPLACE, or ON CONFLICT DO UPDATE.
        case conflict
    }

    /// How it chooses the rows that it changes or copies; nil where it changes none, or all of a table.
    package var rowChoice: RowChoice? {
        switch action {
        case .update, .delete: return hasWord(["where", "join"], outside: true) ? .condition : nil
        case .insert(_, _, let copy):
            if isReplace || !upsertColumns.isEmpty { return .conflict }
            return copy != nil && hasWord(["where", "join", "having"], outside: false) ? .condition : nil
        default: return nil
        }
    }

    /// - Parameter outside: whether the word has to stand outside of parentheses.
    private func hasWord(_ words: [String], outside: Bool) -> Bool {
        var depth = 0
        for token in tokens {
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
            if !outside || depth == 0, words.contains(where: { token.isWord($0, in: source) }) { return true }
        }
        return false
    }
}
