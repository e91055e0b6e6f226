/// The source of the rows of an `INSERT ... SELECT`.
///
/// In SQLite's procedure for a rebuilt table, the step that copies the rows is such a statement
/// (https://www.sqlite.org/lang_altertable.html#otheralter, step 5); it shows which column became which.
public struct CopySource: Sendable, Hashable {
    /// The tables named in FROM and JOIN, unquoted and each once: those of every part of a compound SELECT,
    /// of subqueries in FROM, and of common table expressions, but not the names of these expressions.
    public var tables: [String]

    /// The select list in order; of a compound SELECT that of the first part.
    public var items: [CopyItem]

    /// Whether UNION, INTERSECT or EXCEPT joins several SELECTs, so that `items` do not describe every row.
    public var isCompound: Bool

    public init(tables: [String], items: [CopyItem], isCompound: Bool = false) {
        self.tables = tables
        self.items = items
        self.isCompound = isCompound
    }
}

/// One item of a select list.
public enum CopyItem: Sendable, Hashable {
    /// Only a column, qualified or not, whatever its alias.
    case column(table: String?, name: String)
    /// `*` or `table.*`.
    case star(table: String?)
    /// Anything else, without its alias; the columns are the names used in it, unquoted, in order.
    case expression(NormalizedSQL, columns: [String])
}
