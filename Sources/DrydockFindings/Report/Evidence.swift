import DatabaseEngine
import SQLiteSchema

/// What a finding rests on: how many rows, and a few of them.
public struct Evidence: Sendable, Codable {
    /// How many rows are concerned, all of them counted.
    public var rowCount: Int?
    /// A few of those rows.
    public var rows: [Row] = []
    /// Anything else, a line each, such as the messages of `integrity_check`.
    public var details: [String] = []

    public init(rowCount: Int? = nil, rows: [Row] = [], details: [String] = []) {
        self.rowCount = rowCount
        self.rows = rows
        self.details = details
    }

    /// How many rows a finding shows.
    public static let rowLimit = 5
    /// How many detail lines a finding keeps.
    public static let detailLimit = 20

    public struct Row: Sendable, Codable {
        /// What tells the row from others: its key, or its rowid.
        public var key: [Cell]
        /// What it held and what it holds, where a value changed; nil where there is none.
        public var before: Sample?
        public var after: Sample?
        /// What it holds that matters here, where nothing changed.
        public var values: [Cell]?

        public init(key: [Cell], before: Sample? = nil, after: Sample? = nil, values: [Cell]? = nil) {
            self.key = key
            self.before = before
            self.after = after
            self.values = values
        }
    }

    public struct Cell: Sendable, Codable {
        public var column: String
        public var value: Sample

        public init(column: String, value: Sample) {
            self.column = column
            self.value = value
        }
    }

    /// A value made ready to be shown: decoded from the database's encoding and cut short.
    public struct Sample: Sendable, Hashable, Codable {
        public var storageClass: String
        /// The value as an SQL literal, cut short.
        public var literal: String
        /// Bytes of a text or blob; nil for the others.
        public var byteCount: Int?

        /// What is shown where values must not be: class and size.
        public var shape: String {
            byteCount.map { "\(storageClass)(\(counted($0, "byte")))" } ?? storageClass
        }
    }
}

extension Evidence.Sample {
    /// Longest text shown, in characters, and longest blob, in bytes.
    private static let (textLimit, blobLimit) = (60, 16)

    public init(_ value: SQLValue, encoding: TextEncoding) {
        switch value {
        case .null: self.init(storageClass: "null", literal: "NULL")
        case .integer(let value): self.init(storageClass: "integer", literal: String(value))
        case .real(let value): self.init(storageClass: "real", literal: Self.literal(value))
        case .text(let bytes):
            self.init(
                storageClass: "text", literal: Self.quoted(encoding.decode(bytes)), byteCount: bytes.count)
        case .blob(let bytes):
            let hex = bytes.prefix(Self.blobLimit).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }
            let cut = bytes.count > Self.blobLimit ? "…" : ""
            self.init(storageClass: "blob", literal: "x'\(hex.joined())\(cut)'", byteCount: bytes.count)
        }
    }

    private init(storageClass: String, literal: String) {
        self.init(storageClass: storageClass, literal: literal, byteCount: nil)
    }

    private static func literal(_ value: Double) -> String {
        if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
        return String(describing: value)
    }

    private static func quoted(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(textLimit) {
            switch scalar {
            case "'": shown += "''"
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            default:
                if VisibleText.isHidden(scalar) {
                    shown += VisibleText.spelling(scalar)
                } else {
                    shown.unicodeScalars.append(scalar)
                }
            }
        }
        return "'" + shown + (text.unicodeScalars.count > textLimit ? "…" : "") + "'"
    }
}

/// How a database stores text (https://www.sqlite.org/fileformat2.html#enc).
public enum TextEncoding: String, Sendable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16le"
    case utf16BigEndian = "UTF-16be"

    /// Stored bytes as text, invalid sequences replaced.
    public func decode(_ bytes: [UInt8]) -> String {
        switch self {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .utf16LittleEndian, .utf16BigEndian:
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
                let (a, b) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return self == .utf16LittleEndian ? a | b << 8 : a << 8 | b
            }
            return String(decoding: units, as: UTF16.self)
        }
    }
}
