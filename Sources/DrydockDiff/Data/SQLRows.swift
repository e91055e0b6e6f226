import DrydockFindings
import DrydockConservation
import DrydockState
import DatabaseEngine

/// The differing rows of a table, read through SQL only: both sides in key order, merged.
///
/// The connection has the old database as `main` and the new one attached.
package struct SQLRows: RowDiffSource {
    let connection: any Connection
    let pairing: TablePairing
    package let identity: TableDataDiff.Identity

    package init(_ connection: any Connection, _ pairing: TablePairing) throws {
        self.connection = connection
        self.pairing = pairing
        if !pairing.key.isEmpty {
            identity = .key(pairing.key)
        } else if pairing.isByRowid {
            guard pairing.hasRowids else { throw RowsUndecided() }
            identity = .rowid
        } else {
            identity = try Self.isByRowid(connection, pairing) ? .rowid : .content
        }
    }

    /// Returns whether to identify rows by rowid. Rows without a key are a multiset; if each row that differs by rowid
    /// also differs by content, the rowid says more.
    private static func isByRowid(_ connection: any Connection, _ pairing: TablePairing) throws -> Bool {
        guard pairing.hasRowids else { return false }
        func count(_ identity: TableDataDiff.Identity) throws -> (old: Int, new: Int) {
            var count = (old: 0, new: 0)
            try Self(connection, pairing, identity).forEach(.count) { row in
                if row.kind != .added { count.old += 1 }
                if row.kind != .removed { count.new += 1 }
            }
            return count
        }
        let byRowid = try count(.rowid)
        return try byRowid == (0, 0) || byRowid == count(.content)
    }

    private init(_ connection: any Connection, _ pairing: TablePairing, _ identity: TableDataDiff.Identity) {
        (self.connection, self.pairing, self.identity) = (connection, pairing, identity)
    }

    package func forEach(_ detail: RowDetail, _ body: (RowDifference) throws -> Void) throws {
        let all = Array(pairing.match.columns.indices)
        let key: [Int]
        switch identity {
        case .key(let positions): key = positions
        case .rowid: key = []
        case .content: key = all
        }
        let order = key + all.filter { !key.contains($0) }
        let lead = identity == .rowid ? 1 : 0
        let merge = RowMerge(
            before: try connection.prepare(select("main", pairing.match.before, order, key, \.before)),
            after: try connection.prepare(
                select(StateInspector.laterSchema, pairing.match.after, order, key, \.after)),
            keyCount: key.count + lead, columnCount: order.count + lead)
        merge.carried = pairing.hasRowids ? order.count + lead : nil
        var places = Array(repeating: 0, count: order.count)
        for (place, position) in order.enumerated() { places[position] = place + lead }
        func whole(_ kind: RowDifference.Kind, _ row: RowMerge.Row) throws {
            var difference = RowDifference(kind: kind)
            if kind == .removed {
                difference.oldRowid = row.carried
            } else {
                difference.newRowid = row.carried
            }
            difference.values = places.map { row.values[$0] }
            difference.key = identity == .content ? [] : Array(row.values[..<(key.count + lead)])
            try body(difference)
        }
        try merge.run { event in
            switch event {
            case .lost(let row): try whole(.removed, row)
            case .added(let row): try whole(.added, row)
            case .changed(let old, let new):
                // Several rows may have a NULL in the key; only their content can pair them.
                guard identity != .content, !old.values[..<key.count].contains(.null) || lead > 0 else {
                    try whole(.removed, old)
                    return try whole(.added, new)
                }
                var difference = RowDifference(kind: .changed, oldRowid: old.carried, newRowid: new.carried)
                difference.key = Array(old.values[..<(key.count + lead)])
                for position in all where old.values[places[position]] != new.values[places[position]] {
                    difference.changes.append(
                        .init(
                            column: position, old: old.values[places[position]],
                            new: new.values[places[position]]))
                }
                if detail == .whole { difference.values = places.map { new.values[$0] } }
                try body(difference)
            }
        }
    }

    private func select(
        _ schema: String, _ table: Catalog.Table, _ columns: [Int], _ key: [Int],
        _ side: KeyPath<TableMatch.ColumnPair, Catalog.Column>
    ) -> String {
        let rowid = pairing.hasRowids ? table.rowidName ?? "NULL" : "NULL"
        func name(_ index: Int) -> String { quotedName(pairing.match.columns[index][keyPath: side].name) }
        let isByRowid = identity == .rowid
        let list = (isByRowid ? [rowid] : []) + columns.map(name) + [rowid]
        let order = (isByRowid ? [rowid] : key.map(name)).map { $0 + " COLLATE BINARY" }
        return "SELECT \(list.joined(separator: ", ")) FROM \(schema).\(quotedName(table.name))"
            + (order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", "))
    }
}
