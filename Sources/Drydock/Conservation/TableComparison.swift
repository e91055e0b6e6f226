import DatabaseEngine

/// Holds every row of a table against what it was, through SQL alone.
///
/// The connection has the state before the step as `main` and the state after it attached as `after`.
/// Both tables are read in the order of the key, and merged: rows that are the same to the bit pair off,
/// and what is left within one key is changed, lost or added. No row is skipped and no hash stands for one.
struct TableComparison {
    /// The name under which the later state is attached.
    static let afterSchema = "after"

    let connection: any Connection
    let match: TableMatch
    /// Positions of the column pairs whose values may change.
    let ignoredColumns: Set<Int>
    /// Conditions on the table before the step; rows that meet one may go. Nil allows every row.
    let deletable: [String]?

    /// How rows before and after are known to be the same row.
    private enum Identity {
        /// By these column pairs.
        case key([Int])
        /// By rowid, which is as good as a declared key.
        case rowid
        /// By nothing: a multiset.
        case nothing
    }

    func run() throws -> TableDifference {
        switch identity {
        case .key(let positions): return try merge(key: positions, usesRowid: false)
        case .rowid: return try merge(key: [], usesRowid: true)
        case .nothing: return try compareMultisets()
        }
    }

    private var compared: [Int] { match.columns.indices.filter { !ignoredColumns.contains($0) } }

    private var identity: Identity {
        if case .virtual = match.before.kind, match.before.rowidName != nil, match.after.rowidName != nil {
            return .rowid
        }
        let positions = match.before.primaryKey.map { key in
            compared.first { match.columns[$0].before.name == key.name }
        }
        let known = positions.compactMap { $0 }
        return known.isEmpty || known.count < positions.count ? .nothing : .key(known)
    }

    // MARK: - Statements

    /// The statements of both sides: key columns, then the other compared columns, then for the earlier
    /// side whether the row may go, then the rowid where it is asked for.
    private func statements(
        key: [Int], usesRowid: Bool, rest: [Int], extraRowid: Bool = false
    ) throws -> (before: any PreparedStatement, after: any PreparedStatement) {
        func text(
            _ schema: String, _ table: Catalog.Table, _ name: (TableMatch.ColumnPair) -> String,
            _ tail: [String]
        )
            -> String
        {
            let rowid = table.rowidName ?? "NULL"
            let keys = usesRowid ? [rowid] : key.map { quotedName(name(match.columns[$0])) }
            let others = rest.map { quotedName(name(match.columns[$0])) }
            let columns = keys + others + tail + (extraRowid ? [rowid] : [])
            let order = keys.map { $0 + " COLLATE BINARY" }.joined(separator: ", ")
            return "SELECT \(columns.joined(separator: ", ")) FROM \(schema).\(quotedName(table.name))"
                + (keys.isEmpty ? "" : " ORDER BY \(order)")
        }
        return (
            try connection.prepare(text("main", match.before, { $0.before.name }, [deletableExpression])),
            try connection.prepare(text(Self.afterSchema, match.after, { $0.after.name }, ["0"]))
        )
    }

    private var deletableExpression: String {
        guard let deletable else { return "1" }
        guard !deletable.isEmpty else { return "0" }
        return "(CASE WHEN " + deletable.map { "(\($0))" }.joined(separator: " OR ") + " THEN 1 ELSE 0 END)"
    }

    // MARK: - Merge

    private func merge(key: [Int], usesRowid: Bool) throws -> TableDifference {
        let rest = compared.filter { !key.contains($0) }
        let (before, after) = try statements(key: key, usesRowid: usesRowid, rest: rest)
        let keyCount = usesRowid ? 1 : key.count
        var difference = TableDifference()
        difference.keyColumns = usesRowid ? ["rowid"] : key.map { match.columns[$0].before.name }
        difference.keyPositions = usesRowid ? nil : key
        let merge = RowMerge(
            before: before, after: after, keyCount: keyCount, columnCount: keyCount + rest.count)
        try merge.run { event in
            switch event {
            case .lost(let row):
                if row.isDeletable {
                    difference.declaredLost += 1
                } else {
                    difference.lost.note(.init(ordinal: row.ordinal, key: Array(row.values[..<keyCount])))
                }
            case .added(let row):
                difference.added.note(.init(ordinal: row.ordinal, key: Array(row.values[..<keyCount])))
            case .changed(let old, let new):
                for index in old.values.indices where old.values[index] != new.values[index] {
                    let position = index < keyCount && !usesRowid ? key[index] : rest[index - keyCount]
                    difference.changed[position, default: .init()].note(
                        .init(
                            row: .init(ordinal: old.ordinal, key: Array(old.values[..<keyCount])),
                            before: old.values[index], after: new.values[index]))
                }
            }
        }
        difference.rowsCompared = merge.rowsBefore
        return difference
    }

    // MARK: - Multisets

    /// Rows without a key: the same rows at the same rowids are the common case and need no sorting;
    /// otherwise both sides are sorted by all their columns.
    private func compareMultisets() throws -> TableDifference {
        let hasRowids = match.before.rowidName != nil && match.after.rowidName != nil
        if hasRowids {
            let difference = try merge(key: [], usesRowid: true)
            if difference.isEmpty { return difference }
        }
        var difference = TableDifference()
        difference.keyColumns = ["rowid"]
        let (before, after) = try statements(
            key: compared, usesRowid: false, rest: [], extraRowid: true)
        let merge = RowMerge(
            before: before, after: after, keyCount: compared.count, columnCount: compared.count)
        let rowidColumn = compared.count + 1
        var lost: [Int64: LostRow] = [:]
        var unnumberedLost = 0
        var added: [Int64: Int] = [:]
        merge.carried = hasRowids ? rowidColumn : nil
        try merge.run { event in
            switch event {
            case .lost(let row):
                if let rowid = row.carried {
                    lost[rowid] = LostRow(ordinal: row.ordinal, isDeletable: row.isDeletable)
                } else if row.isDeletable {
                    difference.declaredLost += 1
                } else {
                    unnumberedLost += 1
                    difference.lost.note(.init(ordinal: row.ordinal, key: []))
                }
            case .added(let row):
                if let rowid = row.carried {
                    added[rowid] = row.ordinal
                } else {
                    difference.added.note(.init(ordinal: row.ordinal, key: []))
                }
            case .changed(let old, let new):
                // Only values that tie in the order and are not the same, such as 1 and 1.0.
                let rowid = old.carried.map { [SQLValue.integer($0)] } ?? []
                for index in old.values.indices where old.values[index] != new.values[index] {
                    difference.changed[compared[index], default: .init()].note(
                        .init(
                            row: .init(ordinal: old.ordinal, key: rowid), before: old.values[index],
                            after: new.values[index]))
                }
            }
        }
        difference.rowsCompared = merge.rowsBefore
        try settle(lost, added, into: &difference)
        return difference
    }

    private struct LostRow {
        var ordinal: Int
        var isDeletable: Bool
    }

    /// A row that is gone while another stands at its rowid was changed.
    private func settle(
        _ lost: [Int64: LostRow], _ added: [Int64: Int], into difference: inout TableDifference
    ) throws {
        var added = added
        for (rowid, row) in lost.sorted(by: { $0.key < $1.key }) {
            if added.removeValue(forKey: rowid) != nil {
                try noteChanges(at: rowid, ordinal: row.ordinal, into: &difference)
            } else if row.isDeletable {
                difference.declaredLost += 1
            } else {
                difference.lost.note(.init(ordinal: row.ordinal, key: [.integer(rowid)]))
            }
        }
        for (rowid, ordinal) in added.sorted(by: { $0.key < $1.key }) {
            difference.added.note(.init(ordinal: ordinal, key: [.integer(rowid)]))
        }
    }

    private func noteChanges(at rowid: Int64, ordinal: Int, into difference: inout TableDifference) throws {
        let pairs = compared.map { match.columns[$0] }
        let columns =
            pairs.map { "b.\(quotedName($0.before.name))" } + pairs.map { "a.\(quotedName($0.after.name))" }
        let sql = """
            SELECT \(columns.joined(separator: ", ")) FROM main.\(quotedName(match.before.name)) AS b, \
            \(Self.afterSchema).\(quotedName(match.after.name)) AS a \
            WHERE b.\(match.before.rowidName ?? "rowid") = \(rowid) AND a.\(match.after.rowidName ?? "rowid") = \(rowid)
            """
        try connection.forEachRow(sql) { row in
            for (index, position) in compared.enumerated() {
                let (old, new) = (row.value(index), row.value(index + compared.count))
                guard old != new else { continue }
                difference.changed[position, default: .init()].note(
                    .init(row: .init(ordinal: ordinal, key: [.integer(rowid)]), before: old, after: new))
            }
        }
    }
}
