extension String {
    /// The text with A to Z in lower case and every other character unchanged.
    ///
    /// SQLite compares the names of tables, columns and other objects like this: `Ä` and `ä` are two names.
    /// The source is `sqlite3StrICmp` with its table `sqlite3UpperToLower`.
    public var foldedASCII: String {
        guard utf8.contains(where: isUpperASCII) else { return self }
        return String(decoding: utf8.map(lowerASCII), as: UTF8.self)
    }
}

@inline(__always)
func isUpperASCII(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }

@inline(__always)
func lowerASCII(_ byte: UInt8) -> UInt8 { isUpperASCII(byte) ? byte | 0x20 : byte }
