import CSQLite

/// A connection, used from inside the closure it was handed to and nowhere else.
public protocol Connection {
    /// The connection's `sqlite3 *`.
    var handle: OpaquePointer { get }

    /// See ``ConnectionSettings/statements``.
    var statements: StatementLog? { get }

    /// Runs every statement of a text and drops their rows.
    /// - Throws: ``EngineError`` with the failing statement.
    func execute(_ sql: String) throws

    /// Compiles one statement.
    /// - Throws: ``EngineError`` when it does not compile, with the offset of the fault where SQLite
    ///   knows it.
    func prepare(_ sql: String) throws -> any PreparedStatement
}

/// A compiled statement. Not to be used after its connection's closure returned.
public protocol PreparedStatement: AnyObject {
    /// The statement's `sqlite3_stmt *`.
    var handle: OpaquePointer { get }

    /// Moves to the next row; false when there is none.
    /// - Throws: ``EngineError``.
    func step() throws -> Bool

    /// Forgets the rows and takes new parameters.
    func reset(binding values: [SQLValue]) throws
}

extension PreparedStatement {
    public var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The name that the query gives the column.
    public func columnName(_ index: Int) -> String {
        sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
    }

    public func isNull(_ index: Int) -> Bool {
        sqlite3_column_type(handle, Int32(index)) == SQLITE_NULL
    }

    public func integer(_ index: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(index))
    }

    /// The column as text in UTF-8, invalid sequences replaced. For names and messages; data that must
    /// be exact is read with ``value(_:)``.
    public func string(_ index: Int) -> String {
        guard let bytes = sqlite3_column_text(handle, Int32(index)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(index)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    public func optionalString(_ index: Int) -> String? {
        isNull(index) ? nil : string(index)
    }

    /// The column's exact value.
    ///
    /// Text is fetched with `sqlite3_column_blob`, which "returns the bytes as they are" and so never
    /// converts between encodings (https://www.sqlite.org/c3ref/column_blob.html).
    public func value(_ index: Int) -> SQLValue {
        let column = Int32(index)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT: return .text(withBytes(index) { Array($0) })
        case SQLITE_BLOB: return .blob(withBytes(index) { Array($0) })
        default: return .null
        }
    }

    /// The bytes of a text or blob column, without a copy.
    public func withBytes<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let bytes = sqlite3_column_blob(handle, Int32(index))
        let count = Int(sqlite3_column_bytes(handle, Int32(index)))
        return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }
}

extension Connection {
    public var statements: StatementLog? { nil }

    /// Whether a transaction or savepoint is open (https://www.sqlite.org/c3ref/get_autocommit.html).
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Leaves the write-ahead log as it is when the connection, being the last, is closed: it is not moved into
    /// the database (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose).
    public func keepLogOnClose() { _ = csqlite_keep_log_on_close(handle) }

    /// Every row of a query, each handed to a closure.
    public func forEachRow(
        _ sql: String, _ values: [SQLValue] = [], _ body: (any PreparedStatement) throws -> Void
    ) throws {
        let statement = try prepare(sql)
        if !values.isEmpty { try statement.reset(binding: values) }
        while try statement.step() { try body(statement) }
    }

    /// What a closure makes of every row of a query.
    public func rows<R>(
        _ sql: String, _ values: [SQLValue] = [], _ transform: (any PreparedStatement) throws -> R
    ) throws -> [R] {
        var result: [R] = []
        try forEachRow(sql, values) { result.append(try transform($0)) }
        return result
    }

    /// What a closure makes of the first row, or nil when there is none.
    public func firstRow<R>(
        _ sql: String, _ values: [SQLValue] = [], _ transform: (any PreparedStatement) throws -> R
    ) throws -> R? {
        let statement = try prepare(sql)
        if !values.isEmpty { try statement.reset(binding: values) }
        return try statement.step() ? transform(statement) : nil
    }
}
