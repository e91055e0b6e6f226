import TestTools
import Testing

@testable import SQLiteFile

/// Every table and index that is read here has the contents that SQL returns.
@Suite struct ReadTests {
    @Test(arguments: seeds(20, of: 40, soak: 2_000)) func everyTreeHasTheRowsThatSQLReads(seed: Int) throws {
        let folder = Folder()
        var made = try RandomDatabase(seed: seed, in: folder)
        try made.database.execute("pragma wal_checkpoint(truncate)")
        let file = try DatabaseFile(path: made.path)
        try compareSchema(made, file, seed)
        for table in made.tables { try compare(table, made, file, seed) }
        for index in made.indexes { try compare(index, &made, file, seed) }
    }

    private func compareSchema(_ made: RandomDatabase, _ file: DatabaseFile, _ seed: Int) throws {
        let ours = try file.rows(root: 1).map { [.integer($0.rowid)] + $0.values }
        #expect(try ours == made.database.rows("select rowid, * from sqlite_schema"), "seed \(seed)")
        #expect(try file.schema().count == ours.count)
        #expect(try Int(file.pageCount) == made.database.integer("pragma page_count"))
    }

    private func compare(
        _ table: RandomDatabase.Table, _ made: RandomDatabase, _ file: DatabaseFile, _ seed: Int
    ) throws {
        let root = try file.root(table.name)
        let ours = try file.rows(root: root).map { row in
            [.integer(row.rowid)] + table.values(row.rowid, row.values)
        }
        let order = table.key.map { made.order($0, of: table) } ?? "rowid"
        let rowid = table.key == nil ? "rowid" : "0"
        let sql = "select \(rowid), * from \(table.name) order by \(order)"
        let theirs = try made.database.rows(sql)
        #expect(ours == theirs, "seed \(seed) \(table.name) order by \(order) \(mismatch(ours, theirs))")
        guard table.key == nil else { return }
        try seek(
            root, ours.map { row in if case .integer(let rowid) = row[0] { rowid } else { 0 } }, file, seed)
    }

    private func seek(_ root: UInt32, _ rowids: [Int64], _ file: DatabaseFile, _ seed: Int) throws {
        var cursor = try TreeCursor(file, root: root)
        for target in rowids.flatMap({ [$0, $0 &- 1, $0 &+ 1] }) + [.min, .max, 0] {
            try cursor.seek(to: target)
            #expect(try cursor.next()?.rowid == rowids.first { $0 >= target }, "seed \(seed) \(target)")
        }
    }

    private func compare(
        _ index: RandomDatabase.Index, _ made: inout RandomDatabase, _ file: DatabaseFile, _ seed: Int
    ) throws {
        let table = made.tables[index.table]
        let ours = try file.rows(root: try file.root(index.name)).map { row -> [StoredValue] in
            zip(row.values, index.parts.map(\.column)).map { table.columns[$1].restore($0) }
                + row.values.suffix(1)
        }
        let columns = index.parts.map { table.columns[$0.column].name }.joined(separator: ", ")
        let sql =
            "select \(columns), rowid from \(table.name) order by \(made.order(index.parts, of: table)), rowid"
        let theirs = try made.database.rows(sql)
        #expect(ours == theirs, "seed \(seed) \(index.name) \(mismatch(ours, theirs))")
        try checkOrder(index, &made.random, file, seed)
    }

    /// Checks that any two entries compare in the order of their positions.
    private func checkOrder(
        _ index: RandomDatabase.Index, _ random: inout SeededGenerator, _ file: DatabaseFile, _ seed: Int
    ) throws {
        let order = KeyOrder(
            index.parts.map { KeyColumn($0.collation, isDescending: $0.isDescending) } + [KeyColumn()],
            in: file)
        var cursor = try TreeCursor(file, root: try file.root(index.name))
        var buffer = PayloadBuffer()
        var records: [[UInt8]] = []
        while let entry = try cursor.next() {
            records.append(Array(try file.bytes(of: entry.payload, in: &buffer)))
        }
        guard records.count > 1 else { return }
        for number in 0..<(2 * records.count) {
            let left = number < records.count - 1 ? number : random.int(0...(records.count - 2))
            let right = number < records.count - 1 ? number + 1 : random.int((left + 1)...(records.count - 1))
            let place = "seed \(seed) \(index.name) \(left) \(right)"
            #expect(try order.compare(records[left], records[right]) < 0, "\(place)")
            #expect(try order.compare(records[right], records[left]) > 0, "\(place)")
            #expect(try order.compare(records[left], records[left]) == 0, "\(place)")
        }
    }
}

extension RandomDatabase {
    func order(_ parts: [KeyPart], of table: Table) -> String {
        parts.map { "\(table.columns[$0.column].name) collate \($0.sql)" }.joined(separator: ", ")
    }
}

extension RandomDatabase.Table {
    /// Returns a record's values as SQL returns them: in the table's order, none missing.
    func values(_ rowid: Int64, _ record: [StoredValue]) -> [StoredValue] {
        var result = columns.map(\.fallback)
        for (value, column) in zip(record, stored) { result[column] = columns[column].restore(value) }
        if let alias { result[alias] = .integer(rowid) }
        return result
    }
}

extension RandomDatabase.Column {
    func restore(_ value: StoredValue) -> StoredValue {
        if isReal, case .integer(let integer) = value { .real(Double(integer)) } else { value }
    }
}

extension KeyOrder {
    func compare(_ left: [UInt8], _ right: [UInt8]) throws -> Int {
        try left.withUnsafeBytes { left in try right.withUnsafeBytes { try compare(left, $0, page: 1) } }
    }
}
