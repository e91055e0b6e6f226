import CSQLite
import Foundation
import SQLiteFile

struct SQLiteError: Error, CustomStringConvertible {
    let code: Int32
    let message: String
    let sql: String
    var description: String { "\(code) \(message) [\(sql)]" }
}

/// A connection with only what the tests need.
final class Database {
    let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open(path, &handle)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), sql: path)
        }
        self.handle = handle
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, sql) }
    }

    /// Runs one statement with values.
    func run(_ sql: String, _ values: [StoredValue]) throws {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() { bind(value, statement, Int32(index + 1)) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw error(code, sql) }
    }

    /// Returns the rows of a query; texts are the bytes that the database stores.
    func rows(_ sql: String) throws -> [[StoredValue]] {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        var result: [[StoredValue]] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return result }
            guard code == SQLITE_ROW else { throw error(code, sql) }
            result.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
        }
    }

    func integer(_ sql: String) throws -> Int {
        guard case .integer(let value)? = try rows(sql).first?.first else { return 0 }
        return Int(value)
    }

    func reserveBytes(_ count: Int32) {
        var count = count
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    }

    private func prepare(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw error(code, sql) }
        return statement
    }

    private func error(_ code: Int32, _ sql: String) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }

    private func bind(_ value: StoredValue, _ statement: OpaquePointer?, _ index: Int32) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
        case .real(let real): sqlite3_bind_double(statement, index, real)
        case .text(let bytes):
            sqlite3_bind_text64(
                statement, index, String(decoding: bytes, as: UTF8.self), UInt64(bytes.count),
                transient, UInt8(SQLITE_UTF8))
        case .blob(let bytes):
            if bytes.isEmpty {
                sqlite3_bind_zeroblob(statement, index, 0)
            } else {
                sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), transient)
            }
        }
    }

    private static func value(_ statement: OpaquePointer?, _ column: Int32) -> StoredValue {
        let type = sqlite3_column_type(statement, column)
        switch type {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        default:
            // Read as a blob, a text is not translated into another encoding.
            let start = sqlite3_column_blob(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            let bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
            return type == SQLITE_TEXT ? .text(bytes) : .blob(bytes)
        }
    }
}
