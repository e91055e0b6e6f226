import DatabaseEngine
import SQLiteSchema

/// The evidence of a finding: how many rows, and a few of them.
public struct Evidence: Sendable, Codable {
    /// The number of rows concerned, all of them counted.
    public var rowCount: Int?
    /// A few of those rows.
    public var rows: [Row] = []
    /// Anything else, a line each, such as the messages of `integrity_check`.
    public var details: [String] = []
    /// Whether the details may quote values of rows, as what a program of the project printed.
    public var areDetailsData: Bool?

    public init(
        rowCount: Int? = nil, rows: [Row] = [], details: [String] = [], areDetailsData: Bool? = nil
    ) {
        self.rowCount = rowCount
        self.rows = rows
        self.details = details
        self.areDetailsData = areDetailsData
    }

    /// How many rows a finding shows.
    public static let rowLimit = 5
    /// How many detail lines a finding keeps.
    public static let detailLimit = 20

    public struct Row: Sendable, Codable {
        /// The row's key, or its rowid.
        public var key: [Cell]
        /// What the row held and what it holds, if a value changed; nil if it did not exist.
        public var before: Sample?
        public var after: Sample?
        /// The values that matter here, if nothing changed.
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

    /// A value prepared for display: decoded from the database's encoding and cut short.
    public struct Sample: Sendable, Hashable, Codable {
        public var storageClass: String
        /// The value as an SQL literal, cut short.
        public var literal: String
        /// The size of a text or blob in bytes; nil for the others.
        public var byteCount: Int?

        /// What is shown if values must be hidden: class and size.
        public var shape: String {
            byteCount.map { "\(storageClass)(\(counted($0, "byte")))" } ?? storageClass
        }

        /// The value, marked as one; NULL does not have to be hidden.
        package var sentence: Sentence {
            Sentence(literal, redacted: storageClass == "null" ? nil : shape)
        }
    }
}

extension Evidence.Sample {
    /// The longest text shown, in characters, and the longest blob, in bytes.
    package static let (textLimit, blobLimit) = (60, 16)

    public init(_ value: SQLValue, encoding: TextEncoding) {
        switch value {
        case .null: self.init(storageClass: "null", literal: "NULL")
        case .integer(let value): self.init(storageClass: "integer", literal: String(value))
        case .real(let value): self.init(storageClass: "real", literal: Self.literal(value))
        case .text(let bytes):
            self.init(
                storageClass: "text",
                literal: Self.quoted(encoding.pieces(of: bytes, limit: Self.textLimit + 1)),
                byteCount: bytes.count)
        case .blob(let bytes):
            let cut = bytes.count > Self.blobLimit ? "…" : ""
            self.init(
                storageClass: "blob", literal: "x'\(bytes.prefix(Self.blobLimit).hex)\(cut)'",
                byteCount: bytes.count)
        }
    }

    private init(storageClass: String, literal: String) {
        self.init(storageClass: storageClass, literal: literal, byteCount: nil)
    }

    private static func literal(_ value: Double) -> String {
        if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
        return String(describing: value)
    }

    /// Returns text in single quotes. Different texts are shown differently: what does not show, and what is not valid in
    /// the encoding, is written as an escape, and so is a backslash that would look like the start of one.
    private static func quoted(_ pieces: some Sequence<TextEncoding.Piece>) -> String {
        var (shown, count, hasBackslash) = ("", 0, false)
        for piece in pieces {
            let spelled = spelling(piece)
            if hasBackslash, let first = spelled.unicodeScalars.first,
                "\\nrtux".unicodeScalars.contains(first)
            {
                shown += "\\"
            }
            guard count < textLimit else { return "'\(shown)…'" }
            count += 1
            shown += spelled
            hasBackslash = piece == .scalar("\\")
        }
        return "'\(shown)'"
    }

    private static func spelling(_ piece: TextEncoding.Piece) -> String {
        switch piece {
        case .scalar("'"): return "''"
        case .scalar("\n"): return "\\n"
        case .scalar("\r"): return "\\r"
        case .scalar("\t"): return "\\t"
        case .scalar(let scalar):
            return VisibleText.isHidden(scalar) ? VisibleText.spelling(scalar) : String(scalar)
        case .invalid(let bytes):
            return bytes.map { "\\x{\([$0].hex)}" }.joined()
        }
    }
}
