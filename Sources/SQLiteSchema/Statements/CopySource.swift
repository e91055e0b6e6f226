/// Where an `INSERT ... SELECT` takes its rows from.
///
/// The step of SQLite's procedure for a rebuilt table that copies the rows is such a statement
/// (https://www.sqlite.org/lang_altertable.html#otheralter, step 5); it tells which column became which.
public struct CopySource: Sendable, Hashable {
    /// The tables that are named in FROM and JOIN, unquoted and each once: those of every part of a compound
    /// SELECT, of subqueries in FROM, and of common table expressions, but not these expressions' own names.
    public var tables: [String]

    /// The select list in its order; of a compound SELECT that of the first part.
    public var items: [CopyItem]

    /// Whether UNION, INTERSECT or EXCEPT joins several SELECTs, so that `items` do not tell of every row.
    public var isCompound: Bool

    public init(tables: [String], items: [CopyItem], isCompound: Bool = false) {
        self.tables = tables
        self.items = items
        self.isCompound = isCompound
    }
}

/// One item of a select list.
public enum CopyItem: Sendable, Hashable {
    /// A column and nothing else, qualified or not, whatever its alias.
    case column(table: String?, name: String)
    /// `*` or `table.*`.
    case star(table: String?)
    /// Anything else, its alias left out; the columns are the names used in it, unquoted, in their order.
    case expression(NormalizedSQL, columns: [String])
}
