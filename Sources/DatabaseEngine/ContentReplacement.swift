import CSQLite

/// Makes the content of a connection's `main` that of another database, in one transaction: whoever reads sees the
/// old content or the new, and a process that is killed leaves a hot journal or a log without its commit, which is
/// the old content (https://www.sqlite.org/backup.html).
///
/// A destination in a rollback journal mode takes the page size of the source. From the beginning to the end nothing
/// else may be asked of the connection.
public final class ContentReplacement: @unchecked Sendable {
    // Used by one connection's closures, one after the other.
    private let connection: OpaquePointer
    private let source: OpaquePointer?
    private var backup: OpaquePointer?

    /// - Parameter source: a path, or a URI.
    /// - Throws: ``EngineError`` when it cannot be opened.
    public init(of connection: any Connection, with source: String) throws {
        self.connection = connection.handle
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(source, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
        guard code == SQLITE_OK else {
            sqlite3_close_v2(opened)
            throw EngineError(
                extendedCode: code, message: "\(source): \(String(cString: sqlite3_errstr(code)))")
        }
        self.source = opened
        backup = sqlite3_backup_init(connection.handle, "main", opened, "main")
        if backup == nil {
            let code = sqlite3_extended_errcode(connection.handle)
            let error = EngineError(extendedCode: code, on: connection.handle)
            sqlite3_close_v2(opened)
            throw error
        }
    }

    deinit {
        _ = end()
        sqlite3_close_v2(source)
    }

    /// Begins the transaction, so that nobody else can write any more, and writes nothing yet.
    /// - Throws: ``EngineError``.
    public func begin() throws {
        let code = sqlite3_backup_step(backup, 0)
        guard code == SQLITE_OK || code == SQLITE_DONE else { throw failure(code) }
    }

    /// Writes every page and commits.
    /// - Parameter progress: called now and then with the pages that are done and how many there are; false takes
    ///   everything back.
    /// - Throws: ``EngineError``.
    public func run(progress: (_ done: Int, _ total: Int) -> Bool) throws {
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, 4096)
            let total = Int(sqlite3_backup_pagecount(backup))
            let goesOn = progress(total - Int(sqlite3_backup_remaining(backup)), total)
            if code == SQLITE_OK, !goesOn { code = SQLITE_INTERRUPT }
        }
        guard code == SQLITE_DONE else { throw failure(code) }
        let ended = end()
        guard ended == SQLITE_OK else { throw failure(ended) }
    }

    /// Takes back what is not committed.
    @discardableResult
    public func end() -> Int32 {
        let code = sqlite3_backup_finish(backup)
        backup = nil
        return code
    }

    private func failure(_ code: Int32) -> EngineError {
        end()
        return EngineError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
    }
}

extension Connection {
    /// See ``ContentReplacement``.
    /// - Throws: ``EngineError``.
    public func replaceContent(
        withDatabaseAt path: String, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws {
        let replacement = try ContentReplacement(of: self, with: path)
        try replacement.run {
            progress($0, $1)
            return true
        }
    }
}
