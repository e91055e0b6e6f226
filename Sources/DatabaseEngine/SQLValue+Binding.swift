import CSQLite

extension SQLValue {
    /// Binds a copy of the value to a statement's parameter (https://www.sqlite.org/c3ref/bind_blob.html).
    /// - Parameter index: counted from one.
    /// - Returns: SQLite's result code.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let value): return sqlite3_bind_int64(statement, index, value)
        case .real(let value): return sqlite3_bind_double(statement, index, value)
        case .text(let bytes):
            return bytes.withUnsafeBytes { buffer in
                // A nil pointer would bind NULL.
                let start = buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
                return sqlite3_bind_text64(
                    statement, index, start?.assumingMemoryBound(to: CChar.self),
                    sqlite3_uint64(buffer.count), copy, UInt8(SQLITE_UTF8))
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { buffer in
                buffer.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(
                        statement, index, buffer.baseAddress, sqlite3_uint64(buffer.count), copy)
            }
        }
    }
}
