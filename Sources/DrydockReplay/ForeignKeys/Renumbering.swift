import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// A step that gave every parent a new key by the same sum, and every reference to them with it, as in
/// `UPDATE n SET id = id + 100, up = up + 100`. A reference without a parent was then changed like all others, and is no
/// other one.
struct Renumbering {
    /// A new key is the old one times ``factor`` plus ``offset``.
    let factor: Int64
    let offset: Int64

    /// The new value in place of an old one, as SQL.
    func renumbered(_ value: String) -> String {
        "CASE typeof(\(value)) WHEN 'integer' THEN \(value) * \(factor) + \(offset) ELSE \(value) END"
    }

    /// Returns the sums by which the keys of a parent after a step can be those before it.
    ///
    /// - Parameters:
    ///   - old: the column of the parent before the step, with its table, as SQL.
    ///   - new: the column of the parent after the step.
    static func candidates(
        from old: (table: String, column: String), to new: (table: String, column: String),
        _ connection: any Connection
    ) throws -> [Renumbering] {
        func range(_ side: (table: String, column: String)) throws -> (count: Int64, low: Int64, high: Int64)?
        {
            let others = "count(CASE WHEN typeof(k) <> 'integer' THEN 1 END)"
            return try connection.firstRow(
                "SELECT count(*), min(k), max(k), \(others) FROM (SELECT \(quotedName(side.column)) AS k FROM \(side.table))"
            ) { $0.integer(3) == 0 ? ($0.integer(0), $0.integer(1), $0.integer(2)) : nil } ?? nil
        }
        guard let before = try range(old), let after = try range(new), before.count == after.count,
            before.count > 0
        else { return [] }
        let (low, high) = (after.low, after.high)
        let found =
            [Renumbering(before.low...before.high, to: low, high)]
            + (low == high ? [] : [Renumbering(before.low...before.high, to: high, low)])
        return try found.compactMap(\.self).filter { numbers in
            let sum = "o.\(quotedName(old.column)) * \(numbers.factor) + \(numbers.offset)"
            let missing = """
                SELECT EXISTS (SELECT 1 FROM \(old.table) AS o WHERE NOT EXISTS (SELECT 1 FROM \(new.table) AS n \
                WHERE n.\(quotedName(new.column)) = \(sum)))
                """
            return try connection.firstRow(missing) { $0.integer(0) == 0 } ?? false
        }
    }

    /// nil where no sum makes the one number of the other, or it changes nothing.
    private init?(_ old: ClosedRange<Int64>, to first: Int64, _ last: Int64) {
        let (span, isWide) = old.upperBound.subtractingReportingOverflow(old.lowerBound)
        let (newSpan, isTooWide) = last.subtractingReportingOverflow(first)
        guard !isWide, !isTooWide, (span == 0) == (newSpan == 0), span == 0 || newSpan % span == 0 else {
            return nil
        }
        factor = span == 0 ? 1 : newSpan / span
        let (product, isOverflow) = old.lowerBound.multipliedReportingOverflow(by: factor)
        let (difference, isFar) = first.subtractingReportingOverflow(product)
        offset = difference
        guard !isOverflow, !isFar, (factor, offset) != (1, 0) else { return nil }
    }
}
