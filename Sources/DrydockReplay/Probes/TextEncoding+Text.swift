import SQLiteSchema

extension TextEncoding {
    /// Returns stored text; nil if it is not valid in the encoding.
    func text(of bytes: [UInt8]) -> String? {
        switch self {
        case .utf8: String(validating: bytes, as: UTF8.self)
        case .utf16LittleEndian: String(validating: Self.units(bytes) { $0 | $1 << 8 }, as: UTF16.self)
        case .utf16BigEndian: String(validating: Self.units(bytes) { $0 << 8 | $1 }, as: UTF16.self)
        }
    }

    /// Returns text as it is stored.
    func bytes(of text: String) -> [UInt8] {
        switch self {
        case .utf8: Array(text.utf8)
        case .utf16LittleEndian: text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        }
    }

    private static func units(_ bytes: [UInt8], _ join: (UInt16, UInt16) -> UInt16) -> [UInt16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map { join(UInt16(bytes[$0]), UInt16(bytes[$0 + 1])) }
    }
}
