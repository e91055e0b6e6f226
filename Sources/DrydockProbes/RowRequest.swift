import DatabaseEngine
import SQLiteSchema

/// What is to be generated.
package struct RowRequest: Sendable {
    /// The schema of the database.
    package var schema: Schema
    /// The schemas that later migrations lead to, the nearest first. What they demand of a column is kept where the
    /// present schema allows it.
    package var later: [Schema] = []
    /// The tables to add rows to, virtual ones included, by folded name. They may have rows already.
    package var tables: Set<String>
    /// The statements of all migrations: no key that they insert is taken, and what they compare a column with, or read
    /// from it as JSON, occurs in it. Each of their conditions is met by some rows and not by others.
    package var statements: [SQLStatement] = []
    /// The least number of rows for each table.
    package var rowCount = 3
    package var seed: UInt64 = 1
    /// One in so many unusual rows is made.
    package var edgeShare = 1
    /// The number of earlier requests on this database: rows of different rounds have different keys and values.
    package var round = 0
    /// How many rows tables got in earlier requests, by folded name. Another table may have had the name, and its rows are
    /// where a migration put them: their keys are not given again.
    package var earlier: [String: Int] = [:]

    package init(schema: Schema, tables: Set<String>) {
        self.schema = schema
        self.tables = tables
    }
}

/// A row that was generated, and that SQLite took.
package struct GeneratedRow: Sendable, Hashable {
    package var table: String
    package var columns: [String]
    /// A value for each column.
    package var values: [SQLValue]

    package init(table: String, columns: [String], values: [SQLValue]) {
        (self.table, self.columns, self.values) = (table, columns, values)
    }
}

/// The result of a request.
package struct GeneratedRows: Sendable {
    /// The rows in the order in which they were inserted.
    package var rows: [GeneratedRow] = []
    /// The tables that stay empty.
    package var empty: [EmptyTable] = []

    package init() {}

    package struct EmptyTable: Sendable, Hashable {
        package var table: String
        /// What refused every row that was tried, such as "CHECK (a > b)".
        package var reason: String

        package init(table: String, reason: String) { (self.table, self.reason) = (table, reason) }
    }
}
