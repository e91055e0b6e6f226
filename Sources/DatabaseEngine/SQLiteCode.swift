import CSQLite

/// A primary result code of SQLite (https://www.sqlite.org/rescode.html).
///
///     catch let error as EngineError where error.code == .busy { ... }
public struct SQLiteCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let ok = SQLiteCode(rawValue: SQLITE_OK)
    /// The statement, or what it computes, is wrong.
    public static let error = SQLiteCode(rawValue: SQLITE_ERROR)
    /// The user may not do this to the file.
    public static let notPermitted = SQLiteCode(rawValue: SQLITE_PERM)
    /// Another connection has a lock.
    public static let busy = SQLiteCode(rawValue: SQLITE_BUSY)
    /// The same connection has a lock, or one that shares its cache.
    public static let locked = SQLiteCode(rawValue: SQLITE_LOCKED)
    public static let outOfMemory = SQLiteCode(rawValue: SQLITE_NOMEM)
    public static let readOnly = SQLiteCode(rawValue: SQLITE_READONLY)
    public static let interrupted = SQLiteCode(rawValue: SQLITE_INTERRUPT)
    public static let inputOutput = SQLiteCode(rawValue: SQLITE_IOERR)
    public static let corrupt = SQLiteCode(rawValue: SQLITE_CORRUPT)
    /// The disk is full, or a limit on the file's size was reached.
    public static let full = SQLiteCode(rawValue: SQLITE_FULL)
    public static let cannotOpen = SQLiteCode(rawValue: SQLITE_CANTOPEN)
    /// A value or a statement is longer than the limit.
    public static let tooBig = SQLiteCode(rawValue: SQLITE_TOOBIG)
    public static let constraint = SQLiteCode(rawValue: SQLITE_CONSTRAINT)
    public static let misuse = SQLiteCode(rawValue: SQLITE_MISUSE)
    /// An authorizer, or Drydock itself, refuses it.
    public static let notAuthorized = SQLiteCode(rawValue: SQLITE_AUTH)
    public static let notADatabase = SQLiteCode(rawValue: SQLITE_NOTADB)
}
