import SQLiteSchema

/// Which columns of a snapshot are masked.
public struct MaskRequest: Sendable {
    /// As `table.column`, `table.*`, or `table.column:ordered` where numbers keep their order.
    public var columns: [String] = []
    /// Columns that may stay as they are, as `table.column` or `table.*`.
    public var allowed: [String] = []
    /// Whether further columns are masked by their name, type and content.
    public var isAuto = false
    /// Whether nothing is written if a column is neither masked nor allowed.
    public var isStrict = false
    /// Nil for a random one.
    public var key: MaskKey?

    public init() {}

    var isWanted: Bool { !columns.isEmpty || isAuto || isStrict }
}

/// What was masked, and what was not.
public struct MaskSummary: Sendable {
    public struct Column: Sendable, Hashable {
        public var table: String
        public var column: String
        public var reason: String

        /// As `--mask` takes it, in quotes where they are needed.
        public var name: String { "\(Self.part(table)).\(Self.part(column))" }

        private static func part(_ name: String) -> String {
            name.contains(".") || name == "*" || name.contains("\"") ? SQLName.quoted(name) : name
        }
    }

    /// The reason of a column that stays since nobody said anything of it.
    public static let notNamed = "not named"

    /// The columns that are masked, each with how it came to that.
    public var masked: [Column] = []
    /// The columns that stay as they are, each with why.
    public var left: [Column] = []
    /// The columns of which nothing is said, which ``MaskRequest/isStrict`` does not allow.
    public var unsettled: [Column] = []
    /// Whether the key was made for this run, so that no other gives the same masks.
    public var hasRandomKey = false
}
