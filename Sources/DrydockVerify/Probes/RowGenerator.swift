import DatabaseEngine
import DrydockReplay
import SQLiteSchema

/// Fills the tables of a database with generated rows.
///
/// The generator is in a layer above the replay: it is passed to the code that replays probes.
package protocol RowGenerator: Sendable {
    /// Inserts rows as a person would type them: see ``RowRequest``.
    ///
    /// The same request on the same content gives the same rows. What is in the database is read for the keys of rows to
    /// refer to, and to see which conditions of the statements some row meets: a probe has no row that was not generated,
    /// or written by a migration.
    /// - Throws: ``EngineError`` when the run is interrupted. What SQLite refuses is in the result.
    func insertOrdinaryRows(_ request: RowRequest, on connection: any Connection) throws -> GeneratedRows

    /// Inserts rows that the constraints allow, and that few would expect: NULL, duplicates, wrong storage classes.
    /// Every one refers to rows that are there.
    /// - Throws: ``EngineError`` when the run is interrupted.
    func insertEdgeRows(_ request: RowRequest, on connection: any Connection) throws -> GeneratedRows
}

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
    /// How many rows a table gets at least.
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
