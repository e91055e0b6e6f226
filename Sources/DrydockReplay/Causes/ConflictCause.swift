import DrydockFindings
import SQLiteSchema

/// What a statement, or the definition of its table, does with rows that a constraint refuses
/// (https://www.sqlite.org/lang_conflict.html).
struct ConflictCause {
    let isReplace: Bool
    let text: String
    let help: Help

    /// - Parameters:
    ///   - place: where the statement is.
    ///   - table: the table that it writes; nil where that is not known.
    init?(_ statement: SQLStatement, _ place: String, _ table: Table?) {
        let word: String
        switch (statement.action, statement.conflictWord ?? Self.word(of: table)) {
        case (.insert, let said?), (.update, let said?): word = said
        default:
            guard statement.first(["do", "nothing"]) != nil else { return nil }
            word = "ignore"
        }
        guard ["ignore", "replace"].contains(word) else { return nil }
        isReplace = word == "replace"
        let isOfTable = statement.conflictWord == nil && Self.word(of: table) != nil
        let words =
            isOfTable
            ? "ON CONFLICT \(word.uppercased()) of \(table?.name ?? "")"
            : statement.conflictWord == nil ? "ON CONFLICT DO NOTHING" : "OR \(word.uppercased())"
        let effect =
            isReplace
            ? "deletes rows that share a key with another row"
            : "silently leaves out the rows that the table refuses"
        text = "\(words) in \(place) \(effect)"
        help = Help(
            "Without \(words) the statement fails and names these rows: "
                + (isReplace
                    ? "give them keys of their own. ON CONFLICT DO UPDATE keeps the existing row."
                    : "change their values in the SELECT so that the table accepts them."))
    }

    /// Returns what the definition of a table says, in lower case; nil where it says nothing that loses rows.
    private static func word(of table: Table?) -> String? {
        guard let table else { return nil }
        let keys = table.uniques.map(\.onConflict) + [table.primaryKey?.onConflict]
        // For a NULL, REPLACE writes the default.
        let isIgnored = table.columns.contains { $0.notNull?.onConflict == .ignore }
        let word = keys.compactMap(\.self).first { $0 == .ignore || $0 == .replace }
        return (word ?? (isIgnored ? .ignore : nil))?.rawValue.foldedASCII
    }
}
