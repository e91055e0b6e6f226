import CSQLite
import Foundation

@testable import OverlayVFS

struct SQLiteError: Error, CustomStringConvertible {
    let code: Int32
    let message: String
    let sql: String
    var description: String { "\(code) \(message) [\(sql)]" }
}

/// A connection with only what the tests need.
final class Database {
    let handle: OpaquePointer
    /// Keeps the overlay alive: if it were freed before it is opened, its file system would be unknown.
    private var overlay: Overlay?

    convenience init(_ overlay: Overlay, readOnly: Bool = false) throws {
        try self.init(overlay.uri, readOnly: readOnly)
        self.overlay = overlay
    }

    init(_ uri: String, readOnly: Bool = false) throws {
        var handle: OpaquePointer?
        let mode = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(uri, &handle, mode | SQLITE_OPEN_URI, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), sql: uri)
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, sql) }
    }

    private func error(_ code: Int32, _ sql: String) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }

    /// Returns every row of every statement, the values as text.
    func rows(_ sql: String) throws -> [[String]] {
        try sql.withCString { start in
            var result: [[String]] = []
            var rest: UnsafePointer<CChar>? = start
            while let next = rest, next.pointee != 0 {
                var statement: OpaquePointer?
                let code = sqlite3_prepare_v2(handle, next, -1, &statement, &rest)
                guard code == SQLITE_OK else { throw error(code, sql) }
                defer { sqlite3_finalize(statement) }
                if statement != nil { try step(statement, sql, into: &result) }
            }
            return result
        }
    }

    private func step(_ statement: OpaquePointer?, _ sql: String, into result: inout [[String]]) throws {
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw error(code, sql) }
            result.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
        }
    }

    func value(_ sql: String) throws -> String { try rows(sql).first?.first ?? "" }

    private static func value(_ statement: OpaquePointer?, _ column: Int32) -> String {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return "null"
        case SQLITE_INTEGER: return "\(sqlite3_column_int64(statement, column))"
        case SQLITE_FLOAT: return "r\(sqlite3_column_double(statement, column))"
        case SQLITE_TEXT: return String(cString: sqlite3_column_text(statement, column))
        default:
            let bytes = sqlite3_column_blob(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            return "x"
                + UnsafeRawBufferPointer(start: bytes, count: count).map { String($0, radix: 16) }.joined()
        }
    }
}

/// A folder that is deleted with the test.
final class Folder {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/overlay-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates an ordinary database.
    @discardableResult
    func database(_ name: String, _ sql: String) throws -> String {
        let path = file(name)
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        sqlite3_open(path, &handle)
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
        }
        return path
    }

    /// Returns the names, bytes and times of everything in the folder, and the folder's own time.
    func state() throws -> [Entry] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        return try [Entry(name: ".", bytes: Data(), time: time(path))]
            + names.map { name in
                let bytes = try Data(contentsOf: URL(fileURLWithPath: file(name)))
                return Entry(name: name, bytes: bytes, time: time(file(name)))
            }
    }

    struct Entry: Equatable {
        let name: String
        let bytes: Data
        let time: [Int]
    }

    private func time(_ path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        let modified = modificationTime(status)
        return [modified.tv_sec, modified.tv_nsec]
    }
}
