import CSQLite

extension Connection {
    /// Leaves the write-ahead log as it is when the connection, being the last, is closed: it is not moved into
    /// the database (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose).
    public func keepLogOnClose() { _ = csqlite_keep_log_on_close(handle) }

    /// Makes the content of this connection's `main` that of another database file, in one transaction: whoever
    /// reads sees the old content or the new, and a process that is killed leaves a hot journal or a log without
    /// its commit, which is the old content (https://www.sqlite.org/backup.html).
    ///
    /// A destination in a rollback journal mode takes the page size of the source.
    /// - Parameter progress: called now and then with the pages that are done and how many there are.
    /// - Throws: ``EngineError``.
    public func replaceContent(
        withDatabaseAt path: String, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws {
        var source: OpaquePointer?
        let opened = sqlite3_open_v2(path, &source, SQLITE_OPEN_READONLY, nil)
        defer { sqlite3_close_v2(source) }
        guard opened == SQLITE_OK else {
            throw EngineError(
                extendedCode: opened, message: "\(path): \(String(cString: sqlite3_errstr(opened)))")
        }
        guard let backup = sqlite3_backup_init(handle, "main", source, "main") else {
            throw EngineError(extendedCode: sqlite3_extended_errcode(handle), on: handle)
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, 4096)
            let total = Int(sqlite3_backup_pagecount(backup))
            progress(total - Int(sqlite3_backup_remaining(backup)), total)
        }
        let finished = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, finished == SQLITE_OK else {
            let code = code == SQLITE_DONE ? finished : code
            throw EngineError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
        }
    }
}
