import TestTools

@testable import DrydockTestSupport

/// Two databases with one schema: one has random rows, the other is a copy after random writes.
struct RandomRows {
    private var random: SeededGenerator
    private(set) var pragmas: [String] = []
    private(set) var schema: [String] = []
    private(set) var rows: [String] = []
    private(set) var writes: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        pragmas = [
            "PRAGMA page_size = \(random.pick([512, 1024, 4096]))",
            "PRAGMA encoding = '\(random.pick(["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"]))'",
        ]
        let count = 1 + random.below(3)
        for index in 0..<count { makeTable("t\(index)") }
        if random.chance(15) {
            schema.append("CREATE VIRTUAL TABLE ft USING fts5(a, b)")
            for _ in 0..<random.below(8) { rows.append("INSERT INTO ft VALUES (\(value()), \(value()))") }
            if random.chance(60) { writes.append("UPDATE ft SET a = \(value()) WHERE rowid % 3 = 1") }
            if random.chance(40) { writes.append("DELETE FROM ft WHERE rowid = 2") }
        }
        if random.chance(30) { writes.append("VACUUM") }
    }

    private mutating func makeTable(_ name: String) {
        let key = random.pick([
            "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY AUTOINCREMENT", "id TEXT PRIMARY KEY",
            "id TEXT PRIMARY KEY COLLATE NOCASE", "id PRIMARY KEY", "id INT PRIMARY KEY DESC", "id BLOB",
            "id",
            "rowid TEXT", "id TEXT COLLATE NOCASE PRIMARY KEY, CHECK (1)|w", "id PRIMARY KEY|w",
            "id INTEGER PRIMARY KEY|w",
        ])
        let isWithoutRowid = key.hasSuffix("|w")
        let names = (0..<(1 + random.below(3))).map { "c\($0)" }
        var columns = names.map { name in
            name
                + random.pick([
                    " INTEGER", " REAL", " TEXT", " BLOB", "", " NUMERIC", " TEXT COLLATE NOCASE", " UNIQUE",
                ])
        }
        var first = key.hasSuffix("|w") ? String(key.dropLast(2)) : key
        if first.hasSuffix(", CHECK (1)") {
            first = String(first.dropLast(11))
            columns.append("CHECK (1)")
        }
        if random.chance(25) {
            columns.insert("g AS (c0) \(random.pick(["STORED", "VIRTUAL"]))", at: random.below(2))
        }
        let keyName = first.hasPrefix("rowid") ? "rowid" : "id"
        schema.append(
            "CREATE TABLE \(name)(\(([first] + columns).joined(separator: ", ")))\(isWithoutRowid ? " WITHOUT ROWID" : "")"
        )
        if random.chance(40) { schema.append("CREATE TABLE \(name)_log(what)") }
        if schema.last?.contains("_log(") == true {
            for event in ["INSERT", "UPDATE", "DELETE"] where random.chance(60) {
                schema.append(
                    "CREATE TRIGGER \(name)_\(event) AFTER \(event) ON \(name) BEGIN INSERT INTO \(name)_log VALUES ('\(event)'); END"
                )
            }
        }
        if random.chance(20) { schema.append("CREATE UNIQUE INDEX \(name)_u ON \(name)(c0, \(keyName))") }
        if random.chance(10) {
            schema.append("CREATE UNIQUE INDEX \(name)_p ON \(name)(abs(c0)) WHERE typeof(c0) = 'integer'")
        }
        let list = ([keyName] + names).joined(separator: ", ")
        func insert(_ id: String) -> String {
            "INSERT OR IGNORE INTO \(name)(\(list)) VALUES (\(([id] + names.map { _ in value() }).joined(separator: ", ")))"
        }
        for index in 0..<random.below(40) { rows.append(insert(keyValue(index))) }
        for _ in 0..<random.below(8) {
            let column = random.pick(names)
            let condition = random.pick([
                "1", "\(keyName) > 10", "typeof(\(column)) = 'text'", "abs(random()) % 4 = 0",
                "\(keyName) IS NULL",
            ])
            switch random.below(7) {
            case 0, 1: writes.append(insert(keyValue(random.below(90))))
            case 2: writes.append("DELETE FROM \(name) WHERE \(condition)")
            case 3: writes.append("UPDATE OR IGNORE \(name) SET \(column) = \(value()) WHERE \(condition)")
            case 4:
                writes.append(
                    "UPDATE OR IGNORE \(name) SET \(keyName) = \(keyName) || 'x' WHERE typeof(\(keyName)) = 'text'"
                )
            case 5:
                writes.append(
                    "UPDATE OR IGNORE \(name) SET \(keyName) = upper(\(keyName)) WHERE typeof(\(keyName)) = 'text'"
                )
            default:
                // The same rows under other rowids.
                writes.append(
                    "CREATE TEMP TABLE x AS SELECT \(list) FROM \(name); DELETE FROM \(name); INSERT INTO \(name)(\(list)) SELECT * FROM x ORDER BY \(column); DROP TABLE x"
                )
            }
        }
    }

    private mutating func keyValue(_ index: Int) -> String {
        random.pick([
            "\(index)", "\(index)", "'k\(index)'", "'k\(index)'", "NULL", "\(index).5", "x'0\(index % 10)'",
        ])
    }

    private mutating func value() -> String {
        random.pick([
            "NULL", "\(random.below(3))", "1.0", "\(random.below(2_000_000) - 1_000_000)",
            "-9223372036854775808",
            "9223372036854775807", "3.0", "-0.0", "0.1", "9e999", "-9e999", "1e300", "4.9e-324",
            "1700000000.1234567",
            "\(random.below(1000)).\(random.below(1_000_000))", "1.0 / \(1 + random.below(1000))", "'a'",
            "'A'",
            "'it''s'", "'a '", "''", "x''", "x'00ff'", "'x' || char(0) || 'y'",
            "'line' || char(13, 10) || 'two'",
            "CAST(x'ff61' AS TEXT)", "char(233, 8364, 128512)", "char(65279) || 'bom'",
            "zeroblob(\(random.below(2000)))",
            "hex(zeroblob(\(random.below(1500))))", "'\(random.below(10))'", "'7'",
        ])
    }
}
