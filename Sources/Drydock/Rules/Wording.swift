import SQLiteSchema

/// `1 row`, `2 rows`.
package func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
}

/// `a`, `a and b`, `a, b and c`.
func listed(_ names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
}

/// A remedy that proposes a declaration. The marker line is where the replay writes the declaration in the
/// form that the migration can take: a comment, or an entry in drydock.yml.
func remedy(_ condition: String, _ declaration: String, else alternative: String = "") -> String {
    "If \(condition), declare it:\n\(declarationMarker)\(declaration)"
        + (alternative.isEmpty ? "" : "\n" + alternative)
}

/// Stands before a declaration in a remedy until it is known where it may be written.
let declarationMarker = "@declare "

/// A name as people write it: quoted only where SQLite, in whatever place and version, may need it, and on one line,
/// with what does not show spelled out. A declaration may have it so; SQL that is run is made with ``quotedName(_:)``.
package func quotedIfNeeded(_ name: String) -> String { VisibleText.line(SQLName.printed(name)) }
