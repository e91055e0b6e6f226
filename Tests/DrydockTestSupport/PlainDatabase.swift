import CSQLite
import DatabaseEngine
import Foundation

/// A plain SQLite connection, so that the data and queries of a test do not depend on the code under test.
final class PlainDatabase: Connection {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let handle: OpaquePointer

    init(_ path: String = ":memory:") throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Failure(description: "\(path): \(String(cString: sqlite3_errstr(code)))")
        }
        self.handle = handle
        // Tests run in parallel on the same files.
        sqlite3_busy_timeout(handle, 10_000)
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK { throw failure(sql) }
    }

    func prepare(_ sql: String) throws -> any PreparedStatement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw failure(sql)
        }
        return PlainStatement(statement, self)
    }

    /// Returns every row as SQL literals.
    func literals(_ sql: String) throws -> [[String]] {
        try rows(sql) { row in (0..<row.columnCount).map { row.value($0).literal } }
    }

    fileprivate func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))) in: \(sql)")
    }
}

final class PlainStatement: PreparedStatement {
    let handle: OpaquePointer
    private let database: PlainDatabase

    init(_ handle: OpaquePointer, _ database: PlainDatabase) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw database.failure("a step")
        }
    }

    func reset(binding values: [SQLValue]) throws {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (value, index) in zip(values, Int32(1)...) {
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let value): sqlite3_bind_int64(handle, index, value)
            case .real(let value): sqlite3_bind_double(handle, index, value)
            case .text(let bytes):
                sqlite3_bind_text(
                    handle, index, bytes.map { CChar(bitPattern: $0) } + [0], Int32(bytes.count), copy)
            case .blob(let bytes):
                if bytes.isEmpty {
                    sqlite3_bind_zeroblob(handle, index, 0)
                } else {
                    sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), copy)
                }
            }
        }
    }
}
