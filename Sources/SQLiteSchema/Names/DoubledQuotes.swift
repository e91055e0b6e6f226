extension String {
    /// The text between two quotes, with each one inside doubled: how SQL writes names and strings.
    ///
    /// SQLite reads bytes. For Swift, a quote and a combining mark after it are one `Character`, which is not equal to
    /// the quote, so this looks at bytes too.
    package func enclosed(in quote: UInt8) -> String {
        var bytes = [quote]
        for byte in utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [quote], as: UTF8.self)
    }

    /// The text that ``enclosed(in:)`` was called on; unchanged where no such quotes are around it.
    package func unenclosed(from quote: UInt8) -> String {
        let bytes = Array(utf8)
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return self }
        var inner: [UInt8] = []
        var isDoubled = false
        for byte in bytes[1..<(bytes.count - 1)] {
            isDoubled = byte == quote && !isDoubled
            if !isDoubled { inner.append(byte) }
        }
        return String(decoding: inner, as: UTF8.self)
    }
}
