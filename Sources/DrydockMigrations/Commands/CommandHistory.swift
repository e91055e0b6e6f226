/// Where a database says which migrations a project's own command has applied.
public struct CommandHistory: Sendable, Hashable {
    /// The table; nil where only the query tells.
    public var table: String?
    /// Returns the identifiers that are applied, a row each, in the order in which they were.
    public var query: String
    /// Whether the query returns only the newest identifiers, and all up to them are applied.
    public var isNewestOnly = false
    /// Whether the table belongs to the tool, so that nothing in it is the app's data.
    public var isOfTool = false
    /// Further tables of the tool.
    public var otherTables: [String] = []
    /// The app's tables to which the tool adds rows by itself after each run; these are not reported.
    public var filledTables: [String] = []

    public init(query: String, table: String? = nil) { (self.query, self.table) = (query, table) }

    /// Creates the history of a tool.
    /// - Parameters:
    ///   - columns: the columns by which the table is recognised.
    ///   - missing: a column that another tool's table of this name has.
    init(
        _ table: String, _ columns: [String], _ query: String, without missing: String? = nil,
        newest: Bool = false,
        others: [String] = [], filled: [String] = []
    ) {
        self.init(query: query, table: table)
        (isNewestOnly, isOfTool, otherTables, filledTables) = (newest, true, others, filled)
        self.columns = columns
        self.missing = missing
    }

    /// The columns by which the table is recognised.
    private var columns: [String] = []
    /// A column that another tool's table of this name has.
    private var missing: String?

    /// Returns the history that a database has, if it is one that Drydock knows.
    public static func find(in facts: HistoryFacts) -> CommandHistory? {
        ToolProfile.all.lazy.compactMap(\.history).first { $0.isIn(facts) }
    }

    private func isIn(_ facts: HistoryFacts) -> Bool {
        guard let table, let found = facts.columns[table.foldedASCII] else { return false }
        return columns.allSatisfy { found.contains($0.foldedASCII) }
            && missing.map { !found.contains($0.foldedASCII) } ?? true
    }
}
