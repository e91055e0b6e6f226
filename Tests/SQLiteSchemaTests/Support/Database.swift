import CSQLite

/// SQLite itself, in memory, as the reference for the pure code.
final class Database {
    private var handle: OpaquePointer?

    init() { sqlite3_open(":memory:", &handle) }

    deinit { sqlite3_close(handle) }

    struct Failure: Error { let message: [UInt8] }

    /// Prepares the first statement of the text and returns the number of bytes that SQLite took.
    func tail(of text: ArraySlice<UInt8>) throws -> Int { try prepare(text, run: false) }

    /// Like `tail(of:)`, and runs the statement.
    func runFirst(of text: ArraySlice<UInt8>) throws -> Int { try prepare(text, run: true) }

    func compiles(_ sql: String) -> Bool { (try? tail(of: Array(sql.utf8)[...])) != nil }

    private func prepare(_ text: ArraySlice<UInt8>, run: Bool) throws -> Int {
        try (Array(text) + [0]).withUnsafeBufferPointer { buffer in
            try buffer.withMemoryRebound(to: CChar.self) { text in
                var statement: OpaquePointer?
                var tail: UnsafePointer<CChar>?
                defer { sqlite3_finalize(statement) }
                guard sqlite3_prepare_v2(handle, text.baseAddress, -1, &statement, &tail) == SQLITE_OK else {
                    throw failure()
                }
                var code = run ? SQLITE_ROW : SQLITE_DONE
                while code == SQLITE_ROW { code = sqlite3_step(statement) }
                if code != SQLITE_DONE, statement != nil { throw failure() }
                return tail! - text.baseAddress!
            }
        }
    }

    func run(_ sql: String) throws { _ = try runFirst(of: Array(sql.utf8)[...]) }

    /// Returns the rows of a query, every value as text.
    func rows(_ sql: String) -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map {
                    sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? ""
                })
        }
        return rows
    }

    private func failure() -> Failure {
        let message = UnsafeRawPointer(sqlite3_errmsg(handle)!).assumingMemoryBound(to: UInt8.self)
        var length = 0
        while message[length] != 0 { length += 1 }
        return Failure(message: Array(UnsafeBufferPointer(start: message, count: length)))
    }
}
