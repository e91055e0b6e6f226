import DrydockState
import DatabaseEngine
import SQLiteFile

/// What became of the rows that lie nowhere beside their like.
struct Resolution {
    /// Rowids, ascending.
    var removed: [Int64] = []
    var added: [Int64] = []
    /// Rowids of one row, old and new.
    var changed: [(Int64, Int64)] = []
    /// How many pairs turned out to be the same row at another rowid.
    var cancelled = 0
}

/// Finds partners among rows that no walk laid side by side: by key where there is one, else by content.
///
/// Of each it keeps the rowid and a hash; two rows are one only when they were read again and compared.
struct Leftovers {
    typealias Walk = (_ settled: () throws -> Void, _ leftover: (Bool, Bool) throws -> Void) throws -> Void

    private struct Row {
        var hash: Int
        var rowid: Int64
    }

    private struct TooMany: Error {}

    private let tables: RecordPair
    private var old: [Row] = []
    private var new: [Row] = []

    /// - Returns: nil when too many rows are left over.
    static func resolve(_ tables: RecordPair, limit: Int, by walk: Walk) throws -> Resolution? {
        var leftovers = Leftovers(tables)
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

    /// Rows of one hash: same rows first, then those of one key.
    private func settle(_ old: [Int64], _ new: [Int64], into result: inout Resolution) throws {
        var (left, right) = try match(old, new) {
            try tables.columns.isSame(tables.before, tables.after)
        } onMatch: {
            _, _ in
            result.cancelled += 1
        }
        if !tables.key.isEmpty {
            (left, right) = try match(left, right) {
                // Rows whose key has a NULL are several, and only what they hold tells them apart.
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

    /// - Returns: those without a partner.
    private func match(
        _ old: [Int64], _ new: [Int64], _ isMatch: () throws -> Bool, onMatch: (Int64, Int64) -> Void
    ) throws -> ([Int64], [Int64]) {
        var rest = new
        // Taken from the end, where removing costs nothing; most runs are of one row, or of like rows.
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
    /// The same for values of one place in SQLite's order.
    fileprivate func hashPlace(into hasher: inout Hasher) {
        switch self {
        case .integer(let value): Double(value).hash(into: &hasher)
        case .real(let value): value.hash(into: &hasher)
        default: hash(into: &hasher)
        }
    }
}
