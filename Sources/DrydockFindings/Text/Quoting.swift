import SQLiteSchema

/// Returns a text as an SQL literal.
package func quotedText(_ text: String) -> String { text.enclosed(in: UInt8(ascii: "'")) }

/// Returns a name as an SQL identifier.
package func quotedName(_ name: String) -> String { name.enclosed(in: UInt8(ascii: "\"")) }
