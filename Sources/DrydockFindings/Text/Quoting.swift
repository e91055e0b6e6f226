/// Returns a text as an SQL literal.
package func quotedText(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

/// Returns a name as an SQL identifier.
package func quotedName(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
}
