import CSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Finds out what has changed in the `main` database of one connection, for both engines, and posts it to everyone who
/// observes it. Except for ``add(_:)`` and ``remove(_:)`` it is used while nothing else uses the connection.
///
/// Hooks say when a commit is worth looking for and which tables were written. Whether there was a commit is decided by
/// two numbers of SQLite, so that none is missed of which a hook knows nothing (the backup API, a statement that
/// was stepped by its handle): `PRAGMA data_version` changes with commits of other connections
/// (https://www.sqlite.org/pragma.html#pragma_data_version), and SQLITE_FCNTL_DATA_VERSION with those of others and of
/// this one (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion). Their difference
/// changes with this connection's commits alone.
///
/// `sqlite3_update_hook` is not used: it says nothing of tables WITHOUT ROWID, nor of a DELETE without WHERE.
package final class ChangeTracker: Sendable {
    private struct State {
        var mailboxes: [ObjectIdentifier: ChangeMailbox] = [:]
        /// The tables that statements wrote since the last commit or rollback.
        var touched: Set<String> = []
        var last: Versions?
    }

    private let state = Mutex(State())

    package init() {}

    package var isObserved: Bool { state.withLock { !$0.mailboxes.isEmpty } }

    package func add(_ mailbox: ChangeMailbox) {
        state.withLock { $0.mailboxes[ObjectIdentifier(mailbox)] = mailbox }
    }

    /// - Returns: Whether anyone still observes the database.
    package func remove(_ mailbox: ChangeMailbox) -> Bool {
        state.withLock { state in
            state.mailboxes[ObjectIdentifier(mailbox)] = nil
            if state.mailboxes.isEmpty { (state.last, state.touched) = (nil, []) }
            return !state.mailboxes.isEmpty
        }
    }

    /// Ends all observations, since the connection closes.
    package func end() {
        let mailboxes = state.withLock { state in
            defer { state.mailboxes = [:] }
            return state.mailboxes.values
        }
        for mailbox in mailboxes { mailbox.end() }
    }

    /// Notes that a statement writes a table.
    package func touch(_ table: String) {
        guard let name = Self.publicName(table) else { return }
        state.withLock { _ = $0.touched.insert(name) }
    }

    package func touch(_ tables: Set<String>) {
        state.withLock { $0.touched.formUnion(tables) }
    }

    package func rolledBack() { state.withLock { $0.touched = [] } }

    /// Returns the name under which a table that SQLite reports as written is known; nil for the definitions of
    /// temporary tables.
    package static func publicName(_ table: String) -> String? {
        switch table {
        case "sqlite_master": DatabaseChange.schemaTable
        case "sqlite_temp_master", "sqlite_temp_schema": nil
        default: table
        }
    }

    // MARK: - Looking

    /// Whether there may be something to look at; takes no lock and reads nothing.
    package func mayHaveCommitted(_ handle: OpaquePointer) -> Bool {
        let last = state.withLock { $0.last }
        return last.map { $0.file != Versions.file(handle) } ?? false
    }

    /// Looks for commits and posts them. If another process is just then committing, the next look finds them.
    package func look(_ handle: OpaquePointer) {
        guard sqlite3_get_autocommit(handle) != 0, let new = Versions(handle) else { return }
        let (change, mailboxes) = state.withLock { state in
            defer { (state.last, state.touched) = (new, []) }
            return (state.last.flatMap { new.change(since: $0, state.touched) }, state.mailboxes.values)
        }
        if let change { for mailbox in mailboxes { mailbox.post(change) } }
    }

    /// Looks for commits, and whether the connection's file still has its name.
    /// - Throws: ``LostFile``.
    package func poll(_ handle: OpaquePointer) throws {
        look(handle)
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code == SQLITE_OK, hasMoved != 0, let name = sqlite3_db_filename(handle, "main") else { return }
        let path = String(cString: name)
        throw access(name, F_OK) == 0 ? LostFile.replaced(path: path) : LostFile.removed(path: path)
    }

    /// Takes what is committed now as known.
    /// - Throws: ``EngineError`` if the database cannot be read.
    package func begin(_ handle: OpaquePointer) throws {
        guard state.withLock({ $0.last }) == nil else { return look(handle) }
        guard let versions = Versions(handle, waits: true) else {
            throw EngineError(extendedCode: sqlite3_extended_errcode(handle), on: handle)
        }
        state.withLock { ($0.last, $0.touched) = (versions, []) }
    }
}

/// The numbers by which SQLite shows that something was committed.
private struct Versions {
    /// Changes with each commit that the connection made or noticed.
    var file: UInt32
    /// Changes when the connection notices a commit of another one.
    var others: UInt32
    /// Changes with each change of definitions.
    var schema: Int64

    /// - Parameter waits: whether to wait for a lock as long as the connection does; a look that comes again soon does not.
    /// - Returns: Nil if the database cannot be read at this moment.
    init?(_ handle: OpaquePointer, waits: Bool = false) {
        // Zero if the connection does not wait, or decides itself whether it does.
        let timeout = Self.number("PRAGMA busy_timeout", handle) ?? 0
        if timeout > 0, !waits { sqlite3_busy_timeout(handle, 0) }
        defer { if timeout > 0, !waits { sqlite3_busy_timeout(handle, Int32(clamping: timeout)) } }
        // The first of them reads the file, and so notices what others committed.
        guard let schema = Self.number("PRAGMA main.schema_version", handle),
            let others = Self.number("PRAGMA main.data_version", handle)
        else { return nil }
        (self.schema, self.others) = (schema, UInt32(truncatingIfNeeded: others))
        file = Self.file(handle)
    }

    static func file(_ handle: OpaquePointer) -> UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    private static func number(_ sql: String, _ handle: OpaquePointer) -> Int64? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return nil }
        return sqlite3_column_int64(statement, 0)
    }

    func change(since old: Versions, _ touched: Set<String>) -> DatabaseChange? {
        var change: DatabaseChange?
        if file &- others != old.file &- old.others {
            let tables = schema == old.schema ? touched : touched.union([DatabaseChange.schemaTable])
            // What wrote no table is a setting of the file, or something else of which SQLite says nothing.
            change = DatabaseChange(tables: tables.isEmpty ? nil : tables)
        }
        if others != old.others, change?.merge(.ofOthers) == nil { change = .ofOthers }
        return change
    }
}
