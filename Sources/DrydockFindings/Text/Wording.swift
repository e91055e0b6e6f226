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

/// A remedy that proposes a declaration.
package func remedy(_ condition: String, _ declaration: String, else alternative: Help = "") -> Help {
    let help: Help = "If \(condition), declare it:\n\(declaration: declaration)"
    return alternative.isEmpty ? help : help + "\n" + alternative
}

/// A name as people write it: quoted only where SQLite, in whatever place and version, may need it, and on one line,
/// with what does not show spelled out. A declaration may have it so; SQL that is run is made with ``quotedName(_:)``.
package func quotedIfNeeded(_ name: String) -> String { VisibleText.line(SQLName.printed(name)) }
