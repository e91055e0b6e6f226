import DrydockFindings
import DatabaseEngine

/// What `drydock diff --data` is asked.
public struct DataDiffRequest: Sendable {
    public var old: SchemaSource
    public var new: SchemaSource
    /// Only these tables, in any case; all when empty.
    public var tables: [String] = []
    /// Whether the rows are to become SQL, which only two databases of one schema allow.
    public var wantsScript = false
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []
    /// Whether rows are read from the pages where that is exact; SQL alone gives the same answer.
    package var readsPages = true
    /// How many rows may lie beside none of their like before another way is taken; 16 bytes each.
    package var leftoverLimit = 600_000

    public init(from old: SchemaSource, to new: SchemaSource) {
        self.old = old
        self.new = new
    }
}

/// What two databases have in common and what not, apart from rows.
public struct DataDiffOverview: Sendable {
    public var old: String
    public var new: String
    /// Both have their text in it.
    public var encoding = TextEncoding.utf8
    /// Names of tables.
    public var onlyInOld: [String] = []
    public var onlyInNew: [String] = []
    /// Tables whose rows were not held against each other, and why.
    public var notCompared: [(table: String, reason: String)] = []
    /// The old database's triggers by folded table, in the order in which they were made.
    public var triggers: [String: [(name: String, sql: String)]] = [:]
    /// Full-text tables by the folded table whose text they index.
    public var searchIndexes: [String: [String]] = [:]
    /// Full-text tables that index a view's text, which any table may have changed.
    public var viewIndexes: [String] = []
    /// The AUTOINCREMENT marks of the new database; nil where it keeps none.
    public var sequences: [[SQLValue]]?

    public init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}

/// What became of the rows of one table.
public struct TableDataDiff: Sendable {
    /// How rows of both sides are known to be the same row.
    public enum Identity: Sendable, Equatable {
        /// By these of the compared columns.
        case key([Int])
        case rowid
        /// By all that they hold: a table without a key, whose rows moved to other rowids.
        case content
    }

    /// As the old database spells it.
    public var name: String
    public var identity: Identity
    /// Those that both sides have, in the old table's order; generated ones are left out.
    public var columns: [String]
    public var added = 0
    public var removed = 0
    public var changed = 0
    /// How many changed rows have another value there, by column.
    public var changes: [Int]
    /// Columns of one side alone.
    public var columnsOnlyInOld: [String] = []
    public var columnsOnlyInNew: [String] = []
    public var writing = TableWriting()

    public var isSame: Bool { added + removed + changed == 0 }
    /// Whether only one side has a column that was left out for that.
    public var isPartial: Bool { !columnsOnlyInOld.isEmpty || !columnsOnlyInNew.isEmpty }

    /// The names of the key's columns.
    public var key: [String] {
        switch identity {
        case .key(let positions): positions.map { columns[$0] }
        case .rowid: ["rowid"]
        case .content: []
        }
    }
}

/// How a table's rows are named and written in SQL.
public struct TableWriting: Sendable {
    /// What the rowid can be called; nil where the table has none, or hides it.
    public var rowidName: String?
    /// The position of the column that is the rowid.
    public var rowidAlias: Int?
    public var isWithoutRowid = false
    public var isVirtual = false
    public var isAutoincrement = false
    /// Positions of columns that a unique index is over; nil where it may be over anything.
    public var uniqueColumns: Set<Int>?
}

/// One row that differs.
public struct RowDifference: Sendable {
    public enum Kind: String, Sendable { case removed, added, changed }

    public struct Change: Sendable {
        /// Position among the compared columns.
        public var column: Int
        public var old: SQLValue
        public var new: SQLValue
    }

    public var kind: Kind
    public var oldRowid: Int64?
    public var newRowid: Int64?
    /// Of the old row where there is one; empty for rows that only their content tells apart.
    public var key: [SQLValue] = []
    /// All compared columns: the old ones of a removed row, else the new ones, and of a changed row only
    /// where whole rows were asked for.
    public var values: [SQLValue] = []
    public var changes: [Change] = []
}

/// How much of a row its reader wants.
public enum RowDetail: Sendable {
    /// Which columns changed; values are NULL.
    case count
    case changes
    /// Changed rows whole.
    case whole
}

/// Takes what a data diff finds, table by table and row by row, so that nobody holds it all.
public protocol DataDiffConsumer: AnyObject {
    func begin(_ overview: DataDiffOverview) throws
    /// A table that was compared, differing or not.
    /// - Returns: how many times, and in what detail, its rows are wanted.
    func begin(_ table: TableDataDiff) throws -> (passes: Int, detail: RowDetail)
    func take(_ row: RowDifference, of table: TableDataDiff, pass: Int) throws
    func end(_ table: TableDataDiff) throws
    func end(_ report: DataDiffReport) throws
}

public struct DataDiffReport: Sendable {
    public var overview: DataDiffOverview
    /// Those that were compared.
    public var tables: [TableDataDiff] = []
    /// Neither was read further: the files are the same, byte by byte.
    public var isSameFile = false
    /// Tables that could not be compared, which leaves the answer open.
    public var isIncomplete: Bool { !overview.notCompared.isEmpty }

    public var isSame: Bool {
        overview.onlyInOld.isEmpty && overview.onlyInNew.isEmpty
            && tables.allSatisfy { $0.isSame && !$0.isPartial }
    }
}
