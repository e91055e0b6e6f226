import CSQLite

/// A transaction that replaces the content of a connection's `main` with that of another database. A reader
/// sees the old content or the new, and a process that is killed leaves a hot journal or a log without its
/// commit, which is the old content (https://www.sqlite.org/backup.html).
///
/// A destination in a rollback journal mode takes the page size of the source. Between ``begin()`` and the
/// end the connection must not be used for anything else.
///
///     let replacement = try ContentReplacement(of: connection, with: "new.db")
///     try replacement.begin()
///     try replacement.run { done, total in true }
public final class ContentReplacement: @unchecked Sendable {
    // Used only by the closures of one connection, one after the other.
    private let connection: OpaquePointer
    private let source: OpaquePointer?
    private var backup: OpaquePointer?

    /// - Parameter source: a path, or a URI.
    /// - Throws: ``EngineError`` if it cannot be opened.
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

    /// Begins the transaction, so that no other connection can write any more. Nothing is written yet.
    /// - Throws: ``EngineError``, for example SQLITE_BUSY.
    public func begin() throws {
        let code = sqlite3_backup_step(backup, 0)
        guard code == SQLITE_OK || code == SQLITE_DONE else { throw failure(code) }
    }

    /// Writes every page and commits.
    /// - Parameter progress: called after every 4096 pages with the number of pages written and the total;
    ///   returning false rolls everything back.
    /// - Throws: ``EngineError``; SQLITE_INTERRUPT if `progress` returned false.
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

    /// Rolls back what is not committed, and returns SQLite's result code.
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
    /// Replaces the content of `main` with that of the database at a path, see ``ContentReplacement``.
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
