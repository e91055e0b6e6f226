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
        try self.init(connection, SQLITE_FCNTL_FILE_POINTER, "the database has no file")
    }

    /// The write-ahead log of `main`, if a transaction has it open; otherwise the rollback journal.
    /// - Throws: ``EngineError`` (SQLITE_MISUSE) if neither is open.
    package init(logOf connection: any Connection) throws {
        try self.init(connection, SQLITE_FCNTL_JOURNAL_POINTER, "the database has no log")
    }

    private init(_ connection: any Connection, _ operation: Int32, _ fact: String) throws {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(connection.handle, "main", operation, &found)
        guard code == SQLITE_OK, let found, let methods = found.pointee.pMethods else {
            throw EngineError(extendedCode: SQLITE_MISUSE, message: fact)
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

    /// - Throws: ``EngineError``, also if the file ends before the bytes.
    package func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        try check(methods.xRead(file, bytes.baseAddress, Int32(bytes.count), sqlite3_int64(offset)))
    }

    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        for start in stride(from: 0, to: bytes.count, by: Self.longestWrite) {
            let part = bytes[start...].prefix(Self.longestWrite)
            let address = bytes.baseAddress?.advanced(by: start)
            try check(methods.xWrite(file, address, Int32(part.count), sqlite3_int64(offset + start)))
        }
    }

    /// In bytes; SQLite itself writes no more than a page at once, and its unix files take less than 128 KB
    /// (`seekAndWriteFd` in https://www.sqlite.org/src/file/src/os_unix.c).
    private static let longestWrite = 1 << 16

    public func truncate(to size: Int) throws {
        try check(methods.xTruncate(file, sqlite3_int64(size)))
    }

    /// Waits until the disk has stored what was written.
    public func sync() throws { try check(methods.xSync(file, SQLITE_SYNC_FULL)) }

    /// Whether a write that a power loss cuts short leaves the bytes beside it unchanged
    /// (https://www.sqlite.org/psow.html).
    var isSafeToAppend: Bool {
        methods.xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0
    }

    /// Returns a part of the memory that the connections of all programs share; it is valid until the connection ends.
    /// - Parameters:
    ///   - size: The size of each part, in bytes.
    ///   - extends: Whether to make the part if it does not exist.
    /// - Returns: Nil if it does not exist.
    /// - Throws: ``EngineError``.
    func sharedMemory(_ part: Int, size: Int, extends: Bool) throws -> UnsafeMutableRawPointer? {
        guard methods.iVersion >= 2, let map = methods.xShmMap else { return nil }
        var memory: UnsafeMutableRawPointer?
        try check(map(file, Int32(part), Int32(size), extends ? 1 : 0, &memory))
        return memory
    }

    /// Has other programs see what was written to the shared memory before what is written to it afterwards.
    func shareInOrder() { methods.xShmBarrier?(file) }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        throw EngineError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
    }
}
