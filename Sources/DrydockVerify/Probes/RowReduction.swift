import DatabaseEngine
import DrydockProbes
import DrydockReplay
import SQLiteSchema

/// Makes a list of rows as small and simple as it can, while it still shows something.
///
/// Single rows with all that they refer to are tried first. Then tables go, half of them at once, then rows by halves,
/// quarters and one by one (delta debugging), each with what refers to it, then columns and values.
package struct RowReduction {
    package private(set) var rows: [GeneratedRow]
    private let links: RowLinks
    /// How often rows were tried.
    package private(set) var runs = 0
    /// Whether nothing smaller was left to try.
    package private(set) var isFinished = false
    private let limit: Int
    private let shows: ([GeneratedRow]) async throws -> Bool
    /// The columns, folded, that are not left out of rows, by folded name of the table: each row would get another value, and
    /// show something else, each time it is inserted.
    private let kept: [String: Set<String>]

    /// At most so many single rows are tried.
    private static let mostSeeds = 12

    package init(
        _ rows: [GeneratedRow], limit: Int, links: RowLinks = RowLinks(),
        shows: @escaping ([GeneratedRow]) async throws -> Bool
    ) {
        (self.rows, self.limit, self.links, self.shows) = (rows, limit, links, shows)
        kept = rows.reduce(into: links.random) { kept, row in
            kept[row.table.foldedASCII]?.formIntersection(row.columns.map(\.foldedASCII))
        }
    }

    /// - Returns: false where the rows as they are do not show it.
    package mutating func run() async throws -> Bool {
        guard try await take(rows) else { return false }
        if try await take([]) {
            isFinished = true
            return true
        }
        try await keepOneRow()
        try await dropTables()
        try await dropRows()
        try await simplifyTogether()
        try await simplifyValues()
        isFinished = runs < limit
        return true
    }

    /// Tries rows, and keeps them if they show it.
    private mutating func take(_ candidate: [GeneratedRow]) async throws -> Bool {
        guard runs < limit, candidate.allSatisfy(isWhole) else { return false }
        runs += 1
        guard try await shows(candidate) else { return false }
        rows = candidate
        return true
    }

    private func isWhole(_ row: GeneratedRow) -> Bool {
        kept[row.table.foldedASCII]?.isSubset(of: row.columns.map(\.foldedASCII)) ?? true
    }

    /// Tries single rows with those that they refer to: first of the table in question, then one of each table.
    private mutating func keepOneRow() async throws {
        var seeds = rows.indices.filter { rows[$0].table == links.focus }.prefix(Self.mostSeeds / 2)
        var tables: Set<String> = []
        for place in rows.indices.reversed() where tables.insert(rows[place].table).inserted {
            seeds.append(place)
        }
        guard rows.count > 2 else { return }
        let parents = links.parents(in: rows)
        var tried: Set<Set<Int>> = []
        for seed in seeds.prefix(min(Self.mostSeeds, limit / 4)) {
            let family = RowLinks.closure([seed], parents)
            guard family.count < rows.count, tried.insert(family).inserted else { continue }
            if try await take(family.sorted().map { rows[$0] }) { return }
        }
    }

    private mutating func dropTables() async throws {
        var size = max(1, Set(rows.map(\.table)).count / 2)
        while true {
            // Those that others refer to come last in the list, so that they go when nothing needs them any more.
            var tables: [String] = []
            for row in rows.reversed() where !tables.contains(row.table) { tables.append(row.table) }
            var start = 0
            while start < tables.count, tables.count > 1 {
                let dropped = Set(tables[start..<min(start + size, tables.count)])
                if try await take(without(rows.indices.filter { dropped.contains(rows[$0].table) })) {
                    let left = Set(rows.map(\.table))
                    tables.removeAll { !left.contains($0) }
                } else {
                    start += size
                }
            }
            if size == 1 || runs >= limit { return }
            size /= 2
        }
    }

    /// Returns the rows without some of them, and without those that refer to them.
    private func without(_ places: some Sequence<Int>) -> [GeneratedRow] {
        let gone = RowLinks.closure(Set(places), RowLinks.reversed(links.parents(in: rows)))
        return rows.indices.filter { !gone.contains($0) }.map { rows[$0] }
    }

    private mutating func dropRows() async throws {
        var size = max(1, rows.count / 2)
        while true {
            var (start, hasShrunk) = (0, false)
            while start < rows.count, rows.count > 1 {
                if try await take(without(start..<min(start + size, rows.count))) {
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            // A row may be needed only by one that has gone since.
            if size == 1, !hasShrunk || runs >= limit { return }
            size = max(1, size / 2)
        }
    }

    /// First all values of a row at once, which mostly is all it takes.
    private mutating func simplifyValues() async throws {
        for row in rows.indices {
            for leavesOut in [true, false] { try await simplify(row, leavesOut) }
            try await dropColumns(of: row)
            for place in rows[row].columns.indices {
                guard let simple = Self.simple(rows[row].values[place], at: row) else { continue }
                var simpler = rows
                simpler[row].values[place] = simple
                _ = try await take(simpler)
            }
        }
    }

    /// Leaves columns out of all rows of a table at once, by halves, which is quick where a table is wide.
    private mutating func simplifyTogether() async throws {
        for table in Set(rows.map(\.table)).sorted() {
            let places = rows.indices.filter { rows[$0].table == table }
            guard places.count > 1 || rows[places[0]].columns.count > 16 else { continue }
            var columns = rows[places[0]].columns
            var size = max(1, columns.count / 2)
            while size > 0, columns.count > 1 {
                var start = 0
                while start < columns.count, columns.count > 1 {
                    let dropped = Set(columns[start..<min(start + size, columns.count)])
                    var fewer = rows
                    for place in places { fewer[place].remove(dropped) }
                    let isWhole = places.contains { fewer[$0].columns.isEmpty }
                    if !isWhole, try await take(fewer) {
                        columns.removeAll(where: dropped.contains)
                    } else {
                        start += size
                    }
                }
                size /= 2
            }
        }
    }

    private mutating func dropColumns(of row: Int) async throws {
        var size = max(1, rows[row].columns.count / 2)
        while true {
            var start = 0
            while start < rows[row].columns.count, rows[row].columns.count > 1 {
                let range = start..<min(start + size, rows[row].columns.count)
                var fewer = rows
                fewer[row].columns.removeSubrange(range)
                fewer[row].values.removeSubrange(range)
                let isTaken = fewer[row].columns.isEmpty ? false : try await take(fewer)
                if !isTaken { start += size }
            }
            if size == 1 { return }
            size /= 2
        }
    }

    /// Simplifies all values of a row together.
    /// - Parameter leavesOut: whether the values that can be simpler are left out instead.
    private mutating func simplify(_ row: Int, _ leavesOut: Bool) async throws {
        let old = rows[row]
        var new = old
        (new.columns, new.values) = ([], [])
        for (column, value) in zip(old.columns, old.values) {
            let simple = Self.simple(value, at: row)
            if leavesOut, simple != nil { continue }
            new.columns.append(column)
            new.values.append(simple ?? value)
        }
        guard new != old, !new.columns.isEmpty else { return }
        var simpler = rows
        simpler[row] = new
        _ = try await take(simpler)
    }

    /// Returns a short value of the same storage class that differs from row to row; nil for one that is simple.
    private static func simple(_ value: SQLValue, at row: Int) -> SQLValue? {
        let letter = UInt8(ascii: "a") + UInt8(row % 26)
        switch value {
        case .integer(let number) where number != row + 1: return .integer(Int64(row + 1))
        case .text(let bytes) where bytes.count > 3: return .text([letter])
        case .blob(let bytes) where bytes.count > 3: return .blob([letter])
        default: return nil
        }
    }
}

extension GeneratedRow {
    fileprivate mutating func remove(_ names: Set<String>) {
        let kept = columns.indices.filter { !names.contains(columns[$0]) }
        (columns, values) = (kept.map { columns[$0] }, kept.map { values[$0] })
    }
}

/// Which rows refer to which, by the foreign keys of their tables.
package struct RowLinks {
    /// The table of the finding.
    package var focus: String?
    private let keys: [String: [Key]]

    private struct Key {
        var columns: [String]
        var parent: String
        var parentColumns: [String]
    }

    /// The columns with random defaults, by table, all folded.
    let random: [String: Set<String>]

    /// Creates the links of rows of which nothing is known.
    package init() { (keys, random) = ([:], [:]) }

    /// - Parameter allowsOrphans: whether rows may go one by one.
    package init(_ schema: Schema, focus: String?, allowsOrphans: Bool = false) {
        self.focus = focus
        random = schema.tables.mapValues { table in
            Set(table.columns.filter { $0.defaultValue?.isRandom ?? false }.map(\.name.foldedASCII))
        }.filter { !$0.value.isEmpty }
        guard !allowsOrphans else {
            keys = [:]
            return
        }
        keys = schema.tables.mapValues { table in
            table.foreignKeys.compactMap { key in
                schema.parentColumns(of: key).map {
                    Key(
                        columns: key.columns.map(\.foldedASCII), parent: key.parent.foldedASCII,
                        parentColumns: $0.map(\.foldedASCII))
                }
            }
        }
    }

    /// Returns the places of the rows that each row refers to.
    func parents(in rows: [GeneratedRow]) -> [[Int]] {
        guard !keys.isEmpty else { return Array(repeating: [], count: rows.count) }
        let named = rows.map { row in
            Dictionary(zip(row.columns.map(\.foldedASCII), row.values)) { first, _ in first }
        }
        let places = Dictionary(grouping: rows.indices) { rows[$0].table.foldedASCII }
        // The rows of a table by the values of a key of it, which several foreign keys may name.
        var known: [String: [[SQLValue]: [Int]]] = [:]
        func holders(_ key: Key) -> [[SQLValue]: [Int]] {
            let name = ([key.parent] + key.parentColumns).joined(separator: "\u{0}")
            if let found = known[name] { return found }
            var found: [[SQLValue]: [Int]] = [:]
            for place in places[key.parent] ?? [] {
                found[key.parentColumns.map { named[place][$0] ?? .null }, default: []].append(place)
            }
            known[name] = found
            return found
        }
        return rows.indices.map { place in
            (keys[rows[place].table.foldedASCII] ?? []).flatMap { key -> [Int] in
                let values = key.columns.map { named[place][$0] ?? .null }
                return values.contains(.null) ? [] : holders(key)[values] ?? []
            }
        }
    }

    /// Returns places with all that they lead to.
    static func closure(_ places: Set<Int>, _ links: [[Int]]) -> Set<Int> {
        var (found, open) = (places, Array(places))
        while let place = open.popLast() {
            for next in links[place] where found.insert(next).inserted { open.append(next) }
        }
        return found
    }

    package static func reversed(_ links: [[Int]]) -> [[Int]] {
        var result: [[Int]] = Array(repeating: [], count: links.count)
        for (place, next) in links.enumerated() { for other in next { result[other].append(place) } }
        return result
    }
}

extension DefaultValue {
    fileprivate var isRandom: Bool {
        guard case .expression(let expression) = self else { return false }
        return !expression.names.isDisjoint(with: ["random", "randomblob"])
    }
}
