import CSQLite
import DatabaseEngine

/// A connection of the system's SQLite.
final class NIOConnection: Connection {
    let handle: OpaquePointer
    let statements: StatementLog?
    private let cache: StatementCache
    private let stop: Stop
    private let writes = WriteRecorder()

    /// - Throws: ``EngineError`` when SQLite cannot open it or a setup statement fails.
    init(_ location: DatabaseLocation, _ settings: ConnectionSettings) throws {
        let access = settings.readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            location.name, &handle, access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
            throw EngineError(extendedCode: extended, message: String(cString: sqlite3_errstr(code)))
        }
        self.handle = handle
        statements = settings.statements
        cache = StatementCache(writes)
        stop = Stop(settings)
        try stop.passing { try setUp(settings) }
    }

    deinit { close() }

    /// Closes the connection. Statements that still exist keep it open until they are freed
    /// (https://www.sqlite.org/c3ref/close.html).
    func close() {
        guard !isClosed else { return }
        isClosed = true
        writes.tracker.end()
        cache.empty()
        sqlite3_close_v2(handle)
    }

    private var isClosed = false

    private func setUp(_ settings: ConnectionSettings) throws {
        sqlite3_extended_result_codes(handle, 1)
        let (seconds, attoseconds) = settings.busyTimeout.components
        sqlite3_busy_timeout(
            handle, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000))
        if let accepted = settings.doubleQuotedStrings {
            csqlite_set_double_quoted_strings(handle, accepted ? 1 : 0)
        }
        stop.install(on: handle)
        try settings.harden(handle)
        try execute("PRAGMA foreign_keys = \(settings.foreignKeys ? "ON" : "OFF")")
        try settings.random?.install(on: handle)
        for stub in settings.functions { try stub.install(on: handle) }
        for function in settings.computed { try function.install(on: handle) }
        for stub in settings.collations { try stub.install(on: handle) }
        try settings.standIns.install(on: handle)
        for sql in settings.setup { try execute(sql) }
    }

    func execute(_ sql: String) throws {
        try stop.passing { try run(sql) }
    }

    private func run(_ sql: String) throws {
        try sql.withCString { text in
            var rest: UnsafePointer<CChar>? = text
            while let start = rest, start.pointee != 0 {
                guard let (statement, next) = try compile(start) else { break }
                rest = next
                guard let statement else { continue }
                defer {
                    writes.forget(statement)
                    sqlite3_finalize(statement)
                }
                cache.note(statement)
                while try step(statement) {}
                try stop.check(after: statement)
            }
        }
    }

    func prepare(_ sql: String) throws -> any PreparedStatement {
        if let statement = cache.take(sql) { return NIOStatement(statement, sql, on: self, cache) }
        let statement = try stop.passing { try compileOne(sql) }
        cache.note(statement)
        return NIOStatement(statement, sql, on: self, cache)
    }

    private func compileOne(_ sql: String) throws -> OpaquePointer {
        try sql.withCString { text -> OpaquePointer in
            var found: OpaquePointer?
            var rest: UnsafePointer<CChar>? = text
            while let start = rest, start.pointee != 0, let (statement, next) = try compile(start) {
                rest = next
                guard let statement else { continue }
                guard found == nil else {
                    sqlite3_finalize(statement)
                    sqlite3_finalize(found)
                    throw EngineError(
                        extendedCode: SQLITE_MISUSE, message: "there is more than one statement", sql: sql)
                }
                found = statement
            }
            guard let found else {
                throw EngineError(extendedCode: SQLITE_MISUSE, message: "there is no statement", sql: sql)
            }
            return found
        }
    }

    /// Returns the statement at the start of a text, nil if there are only blanks and comments, and the rest
    /// of the text.
    private func compile(
        _ text: UnsafePointer<CChar>
    ) throws -> (statement: OpaquePointer?, rest: UnsafePointer<CChar>?)? {
        try stop.check()
        var statement: OpaquePointer?
        var rest: UnsafePointer<CChar>?
        writes.willCompile()
        let code = sqlite3_prepare_v3(handle, text, -1, 0, &statement, &rest)
        writes.didCompile(statement)
        guard code == SQLITE_OK else {
            let offset = SQLiteLibrary.errorOffset(on: handle)
            throw EngineError(
                extendedCode: code, on: handle, sql: String(cString: text), offset: offset)
        }
        return (statement, rest)
    }

    /// Moves a prepared statement to its next row.
    /// - Returns: false after the last row.
    func next(_ statement: OpaquePointer) throws -> Bool {
        try stop.passingOwn { try step(statement) }
    }

    /// - Returns: false after the last row.
    private func step(_ statement: OpaquePointer) throws -> Bool {
        try stop.check()
        let code = writes.stepping(statement, on: handle) { sqlite3_step(statement) }
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let sql = sqlite3_sql(statement).map { String(cString: $0) }
        throw EngineError(extendedCode: code, on: handle, sql: sql?.trimmingBlanks)
    }

    // MARK: - Observation

    /// Begins to post to a mailbox.
    func observe(_ mailbox: ChangeMailbox) throws -> ChangeTracker {
        writes.install(on: handle)
        try writes.tracker.begin(handle)
        writes.tracker.add(mailbox)
        return writes.tracker
    }

    /// Removes the hooks, unless the connection is still observed.
    func endObservation() {
        if !writes.tracker.isObserved { writes.remove(from: handle) }
    }

    // MARK: - What must come to pass

    /// Runs a closure that stops when it is cancelled.
    /// - Throws: what the closure throws; `CancellationError` if it was cancelled.
    func obeying<Result>(_ cancellation: Cancellation, _ body: () throws -> Result) throws -> Result {
        stop.cancellation = cancellation
        defer { stop.cancellation = nil }
        do {
            return try body()
        } catch let error as EngineError where error.isInterrupt && cancellation.isCancelled {
            throw CancellationError()
        }
    }

    /// Rolls back a transaction that is still open, cancelled or not.
    func rollBack() {
        if isInTransaction { restore("ROLLBACK") }
    }

    /// Runs a statement that restores the connection's state. Its errors are ignored: an earlier statement
    /// has already reported the cause.
    func restore(_ sql: String) {
        stop.suspended { _ = sqlite3_exec(handle, sql, nil, nil, nil) }
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        let isBlank = { (character: Character) in character.isWhitespace }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
