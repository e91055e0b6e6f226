/// A text as an SQL literal.
package func quotedText(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

/// A name as an SQL identifier.
package func quotedName(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
}
