import DatabaseEngine
import DrydockFindings
import DrydockState
import SQLiteSchema

/// A table with virtual generated columns, whose values the library computes that reads them
/// (https://www.sqlite.org/gencol.html).
struct ComputedTable: Codable, Sendable, Hashable {
    var name: String
    /// What names a row in evidence.
    private var keys: [String]
    private var stored: [String]
    /// The virtual columns.
    private(set) var columns: [String]

    /// What a library computes for all rows.
    struct Values: Codable, Sendable, Equatable {
        /// For each virtual column a sum over the rows, in any order.
        fileprivate var sums: [[UInt64]]
        /// The keys and the computed values of the first rows.
        fileprivate var first: [[SQLValue]] = []
    }

    /// How many rows are kept, to show some that differ.
    private static let sampleLimit = 500

    /// Returns those of a database that can be read.
    static func all(in catalog: Catalog, on connection: any Connection) throws -> [ComputedTable] {
        try catalog.tables.values.filter { $0.columns.contains(where: \.isGenerated) }
            .sorted { $0.name < $1.name }.compactMap { table in
                let virtual = try connection.rows("PRAGMA main.table_xinfo(\(quotedName(table.name)))") {
                    row in
                    row.integer(6) == 2 ? row.string(1) : nil
                }.compactMap(\.self)
                guard !virtual.isEmpty else { return nil }
                let keys = table.rowidName.map { [$0] } ?? table.primaryKey.map(\.name)
                let known = ComputedTable(
                    name: table.name, keys: keys, stored: table.storedColumns.map(\.name), columns: virtual)
                return try UseStatements.refusal(of: known.query, on: connection) == nil ? known : nil
            }
    }

    private var query: String {
        let list = (keys + stored + columns).map(quotedName).joined(separator: ", ")
        return
            "SELECT \(list) FROM main.\(quotedName(name)) ORDER BY \(keys.map(quotedName).joined(separator: ", "))"
    }

    /// Reads the whole table.
    /// - Returns: nil where the library cannot compute a value.
    func values(on connection: any Connection) throws -> Values? {
        var values = Values(sums: columns.map { _ in [0, 0, 0] })
        let (first, end) = (keys.count + stored.count, keys.count + stored.count + columns.count)
        do {
            try connection.forEachRow(query) { row in
                // What is stored says which row it is; the rowid may be another one.
                var whole = StableHash()
                for column in keys.count..<first { whole.add(row.value(column)) }
                for column in first..<end {
                    var hash = whole
                    hash.add(row.value(column))
                    hash.add(to: &values.sums[column - first])
                }
                guard values.first.count < Self.sampleLimit else { return }
                values.first.append((Array(0..<keys.count) + Array(first..<end)).map { row.value($0) })
            }
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return nil
        }
        return values
    }

    /// Returns the columns whose values differ.
    func differences(_ ours: Values, _ theirs: Values) -> [String] {
        guard ours.sums.count == theirs.sums.count, ours.sums.count == columns.count else { return columns }
        return columns.indices.filter { ours.sums[$0] != theirs.sums[$0] }.map { columns[$0] }
    }

    /// Returns rows of which a value differs, with both values.
    func rows(_ ours: Values, _ theirs: Values, of wanted: [String], _ encoding: TextEncoding)
        -> [Evidence
        .Row]
    {
        let other = Dictionary(
            theirs.first.map { (Array($0.prefix(keys.count)), $0) }, uniquingKeysWith: { first, _ in first })
        let sample = { Evidence.Sample($0, encoding: encoding) }
        return ours.first.flatMap { row -> [Evidence.Row] in
            guard let same = other[Array(row.prefix(keys.count))], same.count == row.count else { return [] }
            let key = zip(keys, row).map { Evidence.Cell(column: $0, value: sample($1)) }
            return columns.indices.compactMap { index in
                let place = keys.count + index
                guard wanted.contains(columns[index]), row[place] != same[place] else { return nil }
                return Evidence.Row(key: key, before: sample(row[place]), after: sample(same[place]))
            }
        }
    }
}

/// A hash that is the same in every process.
private struct StableHash {
    private var state: (UInt64, UInt64) = (0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f)

    private mutating func take(_ word: UInt64) {
        state = (
            Self.mix(state.0 ^ word, 0xff51_afd7_ed55_8ccd), Self.mix(state.1 ^ word, 0xc4ce_b9fe_1a85_ec53)
        )
    }

    private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low &+ a
    }

    mutating func add(_ value: SQLValue) {
        switch value {
        case .null: take(0)
        case .integer(let number):
            take(1)
            take(UInt64(bitPattern: number))
        case .real(let number):
            take(2)
            take(number.bitPattern)
        case .text(let bytes): add(bytes, tag: 3)
        case .blob(let bytes): add(bytes, tag: 4)
        }
    }

    private mutating func add(_ bytes: [UInt8], tag: UInt64) {
        take(UInt64(bytes.count) << 3 | tag)
        for start in stride(from: 0, to: bytes.count, by: 8) {
            take(bytes[start..<min(start + 8, bytes.count)].reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    /// Adds it to a sum of hashes and their number.
    func add(to sum: inout [UInt64]) {
        sum[0] &+= state.0
        sum[1] &+= state.1
        sum[2] &+= 1
    }
}
