import CSQLite

/// The file of a connection's `main`, accessed through the connection's own descriptor: closing another
/// descriptor would drop the process's locks
/// (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
///
/// The connection does not notice these writes, so it must be closed after them.
public struct MainFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    /// - Throws: ``EngineError`` (SQLITE_MISUSE) if there is no file, as for a database in memory.
    public init(of connection: any Connection) throws {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &found)
        guard code == SQLITE_OK, let found, let methods = found.pointee.pMethods else {
            throw EngineError(extendedCode: SQLITE_MISUSE, message: "the database has no file")
        }
        file = found
        self.methods = methods.pointee
    }

    /// Returns the file's size in bytes.
    public func size() throws -> Int {
        var size: sqlite3_int64 = 0
        try check(methods.xFileSize(file, &size))
        return Int(size)
    }

    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try check(methods.xWrite(file, bytes.baseAddress, Int32(bytes.count), sqlite3_int64(offset)))
    }

    public func truncate(to size: Int) throws {
        try check(methods.xTruncate(file, sqlite3_int64(size)))
    }

    /// Waits until the disk has stored what was written.
    public func sync() throws { try check(methods.xSync(file, SQLITE_SYNC_FULL)) }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        throw EngineError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
    }
}
