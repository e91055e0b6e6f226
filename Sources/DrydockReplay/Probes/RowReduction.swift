import DatabaseEngine
import SQLiteSchema

/// Makes a list of rows as small and simple as it can, while it still shows something.
///
/// Whole tables go first, then halves, quarters and single rows (delta debugging), then values.
struct RowReduction {
    private(set) var rows: [GeneratedRow]
    /// How often rows were tried.
    private(set) var runs = 0
    /// Whether nothing smaller was left to try.
    private(set) var isFinished = false
    private let limit: Int
    private let shows: ([GeneratedRow]) async throws -> Bool

    init(
        _ rows: [GeneratedRow], limit: Int, shows: @escaping ([GeneratedRow]) async throws -> Bool
    ) {
        (self.rows, self.limit, self.shows) = (rows, limit, shows)
    }

    /// - Returns: false where the rows as they are do not show it.
    mutating func run() async throws -> Bool {
        guard try await take(rows) else { return false }
        if try await take([]) { return true }
        try await dropTables()
        try await dropRows()
        try await simplifyValues()
        isFinished = runs < limit
        return true
    }

    /// Tries rows, and keeps them if they show it.
    private mutating func take(_ candidate: [GeneratedRow]) async throws -> Bool {
        guard runs < limit else { return false }
        runs += 1
        guard try await shows(candidate) else { return false }
        rows = candidate
        return true
    }

    private mutating func dropTables() async throws {
        for table in Set(rows.map(\.table)).sorted() {
            _ = try await take(rows.filter { $0.table != table })
        }
    }

    private mutating func dropRows() async throws {
        var size = max(1, rows.count / 2)
        while true {
            var (start, hasShrunk) = (0, false)
            while start < rows.count {
                var fewer = rows
                fewer.removeSubrange(start..<min(start + size, rows.count))
                if try await take(fewer) { hasShrunk = true } else { start += size }
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

/// The order of tables in which parents come before those that refer to them, as far as circles let it.
struct ParentsFirst {
    private let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    func order(_ tables: Set<String>) -> [String] {
        var (order, seen): ([String], Set<String>) = ([], [])
        func visit(_ name: String) {
            guard tables.contains(name), seen.insert(name).inserted else { return }
            for key in schema.tables[name]?.foreignKeys ?? [] { visit(key.parent.foldedASCII) }
            order.append(name)
        }
        for name in tables.sorted() { visit(name) }
        return order
    }
}
