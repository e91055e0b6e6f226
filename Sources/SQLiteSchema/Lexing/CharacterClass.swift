/// The classes of bytes in SQLite's tokenizer (`sqlite3CtypeMap` of global.c).
enum CharacterClass {
    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }

    /// Returns whether a byte continues whitespace: the vertical tab does, though it cannot begin it.
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }

    /// Returns whether a byte may be in an identifier: letters, digits, `_`, `$` and every byte above 127.
    @inline(__always)
    static func isIdentifier(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte >= 0x80 || isDigit(byte) || byte == 0x5F || byte == 0x24
    }
}
