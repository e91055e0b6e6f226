import DatabaseEngine
import DrydockFindings
import DrydockState

/// Rows that are owed, and rows that pay for them: a multiset of values, each with its storage class.
///
/// A row pays for one owed row with the same values, so that of two equal rows which UNION made one, one is missing.
///
///     let pool = Pool(
///         owed: [.init(["a", "b"], from: "main.old")], paid: [.init(["x", "y"], from: "after.new")])
///     try pool.missing(connection)  // rows of old that are not in new
struct Pool {
    /// Rows of one query, with as many values as all others of the pool.
    struct Rows {
        /// SQL expressions, such as quoted names.
        var values: [String]
        /// A table or a join.
        var source: String
        /// An SQL condition on its rows.
        var condition: String
        /// False for rows of a table that remains: they are owed too, but their loss is reported elsewhere.
        var isClaimed: Bool

        init(_ values: [String], from source: String, where condition: String = "1", isClaimed: Bool = true) {
            (self.values, self.source, self.condition) = (values, source, condition)
            self.isClaimed = isClaimed
        }

        fileprivate func select(weight: Int) -> String {
            "SELECT \(weight), \(weight > 0 && isClaimed ? 1 : 0), \(Pool.stored(values)) "
                + "FROM \(source) WHERE \(condition)"
        }
    }

    var owed: [Rows]
    var paid: [Rows]

    /// Returns how many of the claimed rows are missing; nil where an expression fails on a row.
    /// - Parameter condition: an SQL condition on the rows that count. The first value is `c0`, the second `c2`, and so on.
    /// - Throws: ``EngineError``.
    func missing(_ connection: any Connection, where condition: String = "1") throws -> Int? {
        guard let count = owed.first?.values.count, count > 0 else { return 0 }
        let names = (0..<count * 2).map { "c\($0)" }.joined(separator: ", ")
        let selects = owed.map { $0.select(weight: 1) } + paid.map { $0.select(weight: -1) }
        let sql = """
            WITH rows(weight, claimed, \(names)) AS (\(Self.union(selects)))
            SELECT coalesce(sum(lack), 0) FROM (SELECT sum(weight) AS lack FROM rows
            WHERE \(condition) GROUP BY \(names) HAVING sum(weight) > 0 AND max(claimed) > 0)
            """
        do {
            return try connection.count(sql)
        } catch let error as EngineError where error.isOfExpression {
            return nil
        }
    }

    /// The values as they are stored, each with its storage class: 1 is not 1.0, and 'a' not 'A'. The plus sign takes
    /// the affinity and the collation from a column.
    private static func stored(_ values: [String]) -> String {
        values.map { "+\($0) COLLATE BINARY, typeof(\($0))" }.joined(separator: ", ")
    }

    /// Joins any number of queries; SQLite takes no more than 500 in one.
    private static func union(_ selects: [String]) -> String {
        let parts = stride(from: 0, to: selects.count, by: 100).map { start in
            selects[start..<min(start + 100, selects.count)].joined(separator: " UNION ALL ")
        }
        return parts.count == 1 ? parts[0] : union(parts.map { "SELECT * FROM (\($0))" })
    }
}

extension Catalog.Table {
    /// The table's name for a query that has the state before as `main`.
    var earlier: String { "main.\(quotedName(name))" }
    /// The table's name for a query that has the state after attached.
    var later: String { "\(StateInspector.laterSchema).\(quotedName(name))" }
}
