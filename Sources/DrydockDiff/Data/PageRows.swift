import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// The differing rows of a table, read from the pages of both files.
///
/// If the trees are in key order, they are merged. Rows whose key is not the rowid are aligned by rowid, or in sequence
/// if VACUUM renumbered them; equal rows pair off, and ``UnpairedRows`` finds partners for the rest.
struct PageRows: RowDiffSource {
    /// How the two trees are walked.
    enum Alignment {
        /// In key order, which is also the order of the trees.
        case key(KeyOrder?)
        /// By rowid; the resolution pairs the leftover rows by key or content.
        case rowid(Resolution)
        /// Row after row; the resolution pairs the leftover rows by key or content.
        case sequence(Resolution)
    }

    let tables: RecordPair
    let alignment: Alignment
    let identity: TableDataDiff.Identity
    /// The columns that may differ in any row; nil if that is not known yet.
    var mayDiffer: [Bool]?

    /// - Throws: ``RowsUndecided`` if only SQL can decide, FileDamage.
    init(_ tables: RecordPair, leftoverLimit limit: Int) throws {
        self.tables = tables
        let key = tables.key
        guard tables.before.layout.isWithoutRowid == tables.after.layout.isWithoutRowid else {
            throw RowsUndecided()
        }
        if tables.before.layout.isWithoutRowid {
            guard let order = tables.keyOrder else { throw RowsUndecided() }
            (alignment, identity) = (.key(order), .key(key))
        } else if tables.isRowidKey {
            (alignment, identity) = (.key(nil), .key(key))
        } else {
            if let resolution = try UnpairedRows.resolve(tables, limit: limit, by: tables.alignByRowid) {
                let isByRowid = key.isEmpty && resolution.cancelled == 0
                alignment = isByRowid ? .key(nil) : .rowid(resolution)
                identity = isByRowid ? .rowid : key.isEmpty ? .content : .key(key)
            } else if let resolution = try UnpairedRows.resolve(
                tables, limit: limit, by: tables.alignBySequence)
            {
                alignment = .sequence(resolution)
                identity = key.isEmpty ? .content : .key(key)
            } else {
                throw RowsUndecided()
            }
        }
    }

    func forEach(_ detail: RowDetail, _ body: (RowDifference) throws -> Void) throws {
        switch alignment {
        case .key(let order):
            try tables.walk(order) { old, new in
                if let old { try tables.before.read(old) }
                if let new { try tables.after.read(new) }
                switch (old, new) {
                case (_?, nil): try body(removed(detail))
                case (nil, _?): try body(added(detail))
                default: try compare(detail, body)
                }
            }
        case .rowid(let resolution):
            try tables.alignByRowid(settled: { try compare(detail, body) }, leftover: { _, _ in })
            try settle(resolution, detail, body)
        case .sequence(let resolution):
            try tables.alignBySequence(settled: { try compare(detail, body) }, leftover: { _, _ in })
            try settle(resolution, detail, body)
        }
    }

    /// Reports the rows that the walk left over, in rowid order.
    private func settle(
        _ resolution: Resolution, _ detail: RowDetail, _ body: (RowDifference) throws -> Void
    ) throws {
        for rowid in resolution.removed {
            try tables.before.seek(rowid)
            try body(removed(detail))
        }
        for rowid in resolution.added {
            try tables.after.seek(rowid)
            try body(added(detail))
        }
        for (old, new) in resolution.changed {
            try tables.before.seek(old)
            try tables.after.seek(new)
            try compare(detail, body)
        }
    }

    // MARK: - Rows

    private func removed(_ detail: RowDetail) throws -> RowDifference {
        var row = RowDifference(kind: .removed, oldRowid: oldRowid)
        // A row without a rowid is read anyway, because reading it may show that SQL is needed.
        if detail == .count, row.oldRowid != nil { return row }
        row.values = try tables.values(\.before)
        row.key = keyValues(row.values, row.oldRowid)
        return row
    }

    private func added(_ detail: RowDetail) throws -> RowDifference {
        var row = RowDifference(kind: .added, newRowid: newRowid)
        if detail == .count, row.newRowid != nil { return row }
        row.values = try tables.values(\.after)
        row.key = keyValues(row.values, row.newRowid)
        return row
    }

    private var oldRowid: Int64? { tables.before.layout.isWithoutRowid ? nil : tables.before.rowid }
    private var newRowid: Int64? { tables.after.layout.isWithoutRowid ? nil : tables.after.rowid }

    private func keyValues(_ values: [SQLValue], _ rowid: Int64?) -> [SQLValue] {
        switch identity {
        case .key(let positions): positions.map { values[$0] }
        case .rowid: [.integer(rowid ?? 0)]
        case .content: []
        }
    }

    /// Reports how the two current rows differ: as one changed row, or as two rows if their keys only compare equal, as
    /// `a` and `A` do under NOCASE.
    private func compare(_ detail: RowDetail, _ body: (RowDifference) throws -> Void) throws {
        var row = RowDifference(kind: .changed, oldRowid: oldRowid, newRowid: newRowid)
        for index in tables.columns.pairs.indices
        where try mayDiffer?[index] != false && !tables.columns.isSame(index, tables.before, tables.after) {
            if tables.key.contains(index),
                try !tables.value(index, \.before).hasPlace(of: tables.value(index, \.after))
            {
                try body(removed(detail))
                return try body(added(detail))
            }
            let hasOld = detail == .changes || detail == .whole
            row.changes.append(
                .init(
                    column: index, old: hasOld ? try tables.value(index, \.before) : .null,
                    new: detail == .count ? .null : try tables.value(index, \.after)))
        }
        guard !row.changes.isEmpty else { return }
        guard detail != .count else { return try body(row) }
        switch identity {
        case .key(let key): row.key = try key.map { try tables.value($0, \.before) }
        case .rowid: row.key = [.integer(tables.before.rowid)]
        case .content: break
        }
        if detail == .whole { row.values = try tables.values(\.after) }
        try body(row)
    }
}

extension SQLValue {
    /// Whether both values compare equal in SQLite's BINARY order, as 1 and 1.0 do.
    func hasPlace(of other: SQLValue) -> Bool {
        switch (self, other) {
        case (.integer(let a), .real(let b)), (.real(let b), .integer(let a)): RowOrder.compare(a, b) == 0
        case (.real(let a), .real(let b)): a == b
        default: self == other
        }
    }
}
