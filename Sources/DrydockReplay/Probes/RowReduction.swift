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

    private mutating func simplifyValues() async throws {
        for row in rows.indices {
            for column in rows[row].columns {
                guard let place = rows[row].columns.firstIndex(of: column) else { continue }
                var fewer = rows
                fewer[row].columns.remove(at: place)
                fewer[row].values.remove(at: place)
                if !fewer[row].columns.isEmpty, try await take(fewer) { continue }
                guard let simple = Self.simple(rows[row].values[place], at: row) else { continue }
                var simpler = rows
                simpler[row].values[place] = simple
                _ = try await take(simpler)
            }
        }
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
