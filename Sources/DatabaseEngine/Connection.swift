import CSQLite

/// A connection. It may be used only inside the closure that received it.
///
///     let names = try await database.read { connection in
///         try connection.rows("SELECT name FROM label WHERE id > ?", [.integer(7)]) { $0.string(0) }
///     }
public protocol Connection {
    /// The connection's `sqlite3 *`.
    var handle: OpaquePointer { get }

    /// See ``ConnectionSettings/statements``.
    var statements: StatementLog? { get }

    /// Runs every statement of a text and drops their rows.
    /// - Throws: ``EngineError`` with the failing statement.
    func execute(_ sql: String) throws

    /// Compiles one statement.
    /// - Throws: ``EngineError`` if it does not compile, with the offset of the error if SQLite knows it.
    func prepare(_ sql: String) throws -> any PreparedStatement
}

/// A compiled statement. It must not be used after its connection's closure has returned.
public protocol PreparedStatement: AnyObject {
    /// The statement's `sqlite3_stmt *`.
    var handle: OpaquePointer { get }

    /// Moves to the next row; returns false if there is none.
    /// - Throws: ``EngineError`` if the statement fails or is interrupted.
    func step() throws -> Bool

    /// Discards the rows and sets new parameters; those without a value are NULL.
    /// - Throws: ``EngineError`` if SQLite refuses a value.
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

    public func real(_ index: Int) -> Double {
        sqlite3_column_double(handle, Int32(index))
    }

    /// Returns how the column's value is stored.
    package func storage(_ index: Int) -> ColumnStorage {
        switch sqlite3_column_type(handle, Int32(index)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// Returns the column as UTF-8 text, with invalid sequences replaced. For names and messages; read data
    /// that must be exact with ``value(_:)``.
    public func string(_ index: Int) -> String {
        guard let bytes = sqlite3_column_text(handle, Int32(index)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(index)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    public func optionalString(_ index: Int) -> String? {
        isNull(index) ? nil : string(index)
    }

    /// Returns the column's exact value.
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

    /// Calls a closure with the bytes of a text or blob column, without a copy.
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

    /// How many rows the last INSERT, UPDATE or DELETE wrote or deleted, without what triggers, foreign keys and REPLACE
    /// did to others (https://www.sqlite.org/c3ref/changes.html).
    public var changes: Int { Int(sqlite3_changes(handle)) }

    /// How many rows were written or deleted since the connection was opened, also by triggers and foreign keys
    /// (https://www.sqlite.org/c3ref/total_changes.html).
    public var totalChanges: Int { Int(sqlite3_total_changes(handle)) }

    /// Checks whether work must stop (``ConnectionSettings/interrupt``), for work that takes long without a statement.
    /// - Throws: ``EngineError`` if it must.
    public func checkInterrupt() throws {
        // Each row takes more than ten instructions.
        let count = ConnectionSettings.progressInterval / 5
        try execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count)) SELECT max(i) FROM n"
        )
    }

    /// Keeps the write-ahead log unchanged when the connection is closed as the last one: it is not moved
    /// into the database
    /// (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose).
    public func keepLogOnClose() { _ = csqlite_keep_log_on_close(handle) }

    /// Gives memory back that holds pages which can be read again (https://www.sqlite.org/c3ref/db_release_memory.html).
    package func releaseMemory() { sqlite3_db_release_memory(handle) }

    /// Calls a closure with every row of a query.
    /// - Throws: ``EngineError``, and what the closure throws.
    public func forEachRow(
        _ sql: String, _ values: [SQLValue] = [], _ body: (any PreparedStatement) throws -> Void
    ) throws {
        let statement = try prepare(sql)
        if !values.isEmpty { try statement.reset(binding: values) }
        while try statement.step() { try body(statement) }
    }

    /// Returns the results of a closure for every row of a query.
    /// - Throws: ``EngineError``, and what the closure throws.
    public func rows<R>(
        _ sql: String, _ values: [SQLValue] = [], _ transform: (any PreparedStatement) throws -> R
    ) throws -> [R] {
        var result: [R] = []
        try forEachRow(sql, values) { result.append(try transform($0)) }
        return result
    }

    /// Returns the result of a closure for the first row, or nil if there is none.
    /// - Throws: ``EngineError``, and what the closure throws.
    public func firstRow<R>(
        _ sql: String, _ values: [SQLValue] = [], _ transform: (any PreparedStatement) throws -> R
    ) throws -> R? {
        let statement = try prepare(sql)
        if !values.isEmpty { try statement.reset(binding: values) }
        return try statement.step() ? transform(statement) : nil
    }
}
