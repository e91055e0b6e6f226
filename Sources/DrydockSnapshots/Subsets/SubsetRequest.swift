import DatabaseEngine

/// What a small snapshot of a database is to hold.
///
///     var request = SubsetRequest(database: "app.sqlite", output: "Snapshots/v7.sqlite")
///     request.amount = .percent(1)
///     request.masks.columns = ["person.email", "person.name"]
///     let report = try await SubsetMaker(engine: GRDBDriver()).run(request)
public struct SubsetRequest: Sendable {
    /// How many rows of a table are chosen, beside those that are kept for another reason.
    public enum Amount: Sendable, Hashable {
        case rows(Int)
        /// Of the table's rows, more than 0 and at most 100.
        case percent(Double)
    }

    /// The path of the database, which other programs may have open. It is never written.
    public var database: String
    /// The file that is made. It must not exist.
    public var output: String
    /// Nil for ``standardRows``, and for every row of a table with a condition.
    public var amount: Amount?
    /// Tables of up to this many rows are taken whole.
    public var wholeLimit = 100
    /// Conditions in SQL, by table: only rows for which it is true are chosen. Rows that these refer to come with them.
    public var conditions: [String: String] = [:]
    /// Tables whose rows come with the rows that they refer to.
    public var children: [String] = []
    /// The same seed chooses the same rows.
    public var seed: UInt64 = 1
    /// Whether rows are left out that break a foreign key or another constraint of their table.
    public var isOnlyValid = false
    /// Further tables that belong to a migration tool, and are taken whole.
    public var historyTables: [String] = []
    public var masks = MaskRequest()
    /// Stand-ins for what the app registers with SQLite.
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []

    public init(database: String, output: String) { (self.database, self.output) = (database, output) }

    package static let standardRows = 1000
}
