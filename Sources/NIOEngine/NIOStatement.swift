import CSQLite
import DatabaseEngine

/// A statement of the system's SQLite that returns to its connection's cache.
final class NIOStatement: PreparedStatement {
    let handle: OpaquePointer
    private let sql: String
    private let connection: NIOConnection
    private let cache: StatementCache
    private let generation: Int

    init(_ handle: OpaquePointer, _ sql: String, on connection: NIOConnection, _ cache: StatementCache) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
        self.cache = cache
        generation = cache.generation
    }

    deinit { cache.put(handle, sql, of: generation) }

    func step() throws -> Bool { try connection.next(handle) }

    func reset(binding values: [SQLValue]) throws {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        for (value, index) in zip(values, Int32(1)...) {
            let code = value.bind(to: handle, at: index)
            guard code == SQLITE_OK else {
                throw EngineError(extendedCode: code, on: connection.handle, sql: sql)
            }
        }
    }
}
