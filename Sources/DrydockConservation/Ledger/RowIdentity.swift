import DatabaseEngine
import DrydockFindings
import DrydockState

/// What identifies the rows of a table, before a step and in the table that has them after it: the key, or all values.
struct RowIdentity {
    /// An SQL expression of the table before, and one of the table after as `n`.
    struct Value {
        var owed: String
        var paid: String
        /// The column after, of which the second is made.
        var column: String
    }

    private(set) var values: [Value]
    /// The key, where it identifies every row; nil where rows are known by other values.
    private(set) var key: [TableMatch.ColumnPair]?
    /// Whether the table has a key that does not identify every row.
    private(set) var isKeyUnsafe = false

    /// - Parameter pairs: the columns that both tables have.
    init(
        of table: Catalog.Table, in later: Catalog.Table, _ pairs: [TableMatch.ColumnPair],
        _ allowance: Allowance, _ connection: any Connection
    ) throws {
        let others = pairs.filter { !allowance.rewrites($0) }.map { pair in
            (
                pair,
                Value(
                    owed: quotedName(pair.before.name), paid: "n.\(quotedName(pair.after.name))",
                    column: pair.after.name)
            )
        }
        values = others.map(\.1)
        guard let key = pairs.key(of: table) else { return }
        let (before, after) = (key.map { quotedName($0.before.name) }, key.map { quotedName($0.after.name) })
        // SQLite allows NULLs in most keys, and a table can have the rows of several.
        let isUnknown = before.map { "\($0) IS NULL" }.joined(separator: " OR ")
        isKeyUnsafe =
            try connection.count(
                """
                SELECT EXISTS (SELECT 1 FROM \(table.earlier) WHERE \(isUnknown))
                OR EXISTS (SELECT 1 FROM \(later.later) GROUP BY \(list(after)) HAVING count(*) > 1)
                """) > 0
        guard !isKeyUnsafe else { return }
        guard key.contains(where: allowance.rewrites) else {
            (values, self.key) = (others.filter { $0.0.before.keyPosition > 0 }.map(\.1), key)
            return
        }
        isKeyUnsafe = true
        // A row that keeps its key is known by it, and one with a new key by all else.
        let stays = "(\(list(before))) IN (SELECT \(list(after)) FROM \(later.later))"
        let stayed = "(\(list(after.map { "n.\($0)" }))) IN (SELECT \(list(before)) FROM \(table.earlier))"
        values =
            others.filter { $0.0.before.keyPosition == 0 }.map(\.1)
            + key.map { pair in
                Value(
                    owed: "CASE WHEN \(stays) THEN \(quotedName(pair.before.name)) END",
                    paid: "CASE WHEN \(stayed) THEN n.\(quotedName(pair.after.name)) END",
                    column: pair.after.name)
            }
        func list(_ names: [String]) -> String { names.joined(separator: ", ") }
    }

    /// The values that are made of other columns than these.
    func values(besides columns: [String]) -> [Value] {
        values.filter { !columns.contains($0.column) }
    }
}
