import TestTools

/// SeededGenerator SQL with everything that a migration may do to a file.
///
/// Statements may fail because a savepoint or a table does not exist. They must then fail alike on both
/// files.
struct Workload {
    var random: SeededGenerator
    private var tables = 0

    static let pageSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]

    init(_ random: SeededGenerator) { self.random = random }

    /// Returns the settings that must come first, while the file is empty.
    mutating func settings() -> String {
        """
        pragma page_size = \(random.pick(Self.pageSizes));
        pragma auto_vacuum = \(random.pick(["none", "full", "incremental"]));
        pragma encoding = '\(random.pick(["UTF-8", "UTF-16le", "UTF-16be"]))';
        """
    }

    /// Returns settings for each connection. A small cache writes pages before a transaction ends.
    mutating func connectionSettings() -> String {
        """
        pragma cache_size = \(random.pick([1, 5, 50, 2000]));
        pragma secure_delete = \(random.pick(["on", "off", "fast"]));
        pragma temp_store = \(random.pick(["file", "memory"]));
        pragma synchronous = \(random.pick(["off", "normal", "full"]));
        """
    }

    /// - Parameter isIdle: whether no transaction is open.
    mutating func next(isIdle: Bool) -> String {
        switch random.int(0...99) {
        case 0..<30: insert()
        case 30..<42:
            "update \(table()) set b = b || '\(text(40))', c = \(literal()) "
                + "where id % \(random.int(2...7)) = 1"
        case 42..<52: "delete from \(table()) where id % \(random.int(2...9)) = 0"
        case 52..<54: "delete from \(table())"
        case 54..<70: transaction(isIdle)
        case 70..<84: definition()
        case 84..<100 where !isIdle && random.chance(80): insert()
        case 84..<88: "vacuum"
        case 88..<91: "pragma page_size = \(random.pick(Self.pageSizes)); vacuum"
        case 91..<93: "pragma incremental_vacuum(\(random.int(1...9)))"
        case 93..<97:
            "pragma journal_mode = \(random.pick(["delete", "truncate", "persist", "memory", "wal", "wal"]))"
        // Without a journal a rollback is undefined, so this statement cannot fail and runs outside a
        // transaction.
        case 97 where isIdle: "pragma journal_mode = off; delete from t1; pragma journal_mode = delete"
        default: random.pick(["pragma wal_checkpoint(truncate)", "analyze", "reindex"])
        }
    }

    private mutating func transaction(_ isIdle: Bool) -> String {
        let begin = ["begin", "begin", "begin immediate", "begin exclusive", "savepoint a", "savepoint b"]
        let end = [
            "commit", "rollback", "savepoint a", "savepoint a", "savepoint b", "release a", "release b",
            "rollback to a", "rollback to a", "rollback to b",
        ]
        return random.pick(random.chance(5) ? begin + end : isIdle ? begin : end)
    }

    private mutating func definition() -> String {
        switch random.int(0...7) {
        case 0, 1:
            tables += 1
            return
                "create table if not exists t\(tables % 9 + 1)"
                + "(id integer primary key, b text default '', c\(random.pick(["", " unique"])))"
        case 2: return "create index i\(random.int(1...9)) on \(table())(c, b)"
        case 3: return "drop index if exists i\(random.int(1...9))"
        case 4: return "alter table \(table()) add column d\(random.int(1...5)) default \(literal())"
        case 5: return "alter table \(table()) drop column d\(random.int(1...5))"
        case 6: return "drop table if exists t\(random.int(2...9))"
        default: return "alter table t\(random.int(2...9)) rename to t\(random.int(2...9))"
        }
    }

    private mutating func insert() -> String {
        if random.chance(15) {
            let size = random.pick([5000, 40_000, 200_000])
            return
                "insert into \(table())(b, c) values "
                + "(replace(hex(zeroblob(\(size))), '0', '\(text(1))'), null)"
        }
        let rows = (0..<random.int(1...40)).map { _ in "('\(text(random.int(0...60)))', \(literal()))" }
        return "insert or ignore into \(table())(b, c) values \(rows.joined(separator: ", "))"
    }

    private mutating func table() -> String {
        "t\(random.chance(60) ? 1 : random.int(1...max(1, min(tables + 1, 9))))"
    }

    private mutating func text(_ count: Int) -> String {
        String((0..<count).map { _ in random.pick(Array("abcxyzäß東🚢")) })
    }

    private mutating func literal() -> String {
        switch random.int(0...4) {
        case 0: "null"
        case 1: "\(random.int(-9...9_999_999))"
        case 2: "\(random.int(0...999)).5"
        case 3: "zeroblob(\(random.int(0...900)))"
        default: "'\(text(random.int(0...20)))'"
        }
    }
}
