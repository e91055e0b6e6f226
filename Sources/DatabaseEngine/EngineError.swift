import CSQLite

/// A failure that SQLite, or an engine on top of it, reported.
public struct EngineError: Error, Sendable {
    /// SQLite's extended result code (https://www.sqlite.org/rescode.html).
    public var extendedCode: Int32
    /// What failed, in SQLite's words.
    public var message: String
    /// The statement that failed, if there was one.
    public var sql: String?
    /// Where in ``sql`` the error is, in UTF-8 bytes, if SQLite knows it.
    public var offset: Int?
    /// The limit on SQLite's memory, in bytes, if that is why it had none left.
    public private(set) var memoryLimit: Int?

    public init(extendedCode: Int32, message: String, sql: String? = nil, offset: Int? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.offset = offset
    }

    /// Creates an error without SQLite.
    package init(_ code: SQLiteCode, _ message: String) {
        self.init(extendedCode: code.rawValue, message: message)
    }

    /// Creates an error with the connection's message for its last call.
    package init(extendedCode: Int32, on connection: OpaquePointer, sql: String? = nil, offset: Int? = nil) {
        self.init(
            extendedCode: extendedCode, message: String(cString: sqlite3_errmsg(connection)), sql: sql,
            offset: offset)
    }

    /// The primary result code.
    public var code: SQLiteCode { SQLiteCode(rawValue: extendedCode & 0xff) }

    /// Whether SQLite reports that the statement, or what it computes, is wrong.
    public var isStatementError: Bool { code == .error }
    public var isInterrupt: Bool { code == .interrupted }
    /// Whether memory or the disk failed, or the connection to the disk: the operation then has no known
    /// outcome.
    public var isOutage: Bool { [.outOfMemory, .inputOutput, .full].contains(code) }
    /// Whether a file could not grow: the disk is full, or a limit was reached.
    package var isFullDisk: Bool { code == .full }
    /// Whether SQLite does not write to the database, for example because its header asks for a newer version.
    package var isReadOnly: Bool { code == .readOnly }
    /// Whether the system refused to write to a file, or to let it grow, for another reason than a full disk
    /// (SQLITE_IOERR_WRITE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_SHMSIZE).
    package var isFailedWrite: Bool { [3, 6, 19].map { SQLITE_IOERR | ($0 << 8) }.contains(extendedCode) }
    /// What a person can do about ``isFailedWrite``.
    package static let failedWriteAdvice =
        "look for a limit on the size of files (ulimit -f), a used-up disk quota, or a failing disk"
    package var isOutOfMemory: Bool { code == .outOfMemory }
    /// Whether a limit on memory, or on a value's length, was reached.
    package var isOverLimit: Bool { [.outOfMemory, .tooBig].contains(code) }
    public var isForeignKeyViolation: Bool { extendedCode == SQLITE_CONSTRAINT | (3 << 8) }
    /// What a statement that is stopped throws.
    package static let interrupted = EngineError(extendedCode: SQLITE_INTERRUPT, message: "interrupted")
    /// What a check of foreign keys before a commit throws.
    public static let foreignKeyCheck = EngineError(
        extendedCode: SQLITE_CONSTRAINT | (3 << 8), message: "FOREIGN KEY constraint failed")
    /// Whether the file is damaged or is not a database.
    public var isCorruption: Bool { code == .corrupt || code == .notADatabase }
    /// Whether a virtual table's module found what it keeps in its own tables wrong (SQLITE_CORRUPT_VTAB).
    public var isCorruptionOfModule: Bool { extendedCode == SQLITE_CORRUPT | (1 << 8) }
    /// Whether a hot journal must be rolled back first, which a reader may not do (SQLITE_READONLY_ROLLBACK).
    public var needsRollback: Bool { extendedCode == SQLITE_READONLY | (3 << 8) }
    /// Whether the connection does not have a collation that is used (SQLITE_ERROR_MISSING_COLLSEQ).
    public var isMissingCollation: Bool { extendedCode == SQLITE_ERROR | (1 << 8) }
}

extension EngineError {
    /// Returns what is reported of a statement that was refused memory and then failed: that it reached the limit. SQLite's
    /// own words would sound like a fault of the machine, or of a row if a function of a CHECK got no memory.
    func following(memoryLimit: Int) -> EngineError {
        self.memoryLimit == nil ? .outOfMemory(memoryLimit, sql: sql) : self
    }

    /// What a statement throws that was refused memory.
    static func outOfMemory(_ limit: Int, sql: String?) -> EngineError {
        var error = EngineError(
            extendedCode: SQLITE_NOMEM,
            message: "out of memory: --memory gives SQLite \(limit >> 20) MB; give it more", sql: sql)
        error.memoryLimit = limit
        return error
    }
}

extension EngineError: CustomStringConvertible {
    public var description: String { message }
}
