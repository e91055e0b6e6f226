import DatabaseEngine

@testable import DrydockTestSupport

/// A database with tables of any kind that refer to each other in any way, and the SQL that makes it.
struct RandomDatabase {
    struct Link {
        var child: String
        var columns: [String]
        var parent: String
        var parentColumns: [String]
    }

    private(set) var sql = ""
    private(set) var tables: [String] = []
    private(set) var links: [Link] = []
    private(set) var hasOrphans = false
    private var random: Numbers

    /// SplitMix64, as in Sources/SampleMaker.
    struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }

        mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
        mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    }

    private enum Kind: CaseIterable { case integer, text, nocase, composite, unique, hidden }

    init(seed: UInt64) {
        random = Numbers(state: seed)
        let encoding = ["UTF-8", "UTF-16le", "UTF-16be"][random.below(3)]
        sql = "PRAGMA encoding = '\(encoding)'; PRAGMA page_size = \([512, 1024, 4096][random.below(3)]);\n"
        let count = 2 + random.below(4)
        let kinds = (0..<count).map { _ in Kind.allCases[random.below(Kind.allCases.count)] }
        for index in 0..<count { addTable(index, kinds) }
        for index in 0..<count { addRows(index, kinds) }
    }

    private static func name(_ index: Int) -> String { index == 1 ? "odd name" : "t\(index)" }
    private static func quoted(_ name: String) -> String { "\"\(name)\"" }

    /// The columns by which a table is referred to, with their types.
    private static func key(_ kind: Kind) -> [(String, String)] {
        switch kind {
        case .integer, .hidden: [("id", "INTEGER")]
        case .text: [("code", "TEXT")]
        case .nocase: [("code", "TEXT COLLATE NOCASE")]
        case .composite: [("a", "INTEGER"), ("b", "TEXT")]
        case .unique: [("email", "TEXT")]
        }
    }

    private var parents: [Int: [Int]] = [:]

    private mutating func addTable(_ index: Int, _ kinds: [Kind]) {
        let name = Self.name(index)
        let kind = kinds[index]
        var columns: [String]
        var end = ""
        switch kind {
        case .integer: columns = ["id INTEGER PRIMARY KEY \(random.chance(30) ? "AUTOINCREMENT" : "")"]
        case .hidden: columns = ["id INTEGER UNIQUE"]
        case .text:
            columns = ["code TEXT PRIMARY KEY NOT NULL"]; end = random.chance(50) ? " WITHOUT ROWID" : ""
        case .nocase:
            columns = ["code TEXT COLLATE NOCASE PRIMARY KEY NOT NULL"];
            end = random.chance(50) ? " WITHOUT ROWID" : ""
        case .composite: columns = ["a INTEGER NOT NULL", "b TEXT NOT NULL"]; end = " WITHOUT ROWID"
        case .unique: columns = ["email TEXT"]
        }
        columns += [
            "note TEXT COLLATE RTRIM", "state TEXT CHECK (state IN ('new', 'open', 'done'))",
            "size INTEGER CHECK (size BETWEEN -20 AND 5000)", "ratio REAL",
            "short TEXT AS (substr(note, 1, 3)) \(random.chance(50) ? "STORED" : "")",
        ]
        if end.isEmpty, random.chance(30), kind != .nocase { end = " STRICT" }
        var constraints: [String] = []
        if kind == .composite { constraints.append("PRIMARY KEY (b, a)") }
        for _ in 0..<(1 + random.below(2)) {
            let parent = random.below(kinds.count)
            let number = parents[index, default: []].count
            parents[index, default: []].append(parent)
            let key = Self.key(kinds[parent])
            let own = key.indices.map { "p\(number)_\($0)" }
            columns += zip(own, key).map { "\($0) \($1.1)" }
            let named = key.map(\.0)
            constraints.append(
                "FOREIGN KEY (\(own.joined(separator: ", "))) REFERENCES \(Self.quoted(Self.name(parent))) (\(named.joined(separator: ", ")))"
            )
            links.append(.init(child: name, columns: own, parent: Self.name(parent), parentColumns: named))
        }
        tables.append(name)
        sql +=
            "CREATE TABLE \(Self.quoted(name)) (\((columns + constraints).joined(separator: ", ")))\(end);\n"
        if kind == .unique {
            sql += "CREATE UNIQUE INDEX \"email of \(index)\" ON \(Self.quoted(name)) (email);\n"
        }
        if random.chance(50) {
            sql += "CREATE INDEX \"note of \(index)\" ON \(Self.quoted(name)) (note, upper(state));\n"
        }
        if random.chance(50) {
            sql +=
                "CREATE TRIGGER \"after \(index)\" AFTER INSERT ON \(Self.quoted(name)) BEGIN DELETE FROM \(Self.quoted(name)); END;\n"
            sql += "DROP TRIGGER \"after \(index)\";\n"
        }
    }

    private static let rowCount = 120

    /// The key of a row, in SQL.
    private static func key(_ kind: Kind, _ row: Int) -> [String] {
        switch kind {
        case .integer, .hidden: ["\(row * 37 + 5)"]
        case .text: ["'key-\(row * 7919)'"]
        case .nocase: [row.isMultiple(of: 2) ? "'KEY-\(row * 7919)'" : "'key-\(row * 7919)'"]
        case .composite: ["\(row % 11)", "'part \(row * 31)'"]
        case .unique: ["'user\(row)@example.com'"]
        }
    }

    private mutating func addRows(_ index: Int, _ kinds: [Kind]) {
        let kind = kinds[index]
        let columns = Self.key(kind).map(\.0) + ["note", "state", "size", "ratio"]
        let own = (parents[index] ?? []).enumerated().flatMap { number, parent in
            Self.key(kinds[parent]).indices.map { "p\(number)_\($0)" }
        }
        var rows: [String] = []
        for row in 0..<Self.rowCount {
            var values = Self.key(kind, row)
            values.append(
                random.chance(20) ? "NULL" : "'Note \(random.below(40))\(random.chance(20) ? "  " : "")'")
            values.append(random.chance(10) ? "NULL" : ["'new'", "'open'", "'done'"][random.below(3)])
            values.append("\(random.below(5020) - 20)")
            values.append(random.chance(20) ? "NULL" : "\(Double(random.below(4000)) / 8)")
            for parent in parents[index] ?? [] {
                let count = Self.key(kinds[parent]).count
                if random.chance(15) {
                    values += Array(repeating: "NULL", count: count)
                } else if random.chance(2) {
                    hasOrphans = true
                    values += Self.key(kinds[parent], Self.rowCount + random.below(50))
                } else {
                    var key = Self.key(kinds[parent], random.below(Self.rowCount))
                    // The parent's collation counts.
                    if kinds[parent] == .nocase, random.chance(50) { key[0] = "upper(\(key[0]))" }
                    values += key
                }
            }
            rows.append("(\(values.joined(separator: ", ")))")
        }
        sql +=
            "INSERT INTO \(Self.quoted(Self.name(index))) (\((columns + own).joined(separator: ", "))) VALUES\n"
        sql += rows.joined(separator: ",\n") + ";\n"
    }
}
