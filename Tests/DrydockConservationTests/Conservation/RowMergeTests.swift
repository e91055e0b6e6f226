import DatabaseEngine
import TestTools
import Testing

@testable import DrydockConservation
@testable import DrydockState
@testable import DrydockTestSupport

/// Two lists of rows in the order of their keys, and what only one of them has.
@Suite struct RowMergeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The leading columns that are the key.
        var key = 1
        var before: [[SQLValue]]
        var after: [[SQLValue]]
        var events: [String]
    }

    @Test(arguments: [
        Case(testDescription: "nothing on either side", before: [], after: [], events: []),
        Case(
            testDescription: "nothing before", before: [], after: [[1], [nil]],
            events: ["added NULL", "added 1"]),
        Case(
            testDescription: "nothing after", before: [[1], [nil]], after: [],
            events: ["lost NULL", "lost 1"]),
        Case(
            testDescription: "the same rows", before: [[1, "a"], [2, "b"]], after: [[2, "b"], [1, "a"]],
            events: []),
        Case(
            testDescription: "lost, changed and added", before: [[1, "a"], [2, "b"], [4, "d"]],
            after: [[2, "x"], [3, "c"], [4, "d"]], events: ["lost 1 a", "changed 2 b to 2 x", "added 3 c"]),
        Case(
            testDescription: "the order of storage classes",
            before: [[nil], [-1], ["a"], [.blob([0x61])]], after: [[0], ["A"], [.blob([])]],
            events: ["lost NULL", "lost -1", "added 0", "added A", "lost a", "added x''", "lost x'61'"]),
        Case(
            testDescription: "another storage class is another value",
            before: [[1, 1], [2, "2"], [3, 0.0]],
            after: [[1, 1.0], [2, .blob([0x32])], [3, 0]],
            events: ["changed 1 1 to 1 1.0", "changed 2 2 to 2 x'32'", "changed 3 0.0 to 3 0"]),
        Case(
            testDescription: "a key of another storage class in the same place is changed",
            before: [[1, "a"]], after: [[1.0, "a"]], events: ["changed 1 a to 1.0 a"]),
        Case(
            testDescription: "integers that no real can hold are other keys",
            before: [[9_007_199_254_740_993]],
            after: [[9_007_199_254_740_992.0]],
            events: ["added 9007199254740992.0", "lost 9007199254740993"]),
        Case(
            testDescription: "text is compared as stored",
            before: [["a"], [.text([0x61, 0, 0x62])], [.text([0xff])]],
            after: [["a "], ["A"], [.text([0x61, 0])]],
            events: ["added A", "lost a", "added a\0", "lost a\0b", "added a ", "lost \u{fffd}"]),
        Case(
            testDescription: "rows with NULL for a key are a group",
            before: [[nil, 1], [nil, 2], [nil, 2]],
            after: [[nil, 2], [nil, 3]], events: ["changed NULL 1 to NULL 3", "lost NULL 2"]),
        Case(
            testDescription: "duplicates count", key: 2, before: [[1, 2], [1, 2], [1, 2]],
            after: [[1, 2], [1, 3]],
            events: ["lost 1 2", "lost 1 2", "added 1 3"]),
        Case(
            testDescription: "a key of two columns, of which one is NULL", key: 2,
            before: [[1, nil, "a"], [1, 1, "b"]], after: [[1, nil, "a"], [1, 1, "c"], [2, nil, "d"]],
            events: ["changed 1 1 b to 1 1 c", "added 2 NULL d"]),
        Case(
            testDescription: "without a key all rows are one group", key: 0, before: [["a"], ["b"], ["b"]],
            after: [["b"], ["c"]], events: ["changed a to c", "lost b"]),
    ])
    func rows(_ it: Case) throws {
        let merge = try MergedRows(it.before, it.after, key: it.key)
        #expect(try merge.run().map(\.text) == it.events)
    }

    @Test func `a row has its place, its condition and the carried integer`() throws {
        let before: [[SQLValue]] = [[1, "a", 2, 70], [2, "b", 0, 80], [3, "c", 1, nil]]
        let after: [[SQLValue]] = [[1, "a", 2, 71], [3, "x", 9, 90], [4, "d", 9, 91]]
        let merge = try MergedRows(before, after, key: 1, compared: 2, condition: 2, carried: 3)
        var seen: [[Int64?]] = []
        for event in try merge.run() {
            for row in event.rows { seen.append([Int64(row.ordinal), Int64(row.condition), row.carried]) }
        }
        // Only the earlier side has conditions; NULL is read as 0.
        #expect(seen == [[1, 0, 80], [2, 1, 0], [1, 0, 90], [2, 0, 91]])
        #expect(merge.merge.rowsBefore == 3 && merge.merge.rowsAfter == 3)
    }

    @Test func `an error ends the merge`() throws {
        struct Stop: Error {}
        let rows: [[SQLValue]] = [[1], [2]]
        let merge = try MergedRows(rows, [], key: 1)
        #expect(throws: Stop.self) { try merge.merge.run { _ in throw Stop() } }
        #expect(merge.merge.rowsBefore == 1)
    }

    @Test func `random rows give what a nested loop gives`() throws {
        for seed in seeds(200, of: 20_000) { try check(seed) }
    }

    private func check(_ seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let (key, count) = (random.below(3), 1 + random.below(3))
        let columns = key + count
        let before = Self.rows(columns, &random)
        // Most rows stay.
        var after = before.filter { _ in random.chance(70) } + Self.rows(columns, &random)
        after.shuffle(using: &random)
        let merge = try MergedRows(before, after, key: key)
        let events = try merge.run()
        let comment: Comment = "seed \(seed), key \(key)\n\(before)\n\(after)\n\(events.map(\.text))"

        // What has no equal on the other side, each row paired once.
        let (left, right) = (Self.unpaired(before, after), Self.unpaired(after, before))
        #expect(Self.sorted(events.compactMap(\.old?.values)) == Self.sorted(left), comment)
        #expect(Self.sorted(events.compactMap(\.new?.values)) == Self.sorted(right), comment)
        // Of these, rows with the same key are pairs, and as many as there can be.
        var rest = right
        let pairs = try left.count { row in
            guard let place = try rest.firstIndex(where: { try merge.areTied(row, $0) }) else { return false }
            rest.remove(at: place)
            return true
        }
        let changed = events.filter { $0.rows.count == 2 }
        #expect(changed.count == pairs, comment)
        for event in changed {
            #expect(try merge.areTied(event.rows[0].values, event.rows[1].values), comment)
        }
        #expect(merge.merge.rowsBefore == before.count && merge.merge.rowsAfter == after.count, comment)
        // Each row is where it is in the order of its side.
        let (old, new) = try (merge.ordered("a"), merge.ordered("b"))
        for row in events.compactMap(\.old) { #expect(old[row.ordinal] == row.values, comment) }
        for row in events.compactMap(\.new) { #expect(new[row.ordinal] == row.values, comment) }
    }

    /// Few values, so that many are equal or tie.
    private static func rows(_ columns: Int, _ random: inout SeededGenerator) -> [[SQLValue]] {
        let values: [SQLValue] = [
            nil, 0, 1, 2, 1.0, 1.5, "a", "A", "", .blob([]), .blob([0x61]), .text([0x61, 0]), .text([0xc3]),
            9_007_199_254_740_993, 9_007_199_254_740_992.0, .integer(.min), .real(-0x1p63), .real(.infinity),
        ]
        let few = Array(values.shuffled(using: &random).prefix(1 + random.below(5)))
        return (0..<random.below(8)).map { _ in (0..<columns).map { _ in random.pick(few) } }
    }

    private static func unpaired(_ rows: [[SQLValue]], _ others: [[SQLValue]]) -> [[SQLValue]] {
        var others = others
        return rows.filter { row in
            guard let place = others.firstIndex(of: row) else { return true }
            others.remove(at: place)
            return false
        }
    }

    private static func sorted(_ rows: [[SQLValue]]) -> [String] { rows.map { "\($0)" }.sorted() }
}

/// Rows in two tables of one database, read in the order of SQLite.
private struct MergedRows {
    let database: PlainDatabase
    let merge: RowMerge
    private let key: Int

    /// - Parameter compared: the number of leading columns that are compared; nil for all.
    init(
        _ before: [[SQLValue]], _ after: [[SQLValue]], key: Int, compared: Int? = nil, condition: Int? = nil,
        carried: Int? = nil
    ) throws {
        let count = (before + after).first?.count ?? max(key, 1)
        database = try PlainDatabase()
        self.key = key
        for (table, rows) in [("a", before), ("b", after)] {
            let names = (0..<count).map { "c\($0)" }.joined(separator: ", ")
            try database.execute("CREATE TABLE \(table)(\(names))")
            let marks = Array(repeating: "?", count: count).joined(separator: ", ")
            let insert = try database.prepare("INSERT INTO \(table) VALUES (\(marks))")
            for row in rows {
                try insert.reset(binding: row)
                _ = try insert.step()
            }
        }
        merge = RowMerge(
            before: try database.prepare(Self.query("a", key)),
            after: try database.prepare(Self.query("b", key)),
            keyCount: key, columnCount: compared ?? count, condition: condition)
        merge.carried = carried
    }

    private static func query(_ table: String, _ key: Int) -> String {
        let order = ((0..<key).map { "c\($0)" } + ["rowid"]).joined(separator: ", ")
        return "SELECT * FROM \(table) ORDER BY \(order)"
    }

    func run() throws -> [RowMerge.Event] {
        var events: [RowMerge.Event] = []
        try merge.run { events.append($0) }
        return events
    }

    func ordered(_ table: String) throws -> [[SQLValue]] {
        try database.rows(Self.query(table, key)) { row in (0..<row.columnCount).map(row.value) }
    }

    /// Whether SQLite takes the keys of two rows for the same.
    func areTied(_ a: [SQLValue], _ b: [SQLValue]) throws -> Bool {
        for (x, y) in zip(a.prefix(key), b) {
            let statement = try database.prepare("SELECT ? IS ?")
            try statement.reset(binding: [x, y])
            guard try statement.step(), statement.integer(0) == 1 else { return false }
        }
        return true
    }
}

extension RowMerge.Event {
    fileprivate var old: RowMerge.Row? {
        switch self {
        case .lost(let row), .changed(let row, _): row
        case .added: nil
        }
    }

    fileprivate var new: RowMerge.Row? {
        switch self {
        case .added(let row), .changed(_, let row): row
        case .lost: nil
        }
    }

    fileprivate var rows: [RowMerge.Row] { [old, new].compactMap { $0 } }

    fileprivate var text: String {
        let rows = self.rows.map { $0.values.map(Self.text).joined(separator: " ") }
        return switch self {
        case .lost: "lost \(rows[0])"
        case .added: "added \(rows[0])"
        case .changed: "changed \(rows[0]) to \(rows[1])"
        }
    }

    private static func text(_ value: SQLValue) -> String {
        if case .text(let bytes) = value { return String(decoding: bytes, as: UTF8.self) }
        return value.literal
    }
}
