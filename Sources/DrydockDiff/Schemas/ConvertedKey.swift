import DrydockFindings
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// A table whose key changes affinity. The rules of a replay report its rows as lost and new ones as added, since '1'
/// and 1 are different keys. A plan is still given if every row is found under its converted key.
struct ConvertedKey: Sendable {
    let before: Table
    let after: Table
    /// Pairs of old and new columns whose affinity changes.
    private let converted: [(old: String, new: String)]
    /// Pairs of columns whose values must be the same bit for bit.
    private let same: [(old: String, new: String)]

    /// - Returns: Nil if no column of the key changes affinity.
    init?(_ before: Table, in new: Schema, _ hints: RenameHints) {
        let folded = before.name.foldedASCII
        guard let after = new.table(hints.tables[folded] ?? before.name) else { return nil }
        (self.before, self.after) = (before, after)
        var (converted, same): ([(String, String)], [(String, String)]) = ([], [])
        for column in before.columns where column.generated == nil {
            let name = hints.columns[folded]?[column.name.foldedASCII] ?? column.name
            guard let other = after.column(name), other.generated == nil else { continue }
            if before.affinity(of: column) == after.affinity(of: other) {
                same.append((column.name, other.name))
            } else {
                converted.append((column.name, other.name))
            }
        }
        (self.converted, self.same) = (converted, same)
        let key = Set(before.effectivePrimaryKey.map(\.column.foldedASCII))
        guard converted.contains(where: { key.contains($0.0.foldedASCII) }) else { return nil }
    }

    /// Returns whether each row is found exactly once, with its key converted and everything else unchanged.
    /// - Parameter connection: Has the state before, and the state after attached.
    func keepsRows(_ connection: any Connection) throws -> Bool {
        let old = "main.\(quotedName(before.name))"
        let new = "\(StateInspector.laterSchema).\(quotedName(after.name))"
        // A comparison converts as storing does (https://www.sqlite.org/datatype3.html#comparison_expressions).
        let conversions = converted.map {
            "n.\(quotedName($0.new)) IS o.\(quotedName($0.old)) COLLATE BINARY"
        }
        let equalities = same.map { pair in
            let (o, n) = ("o.\(quotedName(pair.old))", "n.\(quotedName(pair.new))")
            return "typeof(\(n)) = typeof(\(o)) AND \(n) IS \(o) COLLATE BINARY"
        }
        let condition = (conversions + equalities).joined(separator: " AND ")
        let counts = try connection.firstRow(
            """
            SELECT (SELECT count(*) FROM \(old)), (SELECT count(*) FROM \(new)),
            (SELECT count(*) FROM \(old) AS o JOIN \(new) AS n ON \(condition))
            """
        ) { [$0.integer(0), $0.integer(1), $0.integer(2)] }
        return counts.map { Set($0).count == 1 } ?? false
    }

    func isLost(_ finding: Finding) -> Bool {
        finding.rule == .rowsLost && finding.table?.foldedASCII == before.name.foldedASCII
    }

    /// The declarations that the rules of a replay then need.
    var declarations: [String] {
        ["deletes from \(quotedIfNeeded(before.name))", "inserts into \(quotedIfNeeded(before.name))"]
    }

    var loss: String {
        let columns = converted.map { quotedIfNeeded($0.old) }.joined(separator: ", ")
        return
            "the values of \(quotedIfNeeded(before.name)) (\(columns)) in their old type; every row was found again "
            + "under its converted key"
    }
}
