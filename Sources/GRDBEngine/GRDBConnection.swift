import CSQLite
import DatabaseEngine
import GRDB

/// A connection that wraps GRDB's `Database`.
struct GRDBConnection: Connection {
    let database: Database
    let handle: OpaquePointer
    let statements: StatementLog?
    private let idle: IdleStatements?
    private let pass: AllocationGate.Pass
    /// For prepared statements: only Drydock's own queries are.
    private let ownPass: AllocationGate.Pass

    /// - Throws: ``EngineError`` (SQLITE_MISUSE) when the connection is closed.
    init(
        _ database: Database, _ settings: ConnectionSettings = ConnectionSettings(),
        _ idle: IdleStatements? = nil
    ) throws {
        guard let handle = database.sqliteConnection else {
            throw EngineError(extendedCode: SQLITE_MISUSE, message: "the connection is closed")
        }
        self.database = database
        self.handle = handle
        pass = AllocationGate.Pass(settings.interrupt, limit: settings.memoryLimit)
        ownPass = AllocationGate.Pass(settings.interrupt, limit: settings.memoryLimit, isOwn: true)
        statements = settings.statements
        self.idle = idle
    }

    func execute(_ sql: String) throws {
        idle?.noteChange()
        try withOffset {
            // As `Database.execute(sql:)` does, with a check between two statements.
            let statements = try database.allStatements(sql: sql, arguments: StatementArguments())
            while let statement = try statements.next() {
                try statement.execute()
                try pass.check(after: statement.sqliteStatement)
            }
        }
    }

    func prepare(_ sql: String) throws -> any PreparedStatement {
        if let idle, !Self.isKept(sql) { idle.noteChange() }
        let statement = try idle?.take(sql) ?? withOffset { try database.makeStatement(sql: sql) }
        return GRDBStatement(statement, on: handle, ownPass, idle.map { ($0, sql) })
    }

    /// Whether a statement begins like one that does not change the schema. A PRAGMA that does is executed, not prepared.
    private static func isKept(_ sql: String) -> Bool {
        keptWords.contains { sqlite3_strnicmp(sql, $0, Int32($0.utf8.count)) == 0 }
    }

    private static let keptWords = [
        "select", "pragma", "insert", "update", "delete", "replace", "with", "values",
    ]

    /// Adds to an error its position in the SQL. Only the connection knows it, and only until its next call.
    private func withOffset<Result>(_ body: () throws -> Result) throws -> Result {
        // GRDB's asynchronous methods check this themselves; see `GRDBDatabase.atOnce`.
        try Task.checkCancellation()
        return try AllocationGate.passing(pass) {
            do {
                return try body()
            } catch let error as DatabaseError {
                throw EngineError(error, offset: SQLiteLibrary.errorOffset(on: handle))
            }
        }
    }
}

/// A statement that GRDB steps and that is read through SQLite's own column functions, since GRDB turns text
/// into valid UTF-8.
final class GRDBStatement: PreparedStatement {
    private let statement: GRDB.Statement
    private let connection: OpaquePointer
    private let pass: AllocationGate.Pass
    private let idle: (statements: IdleStatements, sql: String)?
    private let generation: Int
    private var cursor: RowCursor?

    var handle: OpaquePointer { statement.sqliteStatement }

    init(
        _ statement: GRDB.Statement, on connection: OpaquePointer, _ pass: AllocationGate.Pass,
        _ idle: (statements: IdleStatements, sql: String)? = nil
    ) {
        self.statement = statement
        self.connection = connection
        self.pass = pass
        self.idle = idle
        generation = idle?.statements.generation ?? 0
    }

    deinit {
        cursor = nil
        if let idle { idle.statements.put(statement, idle.sql, of: generation) }
    }

    func step() throws -> Bool {
        try AllocationGate.passing(pass) {
            do {
                let cursor = try self.cursor ?? Row.fetchCursor(statement)
                self.cursor = cursor
                return try cursor.next() != nil
            } catch let error as DatabaseError {
                throw EngineError(error)
            }
        }
    }

    func reset(binding values: [SQLValue]) throws {
        cursor = nil
        statement.setUncheckedArguments(StatementArguments())
        for (value, index) in zip(values, Int32(1)...) {
            let code = value.bind(to: handle, at: index)
            guard code == SQLITE_OK else {
                throw EngineError(extendedCode: code, on: connection, sql: statement.sql)
            }
        }
    }
}

extension EngineError {
    package init(_ error: DatabaseError, offset: Int? = nil) {
        self.init(
            extendedCode: error.extendedResultCode.rawValue,
            message: error.message ?? String(cString: sqlite3_errstr(error.extendedResultCode.rawValue)),
            sql: error.sql, offset: offset)
    }
}
