import TestTools

/// A table with rows of every class and size, and random changes that a migration may make to it.
struct RandomMigration {
    private var random: SeededGenerator
    private var columns: [(name: String, type: String)] = []
    private let hasKey: Bool
    private let isWithoutRowid: Bool
    private var name = "t"
    private var key = ""
    private(set) var schema = ""
    private(set) var rows = ""
    private(set) var pragmas: [String] = []
    private(set) var steps: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        pragmas = [
            "PRAGMA page_size = \(random.pick([512, 1024, 4096, 8192, 65536]))",
            "PRAGMA encoding = '\(random.pick(["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"]))'",
            "PRAGMA auto_vacuum = \(random.below(3))",
        ]
        let count = 2 + random.below(4)
        for index in 0..<count { columns.append(("c\(index)", Self.type(&random))) }
        isWithoutRowid = random.chance(25)
        let isKeyed = random.chance(60)
        hasKey = isWithoutRowid ? true : isKeyed
        makeSchema()
        makeRows()
        for _ in 0..<(1 + random.below(3)) {
            let statements = (0..<(1 + random.below(3))).map { _ in statement() }
            let mode = random.chance(50) ? "-- drydock: foreign-keys immediate\n" : ""
            steps.append(mode + statements.joined(separator: ";\n"))
        }
    }

    private static func type(_ random: inout SeededGenerator) -> String {
        random.pick(["INTEGER", "REAL", "TEXT", "BLOB", "", "NUMERIC", "DOUBLE", "TEXT COLLATE NOCASE"])
    }

    private mutating func makeSchema() {
        if isWithoutRowid {
            let collation = random.pick(["", " COLLATE NOCASE", " COLLATE RTRIM"])
            let order = random.pick(["", " DESC"])
            key = random.chance(50) ? "k TEXT\(collation), j INT" : "j INT, k TEXT"
            schema = definition(name, columns)
            key =
                key + "|" + (random.chance(50) ? "PRIMARY KEY (k\(order), j)" : "PRIMARY KEY (j\(order), k)")
        } else if hasKey {
            key = random.pick([
                "id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY", "id INT PRIMARY KEY",
                "id INTEGER PRIMARY KEY AUTOINCREMENT",
            ])
        }
        schema =
            definition(name, columns)
            + "; CREATE TABLE u(a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX u_b ON u(b)"
            + "; CREATE TABLE w(id INTEGER PRIMARY KEY, code TEXT UNIQUE, note TEXT)"
            + "; CREATE TABLE wr(x TEXT, y INT, note TEXT, PRIMARY KEY (x, y)) WITHOUT ROWID"
            + "; CREATE TABLE child(id INTEGER PRIMARY KEY, u_id INTEGER REFERENCES u, code TEXT REFERENCES w(code),"
            + " x TEXT, y INT, FOREIGN KEY (x, y) REFERENCES wr)"
        if random.chance(60) { schema += "; CREATE INDEX t_c0 ON t(c0)" }
    }

    private func definition(_ name: String, _ columns: [(name: String, type: String)]) -> String {
        let parts = key.split(separator: "|").map(String.init)
        let own = columns.map { "\($0.name) \($0.type)" }
        let all = (parts.isEmpty ? [] : [parts[0]]) + own + parts.dropFirst()
        return "CREATE TABLE \(name)(\(all.joined(separator: ", ")))\(isWithoutRowid ? " WITHOUT ROWID" : "")"
    }

    private var keyNames: [String] { isWithoutRowid ? ["j", "k"] : hasKey ? ["id"] : [] }

    private mutating func makeRows() {
        var values: [String] = []
        for index in 0..<random.below(120) {
            let keys =
                isWithoutRowid
                ? ["\(random.below(1000) - 500)", "'key \(index)'"]
                : hasKey
                    ? [key.contains("TEXT") ? "'k\(random.below(9))-\(index)'" : "\(index * 3 - 20)"] : []
            let cells = columns.map { _ in value() }
            values.append(
                "INSERT OR IGNORE INTO t(\((keyNames + columns.map(\.name)).joined(separator: ", "))) VALUES (\((keys + cells).joined(separator: ", ")))"
            )
        }
        values.append("INSERT INTO u VALUES (1, 'x'), (2, NULL), (7, zeroblob(5000))")
        values.append(
            """
            INSERT INTO w VALUES (1, 'a', 'n'), (2, 'b', NULL), (3, 'c', 'long'); INSERT INTO wr VALUES ('x', 1, ''), ('y', 2, '');
            INSERT INTO child VALUES (1, 1, 'a', 'x', 1), (2, 2, NULL, 'y', NULL), (3, NULL, 'c', NULL, 2)
            """)
        if random.chance(20) { values.append("INSERT INTO child VALUES (9, 99, 'lost', 'x', 7)") }
        if random.chance(50) { values.append("DELETE FROM t WHERE c0 IS NULL") }
        rows = values.joined(separator: ";\n")
    }

    private mutating func value() -> String {
        random.pick([
            "NULL", "\(random.below(3))", "\(random.below(2_000_000) - 1_000_000)", "9223372036854775807",
            "1.5", "3.0", "-0.0",
            "1e300", "'a'", "'A'", "'a '", "''", "x''", "x'00ff'", "'x' || char(0) || 'y'",
            "zeroblob(\(random.below(3000)))",
            "hex(zeroblob(\(random.below(6000))))", "'\(random.below(10))'",
        ])
    }

    private mutating func condition() -> String {
        guard let column = columns.isEmpty ? nil : random.pick(columns) else { return "1" }
        return random.pick([
            "1", "typeof(\(column.name)) = 'integer'", "length(\(column.name)) > 100",
            "\(column.name) IS NULL",
            "(SELECT count(*) FROM u) > 100", "\(column.name) = 1",
        ])
    }

    private mutating func statement() -> String {
        let names = keyNames + columns.map(\.name)
        let column = random.pick(columns).name
        switch random.below(16) {
        case 0: return "UPDATE \(name) SET \(column) = \(value()) WHERE \(condition())"
        case 1: return "DELETE FROM \(name) WHERE \(condition())"
        case 2: return "UPDATE \(name) SET \(column) = \(column)"
        case 3:
            return
                "UPDATE \(name) SET \(column) = CAST(\(column) AS \(random.pick(["INTEGER", "REAL", "TEXT"]))) WHERE \(condition())"
        case 4:
            // In place: an overflow page changes but the leaf does not.
            return
                "UPDATE \(name) SET \(column) = substr(\(column), 1, length(\(column)) - 1) || '!' WHERE typeof(\(column)) = 'text' AND length(\(column)) > 3000"
        case 5:
            let new = "d\(columns.count)\(random.below(99))"
            columns.append((new, ""))
            return
                "ALTER TABLE \(name) ADD COLUMN \(new) \(random.pick(["DEFAULT 5", "", "TEXT DEFAULT 5", "REAL DEFAULT 5"]))"
        case 6:
            let new = "r\(random.below(999))"
            guard let index = columns.firstIndex(where: { $0.name == column }) else { return "SELECT 1" }
            columns[index].name = new
            return "ALTER TABLE \(name) RENAME COLUMN \(column) TO \(new)"
        case 7:
            let old = name
            name = "t\(random.below(9999))"
            return "ALTER TABLE \(old) RENAME TO \(name)"
        case 8:
            return "CREATE TABLE IF NOT EXISTS v\(random.below(99))(a, b); INSERT INTO u(b) VALUES ('new')"
        case 9: return "DROP INDEX IF EXISTS t_c0"
        case 10: return "CREATE INDEX IF NOT EXISTS i\(random.below(99)) ON \(name)(\(column))"
        case 11, 12:
            // A rebuild: columns in a different order, with a different type, or copied by position.
            var target = columns
            if random.chance(50) { target.shuffle(using: &random) }
            if random.chance(40) { target[0].type = Self.type(&random) }
            let list = names.joined(separator: ", ")
            let copy =
                random.chance(70)
                ? "INSERT OR IGNORE INTO \(name)_new(\(list)) SELECT \(list) FROM \(name) WHERE \(random.chance(70) ? "1" : condition())"
                : "INSERT OR IGNORE INTO \(name)_new SELECT * FROM \(name)"
            let order = random.chance(20) ? " ORDER BY hex(\(column)) DESC" : ""
            let text =
                "\(definition("\(name)_new", target)); \(copy)\(order); DROP TABLE \(name); ALTER TABLE \(name)_new RENAME TO \(name)"
            columns = target
            return text
        case 13, 14: return keyed()
        default: return "DELETE FROM u WHERE a = 7; UPDATE u SET b = upper(b)"
        }
    }

    /// Returns a statement that foreign keys affect, or seem to affect.
    private mutating func keyed() -> String {
        random.pick([
            "UPDATE u SET b = 'other'", "DELETE FROM u WHERE a = \(1 + random.below(8))",
            "UPDATE u SET a = a + 1 WHERE a = 7", "UPDATE w SET note = 'x' || note",
            "UPDATE w SET code = upper(code) WHERE id = \(1 + random.below(3))",
            "UPDATE w SET id = id + 10", "DELETE FROM w WHERE id = \(1 + random.below(3))",
            "UPDATE wr SET note = 'n'", "DELETE FROM wr WHERE y = \(1 + random.below(2))",
            "INSERT OR IGNORE INTO u VALUES (99, 'found')",
            "INSERT INTO child(u_id) VALUES (\(random.below(9)))",
            "UPDATE child SET code = 'b' WHERE id = 1", "ALTER TABLE u ADD COLUMN n\(random.below(999))",
            "ALTER TABLE w RENAME TO w\(random.below(999)); CREATE TABLE w(id INTEGER PRIMARY KEY, code TEXT UNIQUE, note TEXT)",
            """
            CREATE TABLE u_new(a INTEGER PRIMARY KEY, b TEXT, more); INSERT INTO u_new(a, b) SELECT a, b FROM u
            WHERE a <> \(random.below(9)); DROP TABLE u; ALTER TABLE u_new RENAME TO u
            """,
        ])
    }
}
