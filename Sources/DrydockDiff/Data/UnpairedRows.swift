import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteFile

/// What became of the rows that had no partner in a walk.
struct Resolution {
    /// Rowids, ascending.
    var removed: [Int64] = []
    var added: [Int64] = []
    /// The old and new rowid of each changed row.
    var changed: [(Int64, Int64)] = []
    /// How many pairs are the same row at another rowid.
    var cancelled = 0
}

/// Finds partners for rows that no walk paired: by key if the table has one, otherwise by content.
///
/// For each row it keeps the rowid and a hash. Two rows are paired only after both were read again and compared.
struct UnpairedRows {
    typealias Walk = (_ settled: () throws -> Void, _ leftover: (Bool, Bool) throws -> Void) throws -> Void

    private struct Row {
        var hash: Int
        var rowid: Int64
    }

    private struct TooMany: Error {}

    private let tables: RecordPair
    private var old: [Row] = []
    private var new: [Row] = []

    /// - Returns: Nil if more than `limit` rows are left over.
    static func resolve(_ tables: RecordPair, limit: Int, by walk: Walk) throws -> Resolution? {
        var leftovers = UnpairedRows(tables)
        do {
            try walk({}) { hasOld, hasNew in
                if hasOld { try leftovers.old.append(leftovers.row(\.before)) }
                if hasNew { try leftovers.new.append(leftovers.row(\.after)) }
                if leftovers.old.count + leftovers.new.count > limit { throw TooMany() }
            }
        } catch is TooMany {
            return nil
        }
        return try leftovers.pair()
    }

    private init(_ tables: RecordPair) { self.tables = tables }

    private func row(_ side: KeyPath<RecordPair, RecordTable>) throws -> Row {
        var hasher = Hasher()
        let key = tables.key.isEmpty ? Array(tables.columns.pairs.indices) : tables.key
        for index in key { try tables.value(index, side).hashPlace(into: &hasher) }
        return Row(hash: hasher.finalize(), rowid: tables[keyPath: side].rowid)
    }

    private mutating func pair() throws -> Resolution {
        old.sort { ($0.hash, $0.rowid) < ($1.hash, $1.rowid) }
        new.sort { ($0.hash, $0.rowid) < ($1.hash, $1.rowid) }
        var result = Resolution()
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if j == new.count || i < old.count && old[i].hash < new[j].hash {
                result.removed.append(old[i].rowid)
                i += 1
            } else if i == old.count || new[j].hash < old[i].hash {
                result.added.append(new[j].rowid)
                j += 1
            } else {
                let hash = old[i].hash
                let ends = (
                    old[i...].firstIndex { $0.hash != hash } ?? old.count,
                    new[j...].firstIndex { $0.hash != hash } ?? new.count
                )
                try settle(old[i..<ends.0].map(\.rowid), new[j..<ends.1].map(\.rowid), into: &result)
                (i, j) = ends
            }
        }
        result.removed.sort()
        result.added.sort()
        result.changed.sort { $0 < $1 }
        return result
    }

    /// Pairs rows with the same hash: first equal rows, then rows with the same key.
    private func settle(_ old: [Int64], _ new: [Int64], into result: inout Resolution) throws {
        var (left, right) = try match(old, new) {
            try tables.columns.isSame(tables.before, tables.after)
        } onMatch: {
            _, _ in
            result.cancelled += 1
        }
        if !tables.key.isEmpty {
            (left, right) = try match(left, right) {
                // Several rows may have a NULL in the key; only their content can pair them.
                try tables.key.allSatisfy {
                    let value = try tables.value($0, \.before)
                    return try value != .null && value.hasPlace(of: tables.value($0, \.after))
                }
            } onMatch: {
                result.changed.append(($0, $1))
            }
        }
        result.removed += left
        result.added += right
    }

    /// - Returns: The rows without a partner.
    private func match(
        _ old: [Int64], _ new: [Int64], _ isMatch: () throws -> Bool, onMatch: (Int64, Int64) -> Void
    ) throws -> ([Int64], [Int64]) {
        var rest = new
        // Reversed, because removing from the end costs nothing: most groups are one row, or equal rows.
        rest.reverse()
        var alone: [Int64] = []
        for rowid in old {
            try tables.before.seek(rowid)
            let partner = try rest.indices.reversed().first { index in
                try tables.after.seek(rest[index])
                return try isMatch()
            }
            if let partner { onMatch(rowid, rest.remove(at: partner)) } else { alone.append(rowid) }
        }
        return (alone, rest.reversed())
    }
}

extension SQLValue {
    /// Hashes a value so that values equal in SQLite's order have the same hash.
    fileprivate func hashPlace(into hasher: inout Hasher) {
        switch self {
        case .integer(let value): Double(value).hash(into: &hasher)
        case .real(let value): value.hash(into: &hasher)
        default: hash(into: &hasher)
        }
    }
}
