import CSQLite
import DatabaseEngine
import Foundation

/// How SQLite orders and distinguishes values, computed on the columns of two statements without copying them.
///
/// The order is that of `ORDER BY ... COLLATE BINARY`: NULL, then numbers by value, then text and then blobs by
/// `memcmp` (https://www.sqlite.org/datatype3.html#sort_order). Equality is stricter: storage class and bits, so `1`
/// and `1.0` have the same position in the order but are not equal.
package enum RowOrder {
    /// Negative when the first statement's leading columns sort before the second's, 0 when they tie.
    static func compare(_ a: OpaquePointer, _ b: OpaquePointer, columns: Int) -> Int {
        for column in 0..<Int32(columns) {
            let order = compare(a, b, column)
            if order != 0 { return order }
        }
        return 0
    }

    static func areSame(_ a: OpaquePointer, _ b: OpaquePointer, columns: Int) -> Bool {
        for column in 0..<Int32(columns) where !areSame(a, b, column) { return false }
        return true
    }

    private static func areSame(_ a: OpaquePointer, _ b: OpaquePointer, _ column: Int32) -> Bool {
        let type = sqlite3_column_type(a, column)
        guard type == sqlite3_column_type(b, column) else { return false }
        switch type {
        case SQLITE_INTEGER: return sqlite3_column_int64(a, column) == sqlite3_column_int64(b, column)
        case SQLITE_FLOAT:
            return sqlite3_column_double(a, column).bitPattern == sqlite3_column_double(b, column).bitPattern
        case SQLITE_TEXT, SQLITE_BLOB: return compareBytes(a, b, column) == 0
        default: return true
        }
    }

    private static func compare(_ a: OpaquePointer, _ b: OpaquePointer, _ column: Int32) -> Int {
        let (typeA, typeB) = (sqlite3_column_type(a, column), sqlite3_column_type(b, column))
        let (rankA, rankB) = (rank(typeA), rank(typeB))
        guard rankA == rankB else { return rankA - rankB }
        switch (typeA, typeB) {
        case (SQLITE_NULL, _): return 0
        case (SQLITE_INTEGER, SQLITE_INTEGER):
            return order(sqlite3_column_int64(a, column), sqlite3_column_int64(b, column))
        case (SQLITE_FLOAT, SQLITE_FLOAT):
            return order(sqlite3_column_double(a, column), sqlite3_column_double(b, column))
        case (SQLITE_INTEGER, SQLITE_FLOAT):
            return compare(sqlite3_column_int64(a, column), sqlite3_column_double(b, column))
        case (SQLITE_FLOAT, SQLITE_INTEGER):
            return -compare(sqlite3_column_int64(b, column), sqlite3_column_double(a, column))
        default: return compareBytes(a, b, column)
        }
    }

    private static func rank(_ type: Int32) -> Int {
        switch type {
        case SQLITE_NULL: 0
        case SQLITE_INTEGER, SQLITE_FLOAT: 1
        case SQLITE_TEXT: 2
        default: 3
        }
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> Int {
        a < b ? -1 : a == b ? 0 : 1
    }

    /// Compares an integer with a real exactly: neither is rounded to the other's type first.
    package static func compare(_ integer: Int64, _ real: Double) -> Int {
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let truncated = Int64(real)
        if integer != truncated { return order(integer, truncated) }
        return order(Double(truncated), real)
    }

    private static func compareBytes(_ a: OpaquePointer, _ b: OpaquePointer, _ column: Int32) -> Int {
        let (x, y) = (sqlite3_column_blob(a, column), sqlite3_column_blob(b, column))
        let (m, n) = (Int(sqlite3_column_bytes(a, column)), Int(sqlite3_column_bytes(b, column)))
        if let x, let y {
            let order = Int(memcmp(x, y, min(m, n)))
            if order != 0 { return order }
        }
        return m - n
    }
}
