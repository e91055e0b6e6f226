import SQLiteSchema
import DrydockFindings
import DatabaseEngine

/// What `drydock diff --data` compares, and how.
public struct DataDiffRequest: Sendable {
    public var old: SchemaSource
    public var new: SchemaSource
    /// The tables to compare, whatever their case; all tables if empty.
    public var tables: [String] = []
    /// Whether the differences are written as SQL, which requires both databases to have the same schema.
    public var wantsScript = false
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []

    public init(from old: SchemaSource, to new: SchemaSource) {
        self.old = old
        self.new = new
    }
}

/// What two databases share and how they differ, apart from rows.
public struct DataDiffOverview: Sendable {
    public var old: String
    public var new: String
    /// The text encoding of both databases.
    public var encoding = TextEncoding.utf8
    /// Names of tables.
    public var onlyInOld: [String] = []
    public var onlyInNew: [String] = []
    /// Tables whose rows were not compared, and why.
    public var notCompared: [(table: String, reason: String)] = []
    /// The old database's triggers by folded table, in the order of creation.
    public var triggers: [String: [(name: String, sql: String)]] = [:]
    /// Full-text tables by the folded name of the table whose text they index.
    public var searchIndexes: [String: [String]] = [:]
    /// Full-text tables that index a view's text, which a change of any table may affect.
    public var viewIndexes: [String] = []
    /// The AUTOINCREMENT marks of the new database; nil if it has none.
    public var sequences: [[SQLValue]]?

    public init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}

/// How the rows of one table differ.
public struct TableDataDiff: Sendable {
    /// How a row of one side is recognized on the other side.
    public enum Identity: Sendable, Equatable {
        /// By these columns, as positions among the compared columns.
        case key([Int])
        case rowid
        /// By all values: for a table without a key whose rows moved to other rowids.
        case content
    }

    /// The table's name as the old database spells it.
    public var name: String
    public var identity: Identity
    /// The columns that both sides have, in the old table's order, without generated columns.
    public var columns: [String]
    public var added = 0
    public var removed = 0
    public var changed = 0
    /// How many changed rows have a different value in each column.
    public var changes: [Int]
    /// Columns of one side only.
    public var columnsOnlyInOld: [String] = []
    public var columnsOnlyInNew: [String] = []
    public var writing = TableWriting()

    public var isSame: Bool { added + removed + changed == 0 }
    /// Whether a column was left out because only one side has it.
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

/// How to address and write a table's rows in SQL.
public struct TableWriting: Sendable {
    /// A name for the rowid; nil if the table has none, or hides it.
    public var rowidName: String?
    /// The position of the column that is the rowid.
    public var rowidAlias: Int?
    public var isWithoutRowid = false
    public var isVirtual = false
    public var isAutoincrement = false
    /// Positions of the columns that unique indexes cover; nil if they may cover any column.
    public var uniqueColumns: Set<Int>?
}

/// One row that differs.
public struct RowDifference: Sendable {
    public enum Kind: String, Sendable { case removed, added, changed }

    /// One value that changed.
    public struct Change: Sendable {
        /// The position among the compared columns.
        public var column: Int
        public var old: SQLValue
        public var new: SQLValue
    }

    public var kind: Kind
    public var oldRowid: Int64?
    public var newRowid: Int64?
    /// The key of the old row, or of the new one if it was added; empty for rows identified by their content.
    public var key: [SQLValue] = []
    /// All compared columns: the old values of a removed row, otherwise the new values; for a changed row only with
    /// ``RowDetail/whole``.
    public var values: [SQLValue] = []
    public var changes: [Change] = []
}

/// How much of each row a consumer needs.
public enum RowDetail: Sendable {
    /// Which columns changed; values are NULL.
    case count
    case changes
    /// The same without old values, which may be NULL.
    case newValues
    /// All values of changed rows.
    case whole
}

/// A consumer of a data diff, which receives it table by table and row by row, so that the whole is never in memory.
public protocol DataDiffConsumer: AnyObject {
    func begin(_ overview: DataDiffOverview) throws
    /// Receives a table that was compared, whether or not it differs.
    /// - Returns: How many times to pass its rows, and in what detail.
    func begin(_ table: TableDataDiff) throws -> (passes: Int, detail: RowDetail)
    /// Receives a row that differs, once in each pass.
    func take(_ row: RowDifference, of table: TableDataDiff, pass: Int) throws
    func end(_ table: TableDataDiff) throws
    func end(_ report: DataDiffReport) throws
}

/// The result of a data diff, without the rows.
public struct DataDiffReport: Sendable {
    public var overview: DataDiffOverview
    /// The tables that were compared.
    public var tables: [TableDataDiff] = []
    /// Whether the files are the same, byte for byte; nothing further was read.
    public var isSameFile = false
    /// Whether tables could not be compared, which leaves the result open.
    public var isIncomplete: Bool { !overview.notCompared.isEmpty }

    public var isSame: Bool {
        overview.onlyInOld.isEmpty && overview.onlyInNew.isEmpty
            && tables.allSatisfy { $0.isSame && !$0.isPartial }
    }
}
