import DrydockState
import SQLiteSchema
import DrydockFindings
import DatabaseEngine

/// Compares every row of a table before and after a step, using only SQL.
///
/// The connection has the state before the step as `main` and the state after it attached as `after`. Both tables are
/// read in the order of the key and merged: rows with identical bits are paired, and the rest within one key is
/// changed, lost or added. No row is skipped, and rows are compared themselves, not by hashes.
package struct TableComparison {
    let connection: any Connection
    let match: TableMatch
    /// Positions of the column pairs that a declaration allows to be rewritten.
    let rewritable: Set<Int>
    /// The text encoding of both states: an attached database must use that of `main`
    /// (https://www.sqlite.org/pragma.html#pragma_encoding).
    var encoding = TextEncoding.utf8
    /// Conditions on the table before the step; rows that match one may go.
    var deletable: [String]

    /// SQLite's limit on the columns of a result and on the terms of ORDER BY
    /// (https://www.sqlite.org/limits.html#max_column).
    private static let columnLimit = 2000

    /// How a row after the step is identified with a row before it.
    private enum Identity {
        /// By these column pairs.
        case key([Int])
        /// By rowid, which is as reliable as a declared key.
        case rowid
        /// Rows have no identity: the table is a multiset.
        case nothing
    }

    func run() throws -> TableDifference {
        switch identity {
        case .key(let positions): return try merge(key: positions, usesRowid: false, compared: all)
        case .rowid: return try merge(key: [], usesRowid: true, compared: all)
        case .nothing: return try compareMultisets()
        }
    }

    private var all: [Int] { Array(match.columns.indices) }

    private var identity: Identity {
        if case .virtual = match.before.kind, match.before.rowidName != nil, match.after.rowidName != nil {
            return .rowid
        }
        let positions = match.before.primaryKey.map { key in
            all.first { match.columns[$0].before.name == key.name && !rewritable.contains($0) }
        }
        let known = positions.compactMap { $0 }
        return known.isEmpty || known.count < positions.count ? .nothing : .key(known)
    }

    // MARK: - Statements

    /// Returns the statements of both sides: key columns, then the other compared columns, then the rowid where
    /// requested. For the earlier side the last column is, where there are conditions, the number of the first one that
    /// the row matches, counted from 1.
    ///
    /// Within a key, rows that may not go come first and so are paired first.
    private func statements(
        key: [Int], usesRowid: Bool, rest: [Int], carriesRowid: Bool = false
    ) throws -> (before: any PreparedStatement, after: any PreparedStatement) {
        func text(
            _ schema: String, _ table: Catalog.Table, _ name: (TableMatch.ColumnPair) -> String,
            _ last: String?
        ) -> String {
            let rowid = table.rowidName ?? "NULL"
            let keys = usesRowid ? [rowid] : key.map { quotedName(name(match.columns[$0])) }
            let others = rest.map { quotedName(name(match.columns[$0])) }
            var columns = keys + others + (carriesRowid ? [rowid] : []) + (last.map { [$0] } ?? [])
            if columns.isEmpty { columns = ["NULL"] }
            var order = keys.map { $0 + " COLLATE BINARY" }
            if last != nil { order.append("\(columns.count)") }
            return "SELECT \(columns.joined(separator: ", ")) FROM \(schema).\(quotedName(table.name))"
                + (order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", "))
        }
        return (
            try connection.prepare(text("main", match.before, { $0.before.name }, condition)),
            try connection.prepare(text(StateInspector.laterSchema, match.after, { $0.after.name }, nil))
        )
    }

    private var condition: String? {
        guard !deletable.isEmpty else { return nil }
        let cases = deletable.enumerated().map { "WHEN (\($0.element)) THEN \($0.offset + 1)" }
        return "(CASE \(cases.joined(separator: " ")) ELSE 0 END)"
    }

    // MARK: - Merge

    private func merge(key: [Int], usesRowid: Bool, compared: [Int]) throws -> TableDifference {
        let rest = compared.filter { !key.contains($0) }
        let (before, after) = try statements(key: key, usesRowid: usesRowid, rest: rest)
        let keyCount = usesRowid ? 1 : key.count
        var difference = TableDifference()
        difference.encoding = encoding
        difference.keyColumns = usesRowid ? ["rowid"] : key.map { match.columns[$0].before.name }
        difference.keyPositions = usesRowid ? nil : key
        let merge = RowMerge(
            before: before, after: after, keyCount: keyCount, columnCount: keyCount + rest.count,
            condition: deletable.isEmpty ? nil : keyCount + rest.count)
        try merge.run { event in
            switch event {
            case .lost(let row):
                difference.note(
                    lost: row.ordinal, key: Array(row.values[..<keyCount]), condition: row.condition)
            case .added(let row):
                difference.added.note(.init(ordinal: row.ordinal, key: Array(row.values[..<keyCount])))
            case .changed(let old, let new):
                let changed = old.values.indices.filter { old.values[$0] != new.values[$0] }.map { index in
                    (index, position: index < keyCount && !usesRowid ? key[index] : rest[index - keyCount])
                }
                if old.condition > 0, changed.contains(where: { !rewritable.contains($0.position) }) {
                    // Another row has the place of one that may go.
                    difference.note(
                        lost: old.ordinal, key: Array(old.values[..<keyCount]), condition: old.condition)
                    difference.added.note(.init(ordinal: new.ordinal, key: Array(new.values[..<keyCount])))
                    return
                }
                for (index, position) in changed {
                    difference.note(
                        .init(
                            row: .init(ordinal: old.ordinal, key: Array(old.values[..<keyCount])),
                            before: old.values[index], after: new.values[index]),
                        column: position)
                }
            }
        }
        difference.rowsCompared = merge.rowsBefore
        return difference
    }

    // MARK: - Multisets

    /// Compares rows without a key: equal rows at equal rowids are the common case and need no sorting; otherwise both
    /// sides are sorted by all their columns.
    private func compareMultisets() throws -> TableDifference {
        let compared = all.filter { !rewritable.contains($0) }
        let hasRowids =
            match.before.rowidName != nil && match.after.rowidName != nil
            && compared.count + 2 <= Self.columnLimit
        if hasRowids {
            var difference = try merge(key: [], usesRowid: true, compared: compared)
            difference.uncompared = rewritable
            if difference.isEmpty { return difference }
        }
        var difference = TableDifference()
        difference.encoding = encoding
        difference.keyColumns = ["rowid"]
        difference.uncompared = rewritable
        let (before, after) = try statements(
            key: compared, usesRowid: false, rest: [], carriesRowid: hasRowids)
        let merge = RowMerge(
            before: before, after: after, keyCount: compared.count, columnCount: compared.count,
            condition: deletable.isEmpty ? nil : compared.count + (hasRowids ? 1 : 0))
        var lost: [Int64: RowMerge.Row] = [:]
        var added: [Int64: Int] = [:]
        merge.carried = hasRowids ? compared.count : nil
        try merge.run { event in
            switch event {
            case .lost(let row):
                if let rowid = row.carried {
                    lost[rowid] = RowMerge.Row(
                        ordinal: row.ordinal, values: [], condition: row.condition, carried: rowid)
                } else {
                    difference.note(lost: row.ordinal, key: [], condition: row.condition)
                }
            case .added(let row):
                if let rowid = row.carried {
                    added[rowid] = row.ordinal
                } else {
                    difference.added.note(.init(ordinal: row.ordinal, key: []))
                }
            case .changed(let old, let new):
                // Only values that tie in the order without being equal, such as 1 and 1.0.
                let rowid = old.carried.map { [SQLValue.integer($0)] } ?? []
                for index in old.values.indices where old.values[index] != new.values[index] {
                    difference.note(
                        .init(
                            row: .init(ordinal: old.ordinal, key: rowid), before: old.values[index],
                            after: new.values[index]),
                        column: compared[index])
                }
            }
        }
        difference.rowsCompared = merge.rowsBefore
        try settle(lost, added, compared, into: &difference)
        return difference
    }

    /// Settles a pair at one rowid: a row that is gone and replaced there by another was changed, unless it may go.
    private func settle(
        _ lost: [Int64: RowMerge.Row], _ added: [Int64: Int], _ compared: [Int],
        into difference: inout TableDifference
    ) throws {
        var added = added
        for (rowid, row) in lost.sorted(by: { $0.key < $1.key }) {
            if row.condition == 0, added.removeValue(forKey: rowid) != nil {
                try noteChanges(at: rowid, ordinal: row.ordinal, compared, into: &difference)
            } else {
                difference.note(lost: row.ordinal, key: [.integer(rowid)], condition: row.condition)
            }
        }
        for (rowid, ordinal) in added.sorted(by: { $0.key < $1.key }) {
            difference.added.note(.init(ordinal: ordinal, key: [.integer(rowid)]))
        }
    }

    private func noteChanges(
        at rowid: Int64, ordinal: Int, _ compared: [Int], into difference: inout TableDifference
    ) throws {
        let (old, new) = (match.before, match.after)
        let before = try connection.prepare(
            "SELECT \(compared.map { quotedName(match.columns[$0].before.name) }.joined(separator: ", "))"
                + " FROM main.\(quotedName(old.name)) WHERE \(old.rowidName ?? "rowid") = \(rowid)")
        let after = try connection.prepare(
            "SELECT \(compared.map { quotedName(match.columns[$0].after.name) }.joined(separator: ", "))"
                + " FROM \(StateInspector.laterSchema).\(quotedName(new.name)) WHERE \(new.rowidName ?? "rowid") = \(rowid)"
        )
        guard try before.step(), try after.step() else { return }
        for (index, position) in compared.enumerated() {
            let (a, b) = (before.value(index), after.value(index))
            guard a != b else { continue }
            difference.note(
                .init(row: .init(ordinal: ordinal, key: [.integer(rowid)]), before: a, after: b),
                column: position)
        }
    }
}
