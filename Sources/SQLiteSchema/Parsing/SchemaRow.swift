/// A row of sqlite_schema (https://www.sqlite.org/schematab.html).
public struct SchemaRow: Sendable, Hashable {
    /// `table`, `index`, `view` or `trigger`.
    public var type: String
    public var name: String
    /// The column `tbl_name`.
    public var table: String
    /// nil for the indexes of constraints.
    public var sql: String?

    public init(type: String, name: String, table: String, sql: String?) {
        self.type = type
        self.name = name
        self.table = table
        self.sql = sql
    }
}
