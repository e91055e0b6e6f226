import DrydockState
import SQLiteSchema

/// A table as created by one CREATE statement.
package struct TrackedTable: Sendable {
    /// Unchanged by renames.
    package let id: Int
    /// The table's name before the step; nil when the step created it.
    package var origin: String?
    /// The columns that an ALTER renamed, from the present name to the first name.
    var renamedColumns: [String: String] = [:]
    /// What copying statements filled: from a column of this table to the column, before the step, of the copied
    /// table.
    package var copies: [Copy] = []
    /// The index of the statement that created the table.
    package var createdBy: Int?
    /// The table's first name, as it was written: `sqlite_sequence` tells `Owner` from `owner`.
    package var firstTableName: String
    /// The names in the database that it had when a migration began or ended.
    var lastingNames: Set<String> = []
    /// The tables whose names this table took when they were dropped or renamed, in that order.
    var predecessors: [Int] = []
    /// Those of ``predecessors`` that gave up the name in the same migration.
    var replaced: Set<Int> = []
    /// The table's columns in order; nil where they are not known.
    var columns: [Column]?
    /// The tables from which statements inserted rows.
    var inserted: Set<Int> = []
    /// Those of ``inserted`` whose rows a statement of a migration selected, without what triggers may write.
    var copied: Set<Int> = []
    /// All tables named by the statements that inserted or changed its rows.
    var fills: Set<Int> = []

    package func firstName(_ column: String) -> String { renamedColumns[column.foldedASCII] ?? column }

    /// `INSERT INTO this (columns) SELECT items FROM origin`.
    package struct Copy: Sendable {
        package var origin: String
        package var statement: Int
        package var columns: [String]?
        package var items: [Item]

        package init(origin: String, statement: Int, columns: [String]? = nil, items: [Item]) {
            self.origin = origin
            self.statement = statement
            self.columns = columns
            self.items = items
        }

        package enum Item: Sendable, Equatable {
            /// A column, by its name before the step.
            case column(String)
            /// All columns, in order.
            case star
            case expression
        }
    }

    struct Column: Sendable {
        /// The present name, folded.
        var name: String { didSet { names.insert(name) } }
        /// The first name.
        let first: String
        /// All names that the column has had.
        private(set) var names: Set<String>
        var isGenerated = false
        /// The columns whose values, or values computed from them, statements copied here.
        var sources: Set<Source> = []
        /// The columns of other tables that an UPDATE named in the value that it gave this one.
        var assigned: Set<Source> = []

        init(_ name: String, isGenerated: Bool = false, sources: Set<Source> = []) {
            self.name = name.foldedASCII
            first = name.foldedASCII
            names = [name.foldedASCII]
            self.isGenerated = isGenerated
            self.sources = sources
        }
    }

    struct Source: Hashable, Sendable {
        /// The id of the tracked table.
        var table: Int
        /// The first name of its column.
        var column: String
    }
}
