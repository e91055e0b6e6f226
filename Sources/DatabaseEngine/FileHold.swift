import CSQLite
import Synchronization

/// A read transaction on a live file, which keeps what a reader of the file sees as it is. It ends by itself after its
/// time limit, so that no writer waits longer.
///
/// It runs no SQL on the content: only the file's header is read, so the schema is never parsed, and no engine is needed.
package final class FileHold: Sendable {
    private let connection: Mutex<Handle>
    private let flag: Flag

    /// Whether the transaction lasts, which can be asked while a statement runs: SQLite asks it inside its allocator
    /// (``AllocationGate``), on which the statement that ends the transaction may be waiting.
    fileprivate final class Flag: Sendable {
        let isHeld = Atomic(false)
    }

    /// Used only inside the mutex.
    fileprivate struct Handle: ~Copyable {
        var pointer: OpaquePointer?
        /// Which transaction the limit is for.
        var number = 0
        let flag = Flag()

        /// Runs a statement that gives no more than one row.
        func run(_ sql: String) -> Int32 { sqlite3_exec(pointer, sql, nil, nil, nil) }

        deinit { sqlite3_close_v2(pointer) }
    }

    /// Opens a file, for reading only; its journal mode is never changed.
    /// - Throws: ``EngineError``.
    package init(path: String) throws {
        var handle = Handle()
        let name = DatabaseLocation.live(path: path).name
        let code = sqlite3_open_v2(
            name, &handle.pointer, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            throw EngineError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
        }
        flag = handle.flag
        connection = Mutex(handle)
    }

    /// Whether the transaction lasts.
    package var isHeld: Bool { flag.isHeld.load(ordering: .acquiring) }

    /// Begins the transaction, and waits for a writer as long as is allowed.
    /// - Parameter limit: How long it may last.
    /// - Throws: ``EngineError`` if another program is in the way.
    package func take(for limit: Duration, patience: Duration) async throws {
        let start = ContinuousClock.now
        while true {
            let code = connection.withLock { handle in
                let code = handle.begin()
                if code == SQLITE_OK { HoldTimer.shared.end(self, handle.number, at: .now + limit) }
                return code
            }
            if code == SQLITE_OK { return }
            guard code & 0xff == SQLITE_BUSY, ContinuousClock.now - start < patience else {
                throw EngineError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Ends the transaction if it is still the one of that number.
    func end(number: Int) { connection.withLock { if $0.number == number { _ = $0.end() } } }

    /// Ends the transaction.
    /// - Returns: Whether it had lasted until now.
    package func release() -> Bool { connection.withLock { $0.end() } }

    /// Closes the connection, which drops its locks.
    package func close() {
        connection.withLock { handle in
            _ = handle.end()
            sqlite3_close_v2(handle.pointer)
            handle.pointer = nil
        }
    }
}

extension FileHold.Handle {
    private var isHeld: Bool {
        get { flag.isHeld.load(ordering: .acquiring) }
        nonmutating set { flag.isHeld.store(newValue, ordering: .releasing) }
    }

    /// The first statement that reads takes the lock. The file's header is enough, and needs no schema.
    fileprivate mutating func begin() -> Int32 {
        guard pointer != nil, !isHeld else { return SQLITE_MISUSE }
        var code = run("BEGIN")
        if code == SQLITE_OK { code = run("PRAGMA main.schema_version") }
        if code != SQLITE_OK, sqlite3_get_autocommit(pointer) == 0 { _ = run("ROLLBACK") }
        number += 1
        isHeld = code == SQLITE_OK
        return code
    }

    fileprivate mutating func end() -> Bool {
        guard isHeld else { return false }
        isHeld = false
        return run("COMMIT") == SQLITE_OK
    }
}
