import SQLiteSchema

/// Returns a count and a noun: `1 row`, `2 rows`.
package func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
}

/// Returns names as a list in a sentence: `a`, `a and b`, `a, b and c`.
package func listed(_ names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
}

/// Returns a remedy that proposes a declaration. At the marker line the replay writes the declaration in the form
/// that the migration can take: a comment, or an entry in drydock.yml.
package func remedy(_ condition: String, _ declaration: String, else alternative: String = "") -> String {
    "If \(condition), declare it:\n\(declarationMarker)\(declaration)"
        + (alternative.isEmpty ? "" : "\n" + alternative)
}

/// Precedes a declaration in a remedy until it is known where it may be written.
package let declarationMarker = "@declare "

/// Returns a name as people write it: quoted only where some version of SQLite may need it in some place, and on one
/// line, with invisible characters spelled out. A declaration may use this form; SQL that is run uses
/// ``quotedName(_:)``.
package func quotedIfNeeded(_ name: String) -> String { VisibleText.line(SQLName.printed(name)) }

/// Returns the help for a function that SQLite does not have.
package func standInHelp(forFunction name: String) -> String {
    "If the app registers it, give Drydock a stand-in in drydock.yml:\n  functions:\n    \(name): {returns: null}"
}
