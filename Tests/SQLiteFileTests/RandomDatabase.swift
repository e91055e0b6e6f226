import Foundation
import TestTools
import SQLiteFile

/// A database generated from a seed, with a model of its schema.
struct RandomDatabase {
    struct Column {
        var name: String
        var type: String
        /// The value in a record that was written before the column was added.
        var fallback = StoredValue.null

        var isReal: Bool { type == "real" }
    }

    struct KeyPart {
        var column: Int
        var collation: Collation
        var isDescending: Bool

        var sql: String { "\(collation)\(isDescending ? " desc" : "")" }
    }

    struct Table {
        var name: String
        var columns: [Column]
        /// The column that is an alias of the rowid.
        var alias: Int?
        /// The primary key of a WITHOUT ROWID table.
        var key: [KeyPart]?

        /// The columns in the order in which a record has them.
        var stored: [Int] {
            guard let key else { return Array(columns.indices) }
            return key.map(\.column)
                + columns.indices.filter { index in !key.contains { $0.column == index } }
        }
    }

    struct Index {
        var name: String
        var table: Int
        var parts: [KeyPart]
    }

    static let pageSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]

    var random: SeededGenerator
    let encoding: String
    private(set) var path: String
    private(set) var database: Database
    private(set) var tables: [Table] = []
    private(set) var indexes: [Index] = []

    init(seed: Int, in folder: Folder, pageSize: Int? = nil, rows: Int = 40) throws {
        random = SeededGenerator(seed: seed)
        path = folder.file("\(seed).db")
        database = try Database(path)
        encoding = random.pick(["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"])
        if random.chance(25) { database.reserveBytes(Int32(random.pick([1, 8, 32]))) }
        try database.execute(
            """
            pragma page_size = \(pageSize ?? random.pick(Self.pageSizes));
            pragma auto_vacuum = \(random.pick(["none", "none", "full", "incremental"]));
            pragma encoding = '\(encoding)';
            pragma synchronous = off;
            pragma journal_mode = \(random.pick(["memory", "memory", "wal"]));
            pragma secure_delete = \(random.pick(["on", "off"]));
            """)
        for _ in 0..<random.int(1...4) { try addTable() }
        for _ in 0..<random.int(0...4) { try addIndex() }
        try edit(rows)
        for _ in 0..<random.int(0...2) { try addColumn() }
        try edit(rows / 2)
    }

    /// Copies the database into another file, which can then be changed separately.
    func copy(in folder: Folder) throws -> RandomDatabase {
        try database.execute("pragma wal_checkpoint(truncate)")
        var result = self
        result.path = folder.file("copy.db")
        try FileManager.default.copyItem(atPath: path, toPath: result.path)
        result.database = try Database(result.path)
        return result
    }

    /// Inserts, deletes and updates rows.
    mutating func edit(_ count: Int) throws {
        try database.execute("begin")
        for _ in 0..<count { try editRow() }
        if random.chance(20) { try deleteMany() }
        try database.execute("commit")
    }

    mutating func editRow() throws {
        let index = random.int(0...(tables.count - 1))
        let table = tables[index]
        if random.chance(4) { return }
        switch random.int(0...9) {
        case 0: try database.execute("delete from \(table.name) where \(someRow(table))")
        case 1, 2:
            let column = random.pick(table.columns.indices.filter { $0 != table.alias })
            let sql = "update or ignore \(table.name) set \(table.columns[column].name) = ?1"
            try database.run("\(sql) where \(someRow(table))", [value(index)])
        case 3: try repaint(table, someRow(table))
        default:
            var values = table.columns.indices.map { _ in value(index) }
            if let alias = table.alias { values[alias] = rowid() }
            let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
            try database.run("insert or ignore into \(table.name) values (\(marks))", values)
        }
    }

    /// Changes the ends of long texts, which may leave their b-tree pages unchanged.
    mutating func repaint(_ table: Table, _ condition: String) throws {
        let column = random.pick(table.columns.indices.filter { $0 != table.alias })
        let name = table.columns[column].name
        let end = random.pick(["x", "y", "z"])
        try database.execute(
            "update or ignore \(table.name) set \(name) = substr(\(name), 1, length(\(name)) - 1) || '\(end)' "
                + "where typeof(\(name)) = 'text' and length(\(name)) > 300 and \(condition)")
    }

    private mutating func someRow(_ table: Table) -> String {
        let name = table.key == nil ? "rowid" : table.columns[table.key![0].column].name
        let from = "from \(table.name) order by \(name)"
        let skip = "(select abs(random()) % max(1, count(*)) from \(table.name))"
        let offset = random.chance(50) ? skip : "\(random.int(0...20))"
        return "\(name) = (select \(name) \(from) limit 1 offset \(offset))"
    }

    private mutating func deleteMany() throws {
        let table = random.pick(tables)
        let name = table.columns[0].name
        try database.execute("delete from \(table.name) where length(\(name)) % 2 = \(random.int(0...1))")
    }

    private mutating func addTable() throws {
        let name = "t\(tables.count + 1)"
        var table = Table(name: name, columns: [])
        let columnCount = random.chance(10) ? random.int(20...140) : random.int(2...6)
        for index in 0..<columnCount {
            table.columns.append(Column(name: "c\(index)", type: random.pick(Self.types)))
        }
        if random.chance(35) {
            let columns = Array(table.columns.indices.shuffled(using: &random).prefix(random.int(1...3)))
            table.key = columns.map { part($0) }
            // SQLite ignores the collation of an INTEGER PRIMARY KEY of a WITHOUT ROWID table.
            if columns.count == 1, table.columns[columns[0]].type == "integer" {
                table.columns[columns[0]].type = "int"
            }
        } else if random.chance(60) {
            let alias = random.int(0...(columnCount - 1))
            table.alias = alias
            table.columns[alias].type = "integer"
        }
        var parts = table.columns.indices.map { index in
            "\(table.columns[index].name) \(table.columns[index].type)\(index == table.alias ? " primary key" : "")"
        }
        if let key = table.key {
            let columns = key.map { "\(table.columns[$0.column].name) collate \($0.sql)" }
            parts.append("primary key (\(columns.joined(separator: ", ")))")
        }
        try database.execute(
            "create table \(name)(\(parts.joined(separator: ", ")))\(table.key == nil ? "" : " without rowid")"
        )
        tables.append(table)
    }

    private static let types = ["", "integer", "text", "real", "real", "blob", "numeric"]

    private mutating func part(_ column: Int) -> KeyPart {
        KeyPart(
            column: column, collation: random.pick([.binary, .binary, .nocase, .rtrim]),
            isDescending: random.chance(30))
    }

    private mutating func addIndex() throws {
        let candidates = tables.indices.filter { tables[$0].key == nil }
        guard !candidates.isEmpty else { return }
        let table = random.pick(candidates)
        let columns = Array(tables[table].columns.indices.shuffled(using: &random).prefix(random.int(1...3)))
        let index = Index(name: "i\(indexes.count + 1)", table: table, parts: columns.map { part($0) })
        let parts = index.parts.map { "\(tables[table].columns[$0.column].name) collate \($0.sql)" }
        try database.execute(
            "create index \(index.name) on \(tables[table].name)(\(parts.joined(separator: ", ")))")
        indexes.append(index)
    }

    private mutating func addColumn() throws {
        let index = random.int(0...(tables.count - 1))
        let type = random.pick(Self.types)
        let literal = random.pick(["null", "1", "-7.5", "'add äß'", "x'00ff'", "'12'", "3.0"])
        let name = "d\(tables[index].columns.count)"
        let column = "\(name) \(type) default \(literal)"
        try database.execute("alter table \(tables[index].name) add column \(column)")
        let other = try Database(":memory:")
        try other.execute("pragma encoding = '\(encoding)'; create table x(a); insert into x values (1)")
        try other.execute("alter table x add column \(column)")
        let fallback = try other.rows("select \(name) from x")[0][0]
        tables[index].columns.append(Column(name: name, type: type, fallback: fallback))
    }
}

extension RandomDatabase {
    private mutating func rowid() -> StoredValue {
        switch random.int(0...9) {
        case 0: .integer(random.pick([.max, .min, 0, -1, .max - 1, 1 << 32]))
        case 1: .integer(Int64(random.int(-70_000...70_000)))
        case 2, 3: .integer(Int64(random.int(0...90)))
        default: .null
        }
    }

    /// Returns a value: often a small number or short text, so that keys collide; now and then an edge case.
    mutating func value(_ table: Int) -> StoredValue {
        switch random.int(0...19) {
        case 0: .null
        case 1...4: .integer(Int64(random.int(-3...12)))
        case 5: .integer(random.pick(Self.integers))
        case 6, 7: .real(Double(random.int(-6...20)) / 2)
        case 8: .real(random.pick(Self.reals))
        case 9...13: .text(text(random.int(0...8)))
        case 14, 15: .text(text(random.int(20...300)))
        case 16: .text(long(random.pick([500, 2_000, 9_000])))
        case 17: .blob((0..<random.int(0...12)).map { _ in UInt8(random.int(0...255)) })
        case 18: .blob(long(random.pick([450, 1_200, random.chance(20) ? 150_000 : 5_000])))
        default: random.pick([.text([]), .blob([]), .text([0]), .text([97, 0, 98]), .text([97, 32, 32])])
        }
    }

    private static let integers: [Int64] = [
        .max, .min, 0, 1, 127, 128, -128, -129, 32767, 32768, -32769, 8_388_607, 8_388_608, -8_388_609,
        2_147_483_647, 2_147_483_648, 140_737_488_355_327, 140_737_488_355_328, -140_737_488_355_329,
        9_007_199_254_740_993,
    ]

    private static let reals: [Double] = [
        .nan, .infinity, -.infinity, -0.0, 0.1, 1e300, -.leastNonzeroMagnitude, 9_223_372_036_854_775_808, 3,
        -2,
        9_007_199_254_740_992, 140_737_488_355_328,
    ]

    private mutating func text(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes += Self.letters[Int(truncatingIfNeeded: random.next() & 15)] }
        return bytes
    }

    private static let alphabets = (0..<150_100).map { UInt8(97 + $0 % 25) }
    private static let letters = "abAB  zaabAzäß東🚢".map { Array(String($0).utf8) }

    private mutating func long(_ count: Int) -> [UInt8] {
        let offset = random.int(0...24)
        return Array(Self.alphabets[offset..<(offset + random.int(count / 2...count))])
    }
}
